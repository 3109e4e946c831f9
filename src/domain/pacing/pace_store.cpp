#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>

#include <algorithm>

namespace reelsd::pacing {

BOOST_DESCRIBE_STRUCT(permit, (), (given, wait))
BOOST_DESCRIBE_STRUCT(consequence, (), (cooldown, warn, unknown_answers))
BOOST_DESCRIBE_STRUCT(
    resolver_state, (), (resolver, cooldown_left, unknown_answers, answered_at, is_busy))

namespace {

constexpr db::query ask_query{"pacing.ask", R"sql(
    SELECT outcome AS given, wait_seconds AS wait
      FROM ask_resolver_turn($1, $2, $3, $4, $5, $6))sql"};

constexpr db::query ask_permit_query{"pacing.ask_permit", R"sql(
    SELECT outcome AS given, wait_seconds AS wait
      FROM ask_permit($1, $2, $3, $4, $5, $6, $7, $8))sql"};

constexpr db::query note_query{"pacing.note", R"sql(
    SELECT begun_cooldown AS cooldown, warn, unknown AS unknown_answers
      FROM note_resolver_try($1, $2, $3, $4, $5, $6))sql"};

constexpr db::query list_query{"pacing.list", R"sql(
    SELECT resolver, unknown_answers, answered_at, busy_until > now() AS is_busy,
           CASE WHEN cooldown_until > now() THEN extract(epoch FROM cooldown_until - now())
                ELSE 0 END::float8 AS cooldown_left
      FROM resolver_pace WHERE host = $1 ORDER BY resolver)sql"};

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
    return std::ranges::none_of(all, has_answered) && std::ranges::any_of(all, is_silent);
}

awaitable<permit> pace_store::ask(paced_resolver who, pace limits, deadline by) {
    invariant(limits.tries_per_hour > 0);
    return read_one<permit>(
        by,
        ask_query,
        who.host,
        who.resolver,
        limits.interval,
        limits.tries_per_hour,
        limits.try_time,
        limits.cooldown_first.count() > 0);
}

awaitable<permit> pace_store::ask_permit(
    job_id job, std::int32_t claim, paced_resolver who, pace limits, deadline by) {
    invariant(limits.tries_per_hour > 0);
    return read_one<permit>(
        by,
        ask_permit_query,
        job,
        claim,
        who.host,
        who.resolver,
        limits.interval,
        limits.tries_per_hour,
        limits.try_time,
        limits.cooldown_first.count() > 0);
}

awaitable<consequence> pace_store::note(
    paced_resolver who, std::string code, outcome ended, pace limits, deadline by) {
    return read_one<consequence>(
        by,
        note_query,
        who.host,
        who.resolver,
        code,
        ended,
        limits.cooldown_first,
        limits.cooldown_max);
}

awaitable<std::vector<resolver_state>> pace_store::list(std::string host, deadline by) {
    return read_all<resolver_state>(by, list_query, host);
}

awaitable<std::optional<std::string>> refused_session_store::find(
    paced_resolver who, std::string fingerprint, deadline by) {
    return read_one<std::optional<std::string>>(
        by, find_query, who.host, who.resolver, fingerprint, refusal_seconds);
}

awaitable<bool> refused_session_store::add(
    paced_resolver who, std::string fingerprint, std::string reason, deadline by) {
    return read_one<bool>(
        by, add_query, who.host, who.resolver, fingerprint, reason, refusal_seconds);
}

}  // namespace reelsd::pacing
