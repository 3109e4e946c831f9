#include "permit.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/resolver.hpp>
#include <reelsd/platform/session.hpp>

#include <algorithm>
#include <optional>

namespace reelsd::platform {
namespace {

using namespace std::chrono_literals;

/// How long a worker waits for the turn of a resolver that is not the first: going back to the
/// queue would ask the earlier ones again. One and a half of the usual interval with the largest
/// spread.
constexpr seconds_f later_patience = 18s;

constexpr std::string_view route_separator = " via ";

/// Whether the same resolver may have an answer from another address.
bool is_of_route(errc code) noexcept {
    return code == errc::platform_rate_limited || code == errc::connection_failed ||
           code == errc::proxy_failed || code == errc::timed_out;
}

/// Whether a signed-in session may see the post all the same.
bool is_for_visitors(errc code) noexcept {
    return code == errc::login_required || code == errc::video_restricted;
}

/// How much a failure tells about why a link can't be resolved now.
int weight_of(errc code) noexcept {
    switch (code) {
        case errc::platform_rate_limited: return 6;
        case errc::platform_changed: return 5;
        case errc::separate_tracks: return 4;
        case errc::platform_failed: return 3;
        case errc::proxy_failed: return 2;
        case errc::connection_failed: return 2;
        case errc::timed_out: return 1;
        case errc::invalid_argument:
        case errc::not_found:
        case errc::unauthorized:
        case errc::limit_reached:
        case errc::conflict:
        case errc::cancelled:
        case errc::address_refused:
        case errc::video_unavailable:
        case errc::video_restricted:
        case errc::login_required:
        case errc::no_video:
        case errc::unsupported_format:
        case errc::video_too_long:
        case errc::video_too_large:
        case errc::media_failed:
        case errc::model_refused:
        case errc::model_unavailable:
        case errc::model_misconfigured:
        case errc::storage_failed:
        case errc::database_unavailable:
        case errc::internal: break;
    }
    return 0;
}

void tell(const resolution_observer& observer, std::string_view resolver, const resolution& found) {
    if (!observer) return;
    if (found) return observer(resolver, nullptr);
    const no_post none = found.error();
    observer(resolver, &none.why);
}

std::optional<required_wait> sooner(
    const std::optional<required_wait>& left, const required_wait& right) {
    return left && left->wait <= right.wait ? *left : right;
}

/// What the resolvers asked so far have said.
struct findings {
    bool is_anybody_else = true;  ///< To dispel a doubt.
    std::optional<error> in_doubt = {};
    bool is_twice_said = false;
    bool is_there = false;  ///< Somebody has seen the post.
    std::optional<error> most_telling = {};
    std::optional<required_wait> soonest = {};  ///< Of those that could not be asked.
    /// Before one that failed may be asked for this post again; nothing: all of them cool down.
    std::optional<seconds_f> not_before = {};

    [[nodiscard]] bool is_nobody_asked() const { return !in_doubt && !most_telling; }

    /// Takes note of how long a resolver should not be asked for this post after a failure.
    void take_rest(const no_post& none, seconds_f rest) {
        const bool cools_down = none.why.code() == errc::platform_rate_limited && rest <= 0s;
        if (!cools_down) not_before = std::min(not_before.value_or(rest), rest);
    }

    /// Takes note of a failure; whether there is no point in asking on.
    bool is_settled_by(const no_post& none) {
        if (none.why.code() == errc::cancelled) return true;
        // That a video is not to be had in one file holds for the way that was asked.
        const bool is_of_the_post = none.why.code() != errc::separate_tracks;
        is_there = is_there || none.worth == confidence::refuted;
        if (none.needs_confirmation && is_of_the_post && !in_doubt) {
            if (!is_anybody_else && none.worth != confidence::low) return true;
            in_doubt = none.why;
            is_twice_said = none.worth == confidence::corroborated;
            return false;
        }
        const bool is_refuted = none.needs_confirmation && is_there;
        if (is_definite(none.why.code()) && !is_refuted &&
            (is_of_the_post || !none.needs_confirmation))
            return true;
        most_telling = most_telling ? more_informative(*most_telling, none.why) : none.why;
        return false;
    }

