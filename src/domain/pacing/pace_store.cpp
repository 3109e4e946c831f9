#include <reelsd/base/invariant.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>

#include <algorithm>

namespace reelsd::pacing {
namespace {

constexpr db::query ask_query{"pacing.ask", R"sql(
    SELECT outcome, wait_seconds FROM ask_resolver_turn($1, $2, $3, $4, $5, $6))sql"};

constexpr db::query ask_permit_query{"pacing.ask_permit", R"sql(
    SELECT outcome, wait_seconds FROM ask_permit($1, $2, $3, $4, $5, $6, $7, $8))sql"};

constexpr db::query note_query{"pacing.note", R"sql(
    SELECT begun_cooldown, warn, unknown FROM note_resolver_try($1, $2, $3, $4, $5, $6))sql"};

constexpr db::query list_query{"pacing.list", R"sql(
    SELECT resolver, unknown_answers, answered_at, busy_until > now() AS is_busy,
           CASE WHEN cooldown_until > now() THEN extract(epoch FROM cooldown_until - now())
                ELSE 0 END::float8 AS cooldown_left
      FROM resolver_pace WHERE host = $1 ORDER BY resolver)sql"};

permit::status status_from(std::string_view name) {
    if (name == "now") return permit::status::now;
    if (name == "later") return permit::status::later;
    if (name == "cooling_down") return permit::status::cooling_down;
    if (name == "in_line") return permit::status::in_line;
    throw db::schema_mismatch{"ask_resolver_turn() returned " + std::string{name}};
}

permit permit_from(const db::row& row) {
    return {
        .given = status_from(row.as<std::string_view>("outcome")),
        .wait = seconds_f{row.as<double>("wait_seconds")}};
}

std::string_view name_of(outcome ended) noexcept {
    switch (ended) {
        case outcome::answered: return "answered";
        case outcome::rate_limited: return "rate_limited";
        case outcome::changed: return "changed";
        case outcome::throttled: return "throttled";
        case outcome::failed: break;
    }
    return "failed";
}

/// Longer than any cool-down that the platform's answers begin.
constexpr double refusal_seconds = 10.0 * 365.0 * 86'400.0;

constexpr db::query find_query{"pacing.find_refused_session", R"sql(
    WITH refusal AS (
        SELECT reason FROM refused_platform_session WHERE fingerprint = $3),
    resumed AS (
        UPDATE resolver_pace SET cooldown_seconds = 0, cooldown_until = '-infinity'
         WHERE host = $1 AND resolver = $2 AND cooldown_seconds >= $4
           AND NOT EXISTS (SELECT FROM refusal))
    SELECT (SELECT reason FROM refusal) AS reason)sql"};

constexpr db::query add_query{"pacing.add_refused_session", R"sql(
    WITH added AS (
        INSERT INTO refused_platform_session (fingerprint, reason) VALUES ($3, $4)
            ON CONFLICT DO NOTHING
        RETURNING fingerprint),
    paused AS (
        INSERT INTO resolver_pace AS kept (host, resolver, cooldown_seconds, cooldown_until)
        VALUES ($1, $2, $5, now() + make_interval(secs => $5))
            ON CONFLICT (host, resolver) DO UPDATE
           SET cooldown_seconds = excluded.cooldown_seconds,
               cooldown_until = excluded.cooldown_until)
    SELECT EXISTS (SELECT FROM added) AS is_first)sql"};

}  // namespace

bool has_never_answered(const std::vector<resolver_state>& all) noexcept {
    const auto has_answered = [](const resolver_state& state) {
        return state.answered_at.has_value();
    };
    const auto is_silent = [](const resolver_state& state) { return state.has_never_answered(); };
    return std::none_of(all.begin(), all.end(), has_answered) &&
           std::any_of(all.begin(), all.end(), is_silent);
}

boost::asio::awaitable<permit> pace_store::ask(paced_resolver who, pace limits, deadline by) {
    invariant(limits.tries_per_hour > 0);
    const auto answer = co_await pool_->run(
        by,
        ask_query,
        who.host,
        who.resolver,
        limits.interval.count(),
        limits.tries_per_hour,
        limits.try_time.count(),
        limits.cooldown_first.count() > 0);
    co_return permit_from(answer.one());
}

boost::asio::awaitable<permit> pace_store::ask_permit(
    job_id job, std::int32_t claim, paced_resolver who, pace limits, deadline by) {
    invariant(limits.tries_per_hour > 0);
    const auto answer = co_await pool_->run(
        by,
        ask_permit_query,
        job,
        claim,
        who.host,
        who.resolver,
        limits.interval.count(),
        limits.tries_per_hour,
        limits.try_time.count(),
        limits.cooldown_first.count() > 0);
    co_return permit_from(answer.one());
}

boost::asio::awaitable<consequence> pace_store::note(
    paced_resolver who, std::string code, outcome ended, pace limits, deadline by) {
    const auto answer = co_await pool_->run(
        by,
        note_query,
        who.host,
        who.resolver,
        code,
        name_of(ended),
        limits.cooldown_first.count(),
        limits.cooldown_max.count());
    const auto row = answer.one();
    consequence noted{
        .cooldown = std::nullopt,
        .warn = row.as<bool>("warn"),
        .unknown_answers = row.as<std::int32_t>("unknown")};
    if (const auto begun = row.as<std::optional<double>>("begun_cooldown")) {
        noted.cooldown = seconds_f{*begun};
    }
    co_return noted;
}

boost::asio::awaitable<std::vector<resolver_state>> pace_store::list(
    std::string host, deadline by) {
    const auto found = co_await pool_->run(by, list_query, host);
    co_return found.map([](const db::row& row) {
        return resolver_state{
            .resolver = row.as<std::string>("resolver"),
            .cooldown_left = seconds_f{row.as<double>("cooldown_left")},
            .unknown_answers = row.as<std::int32_t>("unknown_answers"),
            .answered_at = row.as<std::optional<time_point>>("answered_at"),
            .is_busy = row.as<bool>("is_busy")};
    });
}

boost::asio::awaitable<std::optional<std::string>> refused_session_store::find(
    paced_resolver who, std::string fingerprint, deadline by) {
    const auto answer =
        co_await pool_->run(by, find_query, who.host, who.resolver, fingerprint, refusal_seconds);
    co_return answer.one().as<std::optional<std::string>>("reason");
}

boost::asio::awaitable<bool> refused_session_store::add(
    paced_resolver who, std::string fingerprint, std::string reason, deadline by) {
    const auto answer = co_await pool_->run(
        by, add_query, who.host, who.resolver, fingerprint, reason, refusal_seconds);
    co_return answer.one().as<bool>("is_first");
}

}  // namespace reelsd::pacing
