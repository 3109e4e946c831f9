#include <reelsd/domain/loop_call.hpp>
#include <reelsd/pipeline/shared_pacer.hpp>

#include <algorithm>
#include <exception>
#include <random>

namespace reelsd::pipeline {
namespace {

using namespace std::chrono_literals;

/// One statement, asked before any work is done.
constexpr auto ask_time_max = 5s;

/// The longest rest of a link after an answer that may be about it alone: three attempts of a job
/// then end within the hour that a job may wait for the platform.
constexpr seconds_f link_rest_max{900.0};

/// Half to one and a half times, so that our tries keep no beat that could be heard.
double throw_spread() {
    thread_local std::minstd_rand dice{std::random_device{}()};
    return std::uniform_real_distribution<double>{0.5, 1.5}(dice);
}

pacing::outcome outcome_of(platform::try_outcome ended) noexcept {
    switch (ended) {
        case platform::try_outcome::answered: return pacing::outcome::answered;
        case platform::try_outcome::rate_limited: return pacing::outcome::rate_limited;
        case platform::try_outcome::changed: return pacing::outcome::changed;
        case platform::try_outcome::throttled: return pacing::outcome::throttled;
        case platform::try_outcome::failed: break;
    }
    return pacing::outcome::failed;
}

}  // namespace

result<platform::postponement> shared_pacer::ask(std::string_view resolver, deadline by) {
    if (wanted_.interval <= 0s && wanted_.cooldown_first <= 0s) return platform::postponement{};
    auto spread = wanted_;
    spread.interval *= throw_spread();
    const auto until = by.at_most(ask_time_max);
    const auto turn = wait_for(
        loop_,
        store_.ask({.host = host_, .resolver = std::string{resolver}}, spread, until),
        until);
    if (!turn) return turn.error();
    return platform::postponement{
        .wait = turn->wait, .is_cooldown = turn->given == pacing::turn::leave::cooling_down};
}

seconds_f shared_pacer::note(
    std::string_view resolver, const platform::finished_try& ended, deadline by) noexcept {
    try {
        const auto told = wait_for(
            loop_,
            store_.note(
                {.host = host_, .resolver = std::string{resolver}},
                std::string{ended.code},
                outcome_of(ended.outcome),
                wanted_,
                by),
            by);
        if (!told) {
            log_.warning(
                "a resolver's outcome could not be kept",
                {{"resolver", resolver}, {"reason", told.error().to_string()}});
            return seconds_f{0};
        }
        log(resolver, *told);
        const bool is_suspected =
            ended.outcome == platform::try_outcome::rate_limited && !told->cooldown;
        return is_suspected ? std::min(wanted_.cooldown_first, link_rest_max) : seconds_f{0};
    } catch (const std::exception& failure) {
        log_.error("a resolver's outcome could not be kept", {{"reason", failure.what()}});
        return seconds_f{0};
    }
}

void shared_pacer::log(std::string_view resolver, const pacing::consequence& told) const {
    if (told.cooldown) {
        log_.warning(
            "the platform asks to be left alone: resolver cools down",
            {{"resolver", resolver}, {"seconds", told.cooldown->count()}});
    }
    if (told.warn) {
        log_.warning(
            "resolver seems outdated: it used to work, and now gets answers of unknown shape "
            "alone",
            {{"resolver", resolver},
             {"answers", told.unknown_answers},
             {"look_with", "reelsd resolve URL --strategy " + std::string{resolver}}});
    }
}

}  // namespace reelsd::pipeline