    [[nodiscard]] unresolved conclusion() const {
        if (is_twice_said && !is_there) return *in_doubt;
        if (most_telling) {
            unresolved none{*most_telling};
            none.not_before = not_before.value_or(seconds_f{0});
            return none;
        }
        // Without anybody else to ask only a doubt that is worth nothing is left, or nothing at
        // all.
        if (!soonest) {
            return error{
                errc::platform_failed, in_doubt ? in_doubt->detail() : "no other resolver"};
        }
        const char* reason =
            soonest->is_cooldown ? "every resolver cools down" : "not our turn yet";
        return {in_doubt.value_or(error{errc::platform_rate_limited, reason}), soonest};
    }
};

}  // namespace

std::string routed_name(std::string_view resolver, std::string_view proxy) {
    return std::string{resolver}.append(route_separator).append(proxy);
}

std::string_view resolver_in(std::string_view routed_name) noexcept {
    return routed_name.substr(0, routed_name.find(route_separator));
}

bool is_definite(errc code) noexcept {
    return code == errc::video_unavailable || code == errc::video_restricted ||
           code == errc::login_required || code == errc::no_video || code == errc::separate_tracks;
}

const error& more_informative(const error& left, const error& right) noexcept {
    return weight_of(right.code()) > weight_of(left.code()) ? right : left;
}

no_post::no_post(
    error why_not, const answer_classification& classification,
    const answer_signals& signals) noexcept
    : why{std::move(why_not)},
      needs_confirmation{classification.needs_confirmation},
      worth{confidence_of(signals)},
      throttles_client{classification.throttles_client} {}

confidence confidence_of(const answer_signals& signals) noexcept {
    const bool is_seen =
        signals.status == 200 && (signals.media == answer_media::video_without_url ||
                                  signals.media == answer_media::video_in_tracks);
    if (is_seen) return confidence::refuted;
    const bool is_masked = signals.kind == answer_kind::session && signals.status == 404;
    return is_masked ? confidence::low : confidence::plain;
}

try_outcome try_outcome_of(const resolution& found) noexcept {
    return found ? try_outcome::answered : try_outcome_of(no_post{found.error()});
}

try_outcome try_outcome_of(const no_post& none) noexcept {
    const auto code = none.why.code();
    if (code == errc::platform_rate_limited)
        return none.throttles_client ? try_outcome::throttled : try_outcome::rate_limited;
    if (code == errc::platform_changed) return try_outcome::changed;
    // A doubtful no is what an outdated question gets too.
    return is_definite(code) && !none.needs_confirmation ? try_outcome::answered
                                                         : try_outcome::failed;
}

resolver_chain::resolver_chain(
    std::vector<std::unique_ptr<resolver>> order, log::logger log, resolution_observer observer)
    : order_{std::move(order)}, log_{std::move(log)}, observer_{std::move(observer)} {
    invariant(!order_.empty());
}

resolver_chain::tried resolver_chain::try_resolver(
    const resolver& way, const link& wanted, rate_limiter& pace, deadline by,
    const std::stop_token& stop) const {
    tried made{.found = way.resolve(wanted, by, stop)};
    made.rest = note_try(
        pace, way.name(), {.outcome = try_outcome_of(made.found), .code = wanted.code}, stop);
    tell(observer_, way.name(), made.found);
    if (made.found) return made;
    const no_post none = made.found.error();
    if (none.why.code() != errc::cancelled) {
        log_.info(
            "resolver gave no post",
            {{"resolver", way.name()}, {"code", wanted.code}, {"reason", none.why.to_string()}});
    }
    return made;
}

chain_resolution resolver_chain::ask_session(
    const error& without_session, const link& wanted, rate_limiter& pace, deadline by,
    const std::stop_token& stop) const {
    for (const auto& way : order_) {
        if (resolver_in(way->name()) != session_resolver_name) continue;
        const auto turn = wait_for_permit(way->name(), pace, later_patience, by, stop);
        if (!turn) return unresolved{turn.error()};
        if (turn->wait > 0s)
            return unresolved{
                error{errc::platform_rate_limited, "the session may not be used yet"}, *turn};
        auto [found, rest] = try_resolver(*way, wanted, pace, by, stop);
        if (found) {
            found->resolver = session_resolver_name;
            return *std::move(found);
        }
        const no_post none = found.error();
        const bool is_about_post = is_definite(none.why.code()) && !none.needs_confirmation;
        const bool is_stopped = none.why.code() == errc::cancelled;
        return unresolved{is_about_post || is_stopped ? none.why : without_session};
    }
    return unresolved{without_session};
}

chain_resolution resolver_chain::resolve(
    const link& wanted, rate_limiter& pace, deadline by, const std::stop_token& stop,
    const excluded_resolvers& excluded) const {
    std::set<std::string_view> not_excluded;
    for (const auto& way : order_) {
        const auto name = resolver_in(way->name());
        if (!excluded.contains(name) && way->is_enabled(by)) not_excluded.insert(name);
    }
    bool may_ask_session = not_excluded.contains(session_resolver_name);
    findings so_far{.is_anybody_else = not_excluded.size() > 1};
    std::set<std::string_view> settled;  // By an answer that another proxy would not change.
    for (const auto& way : order_) {
        const auto name = resolver_in(way->name());
        if (!not_excluded.contains(name) || settled.contains(name)) continue;
        const bool is_first = so_far.is_nobody_asked() && excluded.empty();
        const auto patience = is_first ? first_patience : later_patience;
        const auto turn = wait_for_permit(way->name(), pace, patience, by, stop);
        if (!turn) return unresolved{turn.error()};
        if (turn->wait > 0s) {
            so_far.soonest = sooner(so_far.soonest, *turn);
            if (is_first && !turn->is_cooldown) break;
            continue;
        }
        if (name == session_resolver_name) may_ask_session = false;
        auto [found, rest] = try_resolver(*way, wanted, pace, by, stop);
        if (found) {
            found->resolver = name;
            return *std::move(found);
        }
        const no_post none = found.error();
        so_far.take_rest(none, rest);
        if (so_far.is_settled_by(none)) {
            const bool is_open_to_session = may_ask_session && is_for_visitors(none.why.code());
            return is_open_to_session ? ask_session(none.why, wanted, pace, by, stop)
                                      : unresolved{none.why};
        }
        if (!is_of_route(none.why.code())) settled.insert(name);
    }
    return so_far.conclusion();
}

}  // namespace reelsd::platform
