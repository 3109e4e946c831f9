#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>
#include <reelsd/platform/rate_limiter.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::platform {

/// How far a resolver's "no such post" is believed.
enum class confidence : std::uint8_t {
    plain,         ///< Counts when a second resolver agrees, or when there is no other resolver.
    corroborated,  ///< Two independent requests agree: counts, unless another resolver has the
                   ///< post.
    low,           ///< Counts only when another resolver agrees.
    refuted,       ///< The post was seen; only its video is missing.
};

/// Why a resolver has no post.
struct no_post {
    error why;
    /// A "no such post" (video_unavailable) that may as well mean that the question is outdated:
    /// another resolver has to say so too. Or a "no such file" (separate_tracks): another
    /// resolver may have one.
    bool needs_confirmation = false;
    confidence worth = confidence::plain;
    /// Of platform_rate_limited: the client is throttled, whichever post it asks for.
    bool throttles_client = false;

    no_post() = default;
    /// Implicit, as a plain error is the usual case.
    no_post(error why_not, bool is_in_doubt = false, confidence its_worth = confidence::plain)
        : why{std::move(why_not)}, needs_confirmation{is_in_doubt}, worth{its_worth} {}
    no_post(
        error why_not, const answer_classification& classification,
        const answer_signals& signals) noexcept;
};

using resolution = boost::system::result<post, no_post>;

/// Makes `resolution::value()` throw when it holds no post. Found by argument-dependent look-up.
[[noreturn]] inline void throw_exception_from_error(
    const no_post& none, const boost::source_location& where) {
    reelsd::throw_exception_from_error(none.why, where);
}

/// One way to learn a post and its media from a short code. Blocking; safe from any thread.
class resolver {
public:
    resolver() = default;
    resolver(const resolver&) = delete;
    resolver& operator=(const resolver&) = delete;
    virtual ~resolver() = default;

    /// As routed_name() makes it: "page", "graphql via proxy.example:3128".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Whether it can be asked at all. One that cannot is passed over as if it were not there.
    [[nodiscard]] virtual bool is_enabled(deadline /*by*/) const { return true; }

    /// `wanted.kind` is link_kind::post.
    /// Errors about the post, which no other resolver would contradict: video_unavailable (unless
    /// it needs confirmation), video_restricted, login_required, no_video. Errors of this way only:
    /// platform_rate_limited, platform_failed, platform_changed, connection_failed, timed_out,
    /// address_refused. Also cancelled.
    [[nodiscard]] virtual resolution resolve(
        const link& wanted, deadline by, std::stop_token stop) const = 0;
};

/// Why a chain has no post.
struct unresolved {
    error why;
    /// Set when no resolver that was asked failed, but some could not be asked yet: that is no
    /// failed attempt.
    std::optional<required_wait> snooze = {};
    /// The next attempt at the same link should begin no earlier.
    seconds_f not_before{0.0};

    unresolved() = default;
    /// Implicit, as a plain error is the usual case.
    unresolved(error why_not, std::optional<required_wait> until = {})
        : why{std::move(why_not)}, snooze{until} {}
};

using chain_resolution = boost::system::result<post, unresolved>;

/// Makes `value()` throw when there is no post.
[[noreturn]] inline void throw_exception_from_error(
    const unresolved& none, const boost::source_location& where) {
    reelsd::throw_exception_from_error(none.why, where);
}

/// The name of a resolver that asks by a proxy: "page via proxy.example:3128". choose_resolver() of
/// the database knows the separator too.
[[nodiscard]] std::string routed_name(std::string_view resolver, std::string_view proxy);

/// The resolver in such a name: "page".
[[nodiscard]] std::string_view resolver_in(std::string_view routed_name) noexcept;

/// Names of resolvers, without proxies, whose media could not be used.
using excluded_resolvers = std::set<std::string, std::less<>>;

/// Told after each try of a resolver: its name, and nothing or why it had no post. From any thread.
using resolution_observer = std::function<void(std::string_view resolver, const error* why)>;

/// Tries resolvers in order until one has the post or a definite no, or two say that there is no
/// such post.
class resolver_chain {
public:
    /// `order` is not empty. Logs every failed try, once. `observer` may be empty.
    resolver_chain(
        std::vector<std::unique_ptr<resolver>> order, log::logger log,
        resolution_observer observer = {});

    /// Asks each resolver in its turn. One that cools down is passed over; for the first one's turn
    /// by our own pace the whole job waits elsewhere, while a later one's is awaited here.
    ///
    /// Errors as resolver::resolve() and rate_limiter::ask(). A "no such post" in doubt counts as
    /// its `confidence` says. When every way failed, the failure that tells most: being rate
    /// limited over a changed platform, over its failure, over the network's.
    ///
    /// What visitors may not see, the resolver "session" may: it is asked before such a no counts.
    ///
    /// Resolvers in `excluded` are not asked. With any, the wait for another one's turn is spent
    /// here. A resolver is asked by another proxy only after a failure that may be the first
    /// proxy's.
    [[nodiscard]] chain_resolution resolve(
        const link& wanted, rate_limiter& pace, deadline by, const std::stop_token& stop,
        const excluded_resolvers& excluded = {}) const;

private:
    struct tried {
        resolution found;
        seconds_f rest{0.0};  ///< As rate_limiter::note() returns it.
    };
    /// Why there is no post when the resolver "session" has none either, or cannot be asked.
    [[nodiscard]] chain_resolution ask_session(
        const error& without_session, const link& wanted, rate_limiter& pace, deadline by,
        const std::stop_token& stop) const;
    [[nodiscard]] tried try_resolver(
        const resolver& way, const link& wanted, rate_limiter& pace, deadline by,
        const std::stop_token& stop) const;

    std::vector<std::unique_ptr<resolver>> order_;
    log::logger log_;
    resolution_observer observer_;
};

/// Whether an answer that failed has shown the post all the same. Pure.
[[nodiscard]] confidence confidence_of(const answer_signals& signals) noexcept;

/// What a try's end tells its rate limiter. Pure.
[[nodiscard]] try_outcome try_outcome_of(const resolution& found) noexcept;
[[nodiscard]] try_outcome try_outcome_of(const no_post& none) noexcept;

/// Whether `code` says something about the post itself, so that asking elsewhere is pointless.
[[nodiscard]] bool is_definite(errc code) noexcept;

/// Of two ways' failures, the one that tells more.
[[nodiscard]] const error& more_informative(const error& left, const error& right) noexcept;

}  // namespace reelsd::platform
