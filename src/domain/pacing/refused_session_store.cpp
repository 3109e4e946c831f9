#include <reelsd/db/pool.hpp>
#include <reelsd/domain/pacing/refused_session_store.hpp>

namespace reelsd::pacing {
namespace {

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
