#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/resolver.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace reelsd::platform {
namespace {

using namespace std::chrono_literals;

/// How long a worker stands still for the turn of the first resolver that can be asked. Longer
/// waits are the queue's; it looks once a second.
constexpr seconds_f first_patience = 1s;
/// And for the turn of a later one: going back to the queue would ask the earlier ones again. One
/// and a half of the usual interval with the largest spread.
constexpr seconds_f later_patience = 18s;

/// One statement.
constexpr std::chrono::seconds note_time_max{5};
/// A stop takes 8 s in all (bounds::shutdown_grace), also when the database is away.
constexpr std::chrono::seconds note_time_stopped_max{1};

/// How much a failure tells about why a link can't be resolved now.
int weight_of(errc code) noexcept {
    switch (code) {
        case errc::platform_rate_limited: return 6;
        case errc::platform_changed: return 5;
        case errc::unsupported_format: return 4;
        case errc::platform_failed: return 3;
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

/// False when it was stopped, or had no time for it.
bool stand_still(seconds_f time, deadline by, const std::stop_token& stop) {
    const auto until =
        deadline::clock::now() + std::chrono::duration_cast<deadline::clock::duration>(time);
    if (until > by.when()) return false;
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock{mutex};
    never.wait_until(lock, stop, until, [] { return false; });
    return !stop.stop_requested();
}

/// Leave to ask `resolver`, or the wait that is left when `patience` or the time is at its end.
result<postponement> wait_for_turn(
    std::string_view resolver, pacer& pace, seconds_f patience, deadline by,
    const std::stop_token& stop) {
    const auto patient_until =
        by.at_most(std::chrono::duration_cast<deadline::clock::duration>(patience));
    for (;;) {
        auto turn = pace.ask(resolver, by);
        if (!turn || turn->wait <= 0s || turn->is_cooldown) return turn;
        if (turn->wait > patient_until.remaining()) return turn;
        if (!stand_still(turn->wait, by, stop))
            return error{errc::cancelled, "stopped while waiting for its turn"};
    }
}

std::optional<postponement> sooner(
    const std::optional<postponement>& left, const postponement& right) {
    return left && left->wait <= right.wait ? *left : right;
}

/// What the resolvers asked so far have said.
struct findings {
    bool is_anybody_else = true;  ///< To dispel a doubt.
    std::optional<error> in_doubt = {};
    bool is_twice_said = false;
    bool is_there = false;  ///< Somebody has seen the post.
    std::optional<error> most_telling = {};
    std::optional<postponement> soonest = {};  ///< Of those that could not be asked.

    [[nodiscard]] bool is_nobody_asked() const { return !in_doubt && !most_telling; }

    /// Takes note of a failure; whether there is no point in asking on.
    bool is_settled_by(const no_post& none) {
        if (none.why.code() == errc::cancelled) return true;
        // That a video is not to be had in one file holds for the way that was asked.
        const bool is_of_the_post = none.why.code() != errc::unsupported_format;
        is_there = is_there || none.worth == doubt::dispelled;
        if (none.needs_confirmation && is_of_the_post && !in_doubt) {
            if (!is_anybody_else && none.worth != doubt::worthless_alone) return true;
            in_doubt = none.why;
            is_twice_said = none.worth == doubt::twice_said;
            return false;
        }
        const bool is_refuted = none.needs_confirmation && is_there;
        if (is_definite(none.why.code()) && !is_refuted &&
            (is_of_the_post || !none.needs_confirmation))
            return true;
        most_telling = most_telling ? more_telling(*most_telling, none.why) : none.why;
        return false;
    }

    [[nodiscard]] unresolved conclusion() const {
        if (is_twice_said && !is_there) return *in_doubt;
        if (most_telling) return *most_telling;
        // Without anybody else to ask only a doubt that is worth nothing is left.
        if (!soonest) return error{errc::platform_failed, in_doubt.value().detail()};
        const char* reason =
            soonest->is_cooldown ? "every resolver cools down" : "not our turn yet";
        return {in_doubt.value_or(error{errc::platform_rate_limited, reason}), soonest};
    }
};

}  // namespace

bool is_definite(errc code) noexcept {
    return code == errc::video_unavailable || code == errc::video_restricted ||
           code == errc::login_required || code == errc::no_video ||
           code == errc::unsupported_format;
}

const error& more_telling(const error& left, const error& right) noexcept {
    return weight_of(right.code()) > weight_of(left.code()) ? right : left;
}

doubt doubt_of(const answer_signals& signals) noexcept {
    const bool is_seen =
        signals.status == 200 && (signals.media == answer_media::video_without_url ||
                                  signals.media == answer_media::video_in_tracks);
    return is_seen ? doubt::dispelled : doubt::plain;
}

try_outcome try_outcome_of(const resolution& found) noexcept {
    if (found) return try_outcome::answered;
    const no_post none = found.error();
    const auto code = none.why.code();
    if (code == errc::platform_rate_limited) return try_outcome::rate_limited;
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

resolution resolver_chain::try_one(
    const resolver& way, const link& wanted, pacer& pace, deadline by,
    const std::stop_token& stop) const {
    auto found = way.resolve(wanted, by, stop);
    // Beyond `by`, if need be: what was learnt must not be lost with a slow answer. Whoever was
    // stopped has learnt nothing and is in a hurry.
    pace.note(
        way.name(),
        try_outcome_of(found),
        deadline::after(stop.stop_requested() ? note_time_stopped_max : note_time_max));
    tell(observer_, way.name(), found);
    if (found) return found;
    const no_post none = found.error();
    if (none.why.code() != errc::cancelled) {
        log_.info(
            "resolver gave no post",
            {{"resolver", way.name()}, {"code", wanted.code}, {"reason", none.why.to_string()}});
    }
    return found;
}

chain_resolution resolver_chain::resolve(
    const link& wanted, pacer& pace, deadline by, const std::stop_token& stop) const {
    findings so_far{.is_anybody_else = order_.size() > 1};
    for (const auto& way : order_) {
        const bool is_first = so_far.is_nobody_asked();
        const auto patience = is_first ? first_patience : later_patience;
        const auto turn = wait_for_turn(way->name(), pace, patience, by, stop);
        if (!turn) return unresolved{turn.error()};
        if (turn->wait > 0s) {
            so_far.soonest = sooner(so_far.soonest, *turn);
            if (is_first && !turn->is_cooldown) break;
            continue;
        }
        auto found = try_one(*way, wanted, pace, by, stop);
        if (found) return *std::move(found);
        const no_post none = found.error();
        if (so_far.is_settled_by(none)) return unresolved{none.why};
    }
    return so_far.conclusion();
}

}  // namespace reelsd::platform
