#include <reelsd/base/clock.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/operator_session.hpp>
#include <reelsd/platform/rate_limiter.hpp>
#include <reelsd/platform/resolver.hpp>

#include <algorithm>
#include <optional>

namespace reelsd::platform {
namespace {

using namespace std::chrono_literals;

/// How long a worker waits for the permit of a resolver that is not the first: a snoozed job would
/// ask the earlier ones again. 1.5 times the usual interval with the largest spread.
constexpr seconds_f later_patience = 18s;

/// A session that the platform refuses cools down for longer: no job waits for it.
constexpr seconds_f cooldown_max = 24h * 365;

constexpr std::string_view route_separator = " via ";

/// Whether the same resolver may succeed from another address.
bool is_of_route(errc code) noexcept {
    return code == errc::platform_rate_limited || code == errc::connection_failed ||
           code == errc::proxy_failed || code == errc::timed_out;
}

/// Whether the same resolver may succeed later.
bool is_transient(errc code) noexcept {
    return is_of_route(code) || code == errc::platform_failed;
}

/// Whether a signed-in session may see the post.
bool is_for_visitors(errc code) noexcept {
    return code == errc::login_required || code == errc::video_restricted;
}

/// How informative an error is about why a link cannot be resolved now; 0 for most.
int weight_of(errc code) noexcept {
    constexpr auto weights = std::to_array<std::pair<errc, int>>(
        {{errc::platform_rate_limited, 6},
         {errc::platform_changed, 5},
         {errc::separate_tracks, 4},
         {errc::platform_failed, 3},
         {errc::proxy_failed, 2},
         {errc::connection_failed, 2},
         {errc::timed_out, 1}});
    const auto* const listed = std::ranges::find(weights, code, &std::pair<errc, int>::first);
    return listed == weights.end() ? 0 : listed->second;
}

void notify_observer(
    const resolution_observer& observer, std::string_view resolver, const resolution& outcome) {
    if (!observer) return;
    if (outcome) return observer(resolver, nullptr);
    const no_post failure = outcome.error();
    observer(resolver, &failure.why);
}

std::optional<required_wait> sooner(
    const std::optional<required_wait>& left, const required_wait& right) {
    return left && left->wait <= right.wait ? *left : right;
}

/// Errors of the resolvers that have been asked so far.
struct chain_state {
    bool has_other_resolvers = true;  ///< Which can confirm an error.
    std::optional<error> unconfirmed = {};
    bool is_corroborated = false;
    bool is_post_seen = false;
    std::optional<error> most_informative = {};
    std::optional<required_wait> soonest = {};  ///< Soonest permit of resolvers without one.
    /// Time until a failed resolver may be asked for this post again; empty if all cool down.
    std::optional<seconds_f> not_before = {};

    [[nodiscard]] bool is_first() const { return !unconfirmed && !most_informative; }

    /// Notes how long a resolver should not be asked for this post after an error.
    void take_rest(const no_post& failure, seconds_f rest) {
        const bool cools_down = failure.why.code() == errc::platform_rate_limited && rest <= 0s;
        if (!cools_down) not_before = std::min(not_before.value_or(rest), rest);
    }

    /// Notes an error. Returns whether it is final.
    bool is_settled_by(const no_post& failure) {
        if (failure.why.code() == errc::cancelled) return true;
        // Not a fault of the platform: another resolver would fail too.
        if (failure.why.code() == errc::internal) return true;
        // Only this resolver has no file with both tracks.
        const bool is_about_post = failure.why.code() != errc::separate_tracks;
        is_post_seen = is_post_seen || failure.worth == confidence::refuted;
        if (failure.needs_confirmation && is_about_post && !unconfirmed) {
            if (!has_other_resolvers && failure.worth != confidence::low) return true;
            unconfirmed = failure.why;
            is_corroborated = failure.worth == confidence::corroborated;
            return false;
        }
        const bool is_refuted = failure.needs_confirmation && is_post_seen;
        if (is_definite(failure.why.code()) && !is_refuted &&
            (is_about_post || !failure.needs_confirmation))
            return true;
        most_informative =
            most_informative ? more_informative(*most_informative, failure.why) : failure.why;
        return false;
    }

    /// At the end of the time for the look-up: what was learned. After its deadline, asking for a
    /// permit fails as if the database did not answer.
    [[nodiscard]] unresolved timed_conclusion() const {
        return is_first() ? error{errc::timed_out, "the look-up took too long"} : conclusion();
    }

