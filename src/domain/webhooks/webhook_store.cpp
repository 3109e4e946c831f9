#include <reelsd/db/pool.hpp>
#include <reelsd/domain/webhooks/signature.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>

#include <utility>

namespace reelsd::webhooks {
namespace {

constexpr db::query find_query{"webhooks.find", R"sql(
    SELECT (SELECT url FROM webhook_default WHERE account_id = $1) AS url,
           current.secret,
           (SELECT max(expires_at) FROM webhook_secret
             WHERE account_id = $1 AND expires_at > now()) AS previous_secret_expires_at
      FROM webhook_secret AS current
     WHERE current.account_id = $1 AND current.expires_at IS NULL)sql"};

// Of two who make the first one at the same moment, one finds the other's.
constexpr db::query make_secret_query{"webhooks.make_secret", R"sql(
    INSERT INTO webhook_secret (account_id, secret) VALUES ($1, $2)
    ON CONFLICT (account_id) WHERE expires_at IS NULL DO NOTHING)sql"};

constexpr db::query set_url_query{"webhooks.set_url", R"sql(
    INSERT INTO webhook_default (account_id, url) VALUES ($1, $2)
    ON CONFLICT (account_id) DO UPDATE SET url = excluded.url)sql"};

constexpr db::query remove_url_query{"webhooks.remove_url", R"sql(
    DELETE FROM webhook_default WHERE account_id = $1)sql"};

constexpr db::query rotate_secret_query{"webhooks.rotate_secret", R"sql(
    SELECT rotate_webhook_secret($1, $2))sql"};

}  // namespace

boost::asio::awaitable<webhook_settings> webhook_store::find(account_id account, deadline by) {
    auto found = co_await pool_->run(by, find_query, account);
    if (found.empty()) {
        const auto made = generate_webhook_secret();
        co_await pool_->run(by, make_secret_query, account, made);
        found = co_await pool_->run(by, find_query, account);
    }
    const auto row = found.one();
    co_return webhook_settings{
        .url = row.as<std::optional<std::string>>("url"),
        .secret = row.as<std::string>("secret"),
        .previous_secret_expires_at =
            row.as<std::optional<time_point>>("previous_secret_expires_at")};
}

boost::asio::awaitable<void> webhook_store::set_url(
    account_id account, std::optional<std::string> url, deadline by) {
    if (url) {
        co_await pool_->run(by, set_url_query, account, *url);
    } else {
        co_await pool_->run(by, remove_url_query, account);
    }
}

boost::asio::awaitable<void> webhook_store::rotate_secret(account_id account, deadline by) {
    const auto made = generate_webhook_secret();
    co_await pool_->run(by, rotate_secret_query, account, made);
}

boost::asio::awaitable<std::string> webhook_store::secret_of(account_id account, deadline by) {
    auto found = co_await find(account, by);
    co_return std::move(found.secret);
}

}  // namespace reelsd::webhooks
