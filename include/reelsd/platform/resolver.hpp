#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>
#include <reelsd/platform/rate_limiter.hpp>

#include <boost/core/noncopyable.hpp>

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

/// How much a resolver's "no such post" counts.
enum class confidence : std::uint8_t {
    plain,         ///< Counts when a second resolver agrees, or when there is no other resolver.
    corroborated,  ///< Two independent requests agree: counts, unless another resolver has the
                   ///< post.
    low,           ///< Counts only when another resolver agrees.
    refuted,       ///< The post exists; only its video is missing.
};

struct no_post {
    error why;
    /// A "no such post" (video_unavailable) that may mean an outdated request: another resolver
    /// must agree. Or a "no such file" (separate_tracks): another resolver may have one.
    bool needs_confirmation = false;
    confidence worth = confidence::plain;
    /// For platform_rate_limited: the client is throttled for all posts.
    bool throttles_client = false;
    bool may_be_refusal = false;  ///< As in answer_classification.

    no_post() = default;
    /// Implicit, as a plain error is the usual case.
    no_post(error cause, bool unconfirmed = false, confidence its_worth = confidence::plain)
        : why{std::move(cause)}, needs_confirmation{unconfirmed}, worth{its_worth} {}
    no_post(
        error cause, const answer_classification& classification,
        const answer_signals& signals) noexcept;
};

using resolution = boost::system::result<post, no_post>;

/// Makes `resolution::value()` throw when it holds no post. Found by argument-dependent look-up.
[[noreturn]] inline void throw_exception_from_error(
    const no_post& none, const boost::source_location& where) {
    reelsd::throw_exception_from_error(none.why, where);
}

/// Looks up a post and its media by the short code. Blocking; safe from any thread.
class resolver : boost::noncopyable {
public:
    virtual ~resolver() = default;

    /// Name in the form of routed_name(): "page", "graphql via proxy.example:3128".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// A disabled resolver is ignored.
    [[nodiscard]] virtual bool is_enabled(deadline /*by*/) const { return true; }

    /// `reel.kind` is link_kind::post.
    /// Definite errors of the post: video_unavailable (unless it needs confirmation),
    /// video_restricted, login_required, no_video. Errors of this resolver only:
    /// platform_rate_limited, platform_failed, platform_changed, connection_failed, timed_out,
    /// address_refused. Also cancelled.
    [[nodiscard]] virtual resolution resolve(
        const link& reel, deadline by, std::stop_token stop) const = 0;

    /// Called after a "no such post" of confidence::low that no other resolver has confirmed.
    virtual void note_unconfirmed(const link& /*reel*/) const {}
};

struct unresolved {
    error why;
    /// Set when only resolvers without a permit may have the post: the attempt does not count.
    std::optional<required_wait> snooze = {};
    /// The next attempt at the same link should begin no earlier.
    seconds_f not_before{0.0};
    /// Time until a resolver that was not asked has cooled down; 0 without one. The last attempt at
    /// the same link should not begin earlier.
    seconds_f cooldown_left{0.0};

    unresolved() = default;
    /// Implicit, as a plain error is the usual case.
    unresolved(error cause, std::optional<required_wait> until = {})
        : why{std::move(cause)}, snooze{until} {}
};

using chain_resolution = boost::system::result<post, unresolved>;

/// Makes `value()` throw when there is no post.
[[noreturn]] inline void throw_exception_from_error(
    const unresolved& none, const boost::source_location& where) {
    reelsd::throw_exception_from_error(none.why, where);
}

/// The name of a resolver with a proxy: "page via proxy.example:3128". The SQL function
/// choose_resolver() uses the same separator.
[[nodiscard]] std::string routed_name(std::string_view resolver, std::string_view proxy);

/// The resolver in such a name: "page".
[[nodiscard]] std::string_view resolver_in(std::string_view routed_name) noexcept;

/// Names of resolvers, without proxies, whose media could not be used.
using excluded_resolvers = std::set<std::string, std::less<>>;

struct lookup_options {
    /// An earlier look-up of the same attempt had media that could not be used. This one waits for
    /// every permit: a snoozed job would repeat the earlier one.
    bool is_repeat = false;
    excluded_resolvers excluded = {};  ///< Not asked.
};

/// Called after each look-up with the resolver's name and its error, if any. From any thread.
using resolution_observer = std::function<void(std::string_view resolver, const error* why)>;

/// Tries resolvers in order until one has the post or a definite error, or two report no such post.
class resolver_chain {
public:
    /// `order` is not empty. Logs every failed look-up once. `observer` may be empty.
    resolver_chain(
        std::vector<std::unique_ptr<resolver>> order, log::logger log,
        resolution_observer observer = {});

    /// Asks the resolvers in order and skips those that cool down. If the first has to wait for our
    /// own rate limit, the whole job is snoozed; for a later one this call waits.
    ///
    /// Errors as resolver::resolve() and rate_limiter::ask(). An unconfirmed "no such post" counts
    /// by its `confidence`. When all resolvers failed, the most informative error: rate limit,
    /// changed platform, failed platform, network.
    ///
    /// The resolver "session" is asked before a post counts as hidden from visitors. If that fails
    /// for a while only, its error is returned, which is not definite.
    ///
    /// A resolver is asked by another proxy only after an error that may be due to the first proxy.
    /// The proxy of rate_limiter::permitted() is the first.
    [[nodiscard]] chain_resolution resolve(
        const link& reel, rate_limiter& pace, deadline by, const std::stop_token& stop,
        const lookup_options& options = {}) const;

private:
    struct tried {
        resolution outcome;
        seconds_f rest{0.0};  ///< As rate_limiter::note() returns it.
    };
    /// All resolvers in the order of use. The permitted one precedes its resolver's other proxies.
    [[nodiscard]] std::vector<const resolver*> order_for(std::string_view permitted) const;
    /// resolve() without a call of resolver::note_unconfirmed(). Sets `unsure` to the resolver that
    /// would have to be notified.
    [[nodiscard]] chain_resolution ask_in_order(
        const link& reel, rate_limiter& pace, deadline by, const std::stop_token& stop,
        const lookup_options& options, const resolver*& unsure) const;
    /// The session's post, or why there is none.
    [[nodiscard]] chain_resolution ask_session(
        const error& without_session, const link& reel, rate_limiter& pace, deadline by,
        const std::stop_token& stop) const;
    [[nodiscard]] tried try_resolver(
        const resolver& asked, const link& reel, rate_limiter& pace, deadline by,
        const std::stop_token& stop) const;

    std::vector<std::unique_ptr<resolver>> order_;
    log::logger log_;
    resolution_observer observer_;
};

/// How much a failed answer counts. It may have shown the post. Pure.
[[nodiscard]] confidence confidence_of(const answer_signals& signals) noexcept;

/// The outcome for the rate limiter. Pure.
[[nodiscard]] try_outcome try_outcome_of(const resolution& outcome) noexcept;
[[nodiscard]] try_outcome try_outcome_of(const no_post& none) noexcept;

/// Whether `code` is about the post itself, so that no other resolver would have it.
[[nodiscard]] bool is_definite(errc code) noexcept;

/// The more informative of two resolvers' errors.
[[nodiscard]] const error& more_informative(const error& left, const error& right) noexcept;

}  // namespace reelsd::platform