    [[nodiscard]] unresolved conclusion() const {
        if (is_corroborated && !is_post_seen) return *unconfirmed;
        const bool others_cool_down = soonest && soonest->is_cooldown;
        // A retry would get the same answer.
        if (most_informative && others_cool_down && is_definite(most_informative->code()))
            return {error{errc::platform_rate_limited, most_informative->to_string()}, soonest};
        if (most_informative) {
            unresolved failure{*most_informative};
            failure.not_before = not_before.value_or(seconds_f{0});
            if (others_cool_down) {
                failure.cooldown_left = soonest->wait;
                failure.not_before = std::min(failure.not_before, failure.cooldown_left);
            }
            return failure;
        }
        // Without other resolvers there is at most an error of low confidence.
        if (!soonest) {
            return error{
                errc::platform_failed, unconfirmed ? unconfirmed->detail() : "no other resolver"};
        }
        const char* reason =
            others_cool_down ? "every resolver is cooling down" : "our own rate limit";
        return {unconfirmed.value_or(error{errc::platform_rate_limited, reason}), soonest};
    }
};

/// Upper bound on one statement.
constexpr std::chrono::seconds note_time_max{5};
/// A stop takes at most 8 s (bounds::shutdown_grace), even without the database.
constexpr std::chrono::seconds note_time_stopped_max{1};

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
    error cause, const answer_classification& classification,
    const answer_signals& signals) noexcept
    : why{std::move(cause)},
      needs_confirmation{classification.needs_confirmation},
      worth{confidence_of(signals)},
      throttles_client{classification.throttles_client},
      may_be_refusal{classification.may_be_refusal} {}

confidence confidence_of(const answer_signals& signals) noexcept {
    const bool is_seen =
        signals.status == 200 && (signals.media == answer_media::video_without_url ||
                                  signals.media == answer_media::video_in_tracks);
    if (is_seen) return confidence::refuted;
    const bool may_hide_challenge = signals.kind == answer_kind::session && signals.status == 404;
    return may_hide_challenge ? confidence::low : confidence::plain;
}

try_outcome try_outcome_of(const resolution& outcome) noexcept {
    return outcome ? try_outcome::answered : try_outcome_of(no_post{outcome.error()});
}

try_outcome try_outcome_of(const no_post& failure) noexcept {
    const auto code = failure.why.code();
    if (code == errc::platform_rate_limited)
        return failure.throttles_client ? try_outcome::throttled : try_outcome::rate_limited;
    if (code == errc::platform_changed) return try_outcome::changed;
    // An outdated request gets an unconfirmed error too.
    const bool is_answer =
        is_definite(code) && !failure.needs_confirmation && !failure.may_be_refusal;
    return is_answer ? try_outcome::answered : try_outcome::failed;
}

resolver_chain::resolver_chain(
    std::vector<std::unique_ptr<resolver>> order, log::logger log, resolution_observer observer)
    : order_{std::move(order)}, log_{std::move(log)}, observer_{std::move(observer)} {
    invariant(!order_.empty());
}

resolver_chain::tried resolver_chain::try_resolver(
    const resolver& asked, const link& reel, rate_limiter& pace, deadline by,
    const std::stop_token& stop) const {
    tried attempt{.outcome = asked.resolve(reel, by, stop)};
    const auto& outcome = attempt.outcome;
    attempt.rest =
        note_try(pace, asked.name(), {.outcome = try_outcome_of(outcome), .code = reel.code}, stop);
    notify_observer(observer_, asked.name(), outcome);
    if (outcome) return attempt;
    const no_post failure = outcome.error();
    if (failure.why.code() != errc::cancelled) {
        log_.info(
            "resolver returned no post",
            {{"resolver", asked.name()}, {"code", reel.code}, {"reason", failure.why.to_string()}});
    }
    return attempt;
}

std::vector<const resolver*> resolver_chain::order_for(std::string_view permitted) const {
    std::vector<const resolver*> order;
    for (const auto& candidate : order_) order.push_back(candidate.get());
    const auto chosen = std::ranges::find(order, permitted, &resolver::name);
    if (chosen == order.end()) return order;
    const auto first = std::ranges::find_if(order, [&](const resolver* candidate) {
        return resolver_in(candidate->name()) == resolver_in(permitted);
    });
    std::rotate(first, chosen, std::next(chosen));
    return order;
}

chain_resolution resolver_chain::ask_session(
    const error& without_session, const link& reel, rate_limiter& pace, deadline by,
    const std::stop_token& stop) const {
    for (const auto& candidate : order_) {
        if (resolver_in(candidate->name()) != session_resolver_name) continue;
        const auto permit = wait_for_permit(candidate->name(), pace, later_patience, by, stop);
        if (by.passed() && !stop.stop_requested()) return chain_state{}.timed_conclusion();
        if (!permit) return unresolved{permit.error()};
        if (permit->wait > cooldown_max) break;
        if (permit->wait > 0s)
            return unresolved{
                error{errc::platform_rate_limited, "the session may not be used yet"}, *permit};
        auto [outcome, rest] = try_resolver(*candidate, reel, pace, by, stop);
        if (outcome) {
            outcome->resolver = session_resolver_name;
            return *std::move(outcome);
        }
        const no_post failure = outcome.error();
        const bool is_about_post = is_definite(failure.why.code()) && !failure.needs_confirmation;
        const bool is_stopped = failure.why.code() == errc::cancelled;
        if (is_about_post || is_stopped) return unresolved{failure.why};
        if (failure.worth == confidence::low) candidate->note_unconfirmed(reel);
        if (!is_transient(failure.why.code()) || !candidate->is_enabled(by))
            return unresolved{without_session};
        unresolved later{failure.why};
        later.not_before = rest;
        return later;
    }
    return unresolved{without_session};
}

chain_resolution resolver_chain::resolve(
    const link& reel, rate_limiter& pace, deadline by, const std::stop_token& stop,
    const lookup_options& options) const {
    const resolver* unsure = nullptr;
    auto outcome = ask_in_order(reel, pace, by, stop, options, unsure);
    if (unsure == nullptr) return outcome;
    const auto contradicts = [](errc code) {
        return code != errc::video_unavailable && code != errc::cancelled;
    };
    if (outcome || contradicts(outcome.error().why.code())) unsure->note_unconfirmed(reel);
    return outcome;
}

chain_resolution resolver_chain::ask_in_order(
    const link& reel, rate_limiter& pace, deadline by, const std::stop_token& stop,
    const lookup_options& options, const resolver*& unsure) const {
    std::set<std::string_view> not_excluded;
    for (const auto& candidate : order_) {
        const auto name = resolver_in(candidate->name());
        if (!options.excluded.contains(name) && candidate->is_enabled(by))
            not_excluded.insert(name);
    }
    bool may_ask_session = not_excluded.contains(session_resolver_name);
    chain_state so_far{.has_other_resolvers = not_excluded.size() > 1};
    std::set<std::string_view> settled;  // Another proxy would not change the answer.
    for (const auto* candidate : order_for(pace.permitted())) {
        const auto name = resolver_in(candidate->name());
        if (!not_excluded.contains(name) || settled.contains(name)) continue;
        const bool is_first = so_far.is_first() && !options.is_repeat;
        const auto patience = is_first ? first_patience : later_patience;
        const auto permit = wait_for_permit(candidate->name(), pace, patience, by, stop);
        if (by.passed() && !stop.stop_requested()) return so_far.timed_conclusion();
        if (!permit) return unresolved{permit.error()};
        if (permit->wait > cooldown_max) continue;
        if (permit->wait > 0s) {
            so_far.soonest = sooner(so_far.soonest, *permit);
            if (is_first && !permit->is_cooldown) break;
            continue;
        }
        if (name == session_resolver_name) may_ask_session = false;
        auto [outcome, rest] = try_resolver(*candidate, reel, pace, by, stop);
        if (outcome) {
            outcome->resolver = name;
            return *std::move(outcome);
        }
        const no_post failure = outcome.error();
        if (failure.needs_confirmation && failure.worth == confidence::low) unsure = candidate;
        so_far.take_rest(failure, rest);
        if (so_far.is_settled_by(failure)) {
            const bool is_open_to_session = may_ask_session && is_for_visitors(failure.why.code());
            return is_open_to_session ? ask_session(failure.why, reel, pace, by, stop)
                                      : unresolved{failure.why};
        }
        if (!is_of_route(failure.why.code())) settled.insert(name);
    }
    return so_far.conclusion();
}

result<required_wait> wait_for_permit(
    std::string_view resolver, rate_limiter& pace, seconds_f patience, deadline by,
    const std::stop_token& stop) {
    const auto patient_until =
        by.at_most(std::chrono::duration_cast<deadline::clock::duration>(patience));
    for (;;) {
        auto permit = pace.ask(resolver, by);
        if (!permit || permit->wait <= 0s || permit->is_cooldown) return permit;
        if (permit->wait > patient_until.remaining()) return permit;
        if (!sleep_within(permit->wait, by, stop))
            return error{errc::cancelled, "stopped while waiting for a permit"};
    }
}

seconds_f note_try(
    rate_limiter& pace, std::string_view resolver, const finished_try& ended,
    const std::stop_token& stop) {
    // A stopped look-up has no outcome to record.
    return pace.note(
        resolver,
        ended,
        deadline::after(stop.stop_requested() ? note_time_stopped_max : note_time_max));
}

}  // namespace reelsd::platform
