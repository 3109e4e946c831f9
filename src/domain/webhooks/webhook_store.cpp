#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::webhooks {

BOOST_DESCRIBE_STRUCT(
    delivery, (),
    (id, message_id, job, search, url, state, tries, status_code, cause, took, answer, created_at,
     tried_at, next_try_at, ended_at))
BOOST_DESCRIBE_STRUCT(
    claimed_delivery, (),
    (id, claim, account, message_id, url, tries, round_tries, time_left, match, secrets))
BOOST_DESCRIBE_STRUCT(delivery_metrics, (), (pending, due))
BOOST_DESCRIBE_STRUCT(
    webhook_settings, (), (url, events, secret, secrets, previous_secret_expires_at))

namespace {

// For `= ANY (ARRAY[...])` see docs/adr/0025.
constexpr db::query list_query{"webhooks.list_deliveries", R"sql(
    SELECT * FROM (
        (SELECT id, message_id, coalesce(job_id, matched_job_id) AS job, search_id AS search, url,
                state, tries, status_code, coalesce(cause, '') AS cause,
                took_seconds AS took, coalesce(answer, '') AS answer, created_at, tried_at,
                CASE WHEN state = 'pending' AND lease_until IS NULL THEN due_at END AS next_try_at,
                ended_at
           FROM webhook_delivery
          WHERE account_id = ANY (ARRAY[$1::bigint])
            AND id < coalesce($2::bigint, 9223372036854775807)
            AND ($3::webhook_state IS NULL OR state = $3)
          ORDER BY account_id, id DESC LIMIT $4)
        UNION ALL
        (SELECT id, message_id, NULL, NULL, url,
                CASE WHEN cause IS NULL THEN 'delivered' ELSE 'failed' END::webhook_state, 1,
                status_code, coalesce(cause, ''), took_seconds, coalesce(answer, ''), tried_at,
                tried_at, NULL, ended_at
           FROM webhook_test
          WHERE account_id = ANY (ARRAY[$1::bigint])
            AND id < coalesce($2::bigint, 9223372036854775807)
            AND ($3::webhook_state IS NULL
                 OR $3 = CASE WHEN cause IS NULL THEN 'delivered' ELSE 'failed' END::webhook_state)
          ORDER BY account_id, id DESC LIMIT $4)) AS page
     ORDER BY id DESC LIMIT $4)sql"};

constexpr db::query log_test_query{"webhooks.log_test", R"sql(
    INSERT INTO webhook_test
           (account_id, message_id, url, status_code, cause, tried_at, took_seconds, answer)
    VALUES ($1, $2, $3, $4, nullif($5, ''), $6, $7, nullif($8, '')))sql"};

// The due time of a delivery that is being tried is the end of its lease.
constexpr db::query redeliver_query{"webhooks.redeliver", R"sql(
    UPDATE webhook_delivery
       SET state = 'pending', ended_at = NULL, changed_at = now(),
           give_up_at = now() + interval '24 hours',
           due_at = CASE WHEN lease_until > now() THEN due_at ELSE now() END,
           round_tries = CASE WHEN lease_until > now() THEN round_tries ELSE 0 END
     WHERE id = $1 AND account_id = $2
    RETURNING id, message_id, coalesce(job_id, matched_job_id) AS job, search_id AS search, url,
              state, tries, status_code, coalesce(cause, '') AS cause,
              took_seconds AS took, coalesce(answer, '') AS answer, created_at, tried_at,
              CASE WHEN lease_until > now() THEN NULL ELSE due_at END AS next_try_at,
              ended_at)sql"};

// Skips accounts and receivers whose share is in use, and gives none of the others more than its
// share of the deliveries that are due longest. Reads the address at each try, so that a corrected
// default applies to waiting deliveries. Deliveries of a disabled account are snoozed without a try
// and keep their time: a trigger makes them due when the account is enabled. The hour bounds the
// delay after a lost race with that trigger.
constexpr db::query claim_query{"webhooks.claim", R"sql(
    WITH due AS (
        SELECT id, account_id, job_id, matched_job_id, receiver, due_at
          FROM webhook_delivery
         WHERE state = 'pending' AND due_at <= now()
           AND account_id <> ALL ($3::bigint[]) AND receiver <> ALL ($4::text[])
         ORDER BY due_at, id LIMIT 64
           FOR UPDATE SKIP LOCKED),  -- Two daemons never take the same row.
    paused AS (
        UPDATE webhook_delivery AS delivery
           SET due_at = now() + interval '1 hour', give_up_at = now() + interval '24 hours',
               status_code = NULL, cause = 'the account is disabled', lease_until = NULL,
               took_seconds = NULL, answer = NULL, changed_at = now()
          FROM due JOIN account ON account.id = due.account_id
         WHERE delivery.id = due.id AND account.disabled_at IS NOT NULL),
    ranked AS (
        SELECT due.id, account_id, job_id, matched_job_id, receiver, due_at,
               row_number() OVER (PARTITION BY account_id ORDER BY due_at, due.id) AS of_account,
               row_number() OVER (PARTITION BY receiver ORDER BY due_at, due.id) AS of_receiver
          FROM due JOIN account ON account.id = due.account_id
         WHERE account.disabled_at IS NULL),
    chosen AS (
        SELECT ranked.id, coalesce(job.webhook_url, usual.url) AS url
          FROM ranked
          LEFT JOIN job_state AS job ON job.id = ranked.job_id
          LEFT JOIN webhook_default AS usual ON usual.account_id = ranked.account_id
         WHERE of_account <= $7 - (
               SELECT count(*) FROM unnest($5::bigint[]) AS busy (account)
                WHERE busy.account = ranked.account_id)
           AND of_receiver <= $8 - (
               SELECT count(*) FROM unnest($6::text[]) AS busy (receiver)
                WHERE busy.receiver = ranked.receiver)
         ORDER BY ranked.due_at, ranked.id LIMIT $1)
    UPDATE webhook_delivery AS delivery
       SET claim = delivery.claim + 1, tries = delivery.tries + 1,
           round_tries = delivery.round_tries + 1, url = coalesce(chosen.url, delivery.url),
           lease_until = now() + make_interval(secs => $2),
           due_at = now() + make_interval(secs => $2), tried_at = now(), changed_at = now()
      FROM chosen
     WHERE delivery.id = chosen.id
    RETURNING delivery.id, delivery.claim, delivery.account_id AS account,
              coalesce(delivery.job_id, delivery.matched_job_id) AS job_id,
              (SELECT json_build_object(
                      'search', json_build_object(
                          'id', search.id, 'name', search.name, 'query', search.query),
                      'score', round(found.score::numeric, 4))::text
                 FROM saved_search AS search
                 JOIN search_match AS found
                   ON found.search_id = search.id AND found.job_id = delivery.matched_job_id
                WHERE search.id = delivery.search_id) AS match,
              delivery.message_id, delivery.tries, delivery.round_tries,
              chosen.url,
              extract(epoch FROM delivery.give_up_at - now())::float8 AS time_left,
              ARRAY(SELECT secret FROM webhook_secret
                     WHERE account_id = delivery.account_id
                       AND (expires_at IS NULL OR expires_at > now())
                     ORDER BY expires_at DESC NULLS FIRST) AS secrets)sql"};

constexpr db::query delivered_query{"webhooks.delivered", R"sql(
    UPDATE webhook_delivery
       SET state = 'delivered', status_code = $3, cause = NULL, ended_at = now(),
           took_seconds = $4, answer = nullif($5, ''), lease_until = NULL, changed_at = now()
     WHERE id = $1 AND claim = $2 AND state = 'pending')sql"};

constexpr db::query snooze_query{"webhooks.snooze", R"sql(
    UPDATE webhook_delivery
       SET due_at = now() + make_interval(secs => $5), status_code = $3, cause = $4,
           took_seconds = $6, answer = nullif($7, ''), lease_until = NULL, changed_at = now()
     WHERE id = $1 AND claim = $2 AND state = 'pending')sql"};

constexpr db::query give_up_query{"webhooks.give_up", R"sql(
    UPDATE webhook_delivery
       SET state = 'failed', status_code = $3, cause = $4, ended_at = now(),
           took_seconds = $5, answer = nullif($6, ''), lease_until = NULL, changed_at = now()
     WHERE id = $1 AND claim = $2 AND state = 'pending')sql"};

constexpr db::query release_query{"webhooks.release", R"sql(
    UPDATE webhook_delivery
       SET due_at = now(), tries = tries - 1, round_tries = round_tries - 1,
           lease_until = NULL, changed_at = now()
     WHERE id = $1 AND claim = $2 AND state = 'pending')sql"};

// Bounded, because each scrape of metrics counts them: 10,000 means that many or more.
constexpr db::query metrics_query{"webhooks.metrics", R"sql(
    SELECT (SELECT count(*) FROM (
               SELECT FROM webhook_delivery WHERE state = 'pending'
                ORDER BY due_at LIMIT 10000) AS capped) AS pending,
           (SELECT count(*) FROM (
               SELECT FROM webhook_delivery
                WHERE state = 'pending' AND due_at <= now()
                ORDER BY due_at LIMIT 10000) AS capped) AS due)sql"};

constexpr db::query forget_query{"webhooks.forget", R"sql(
    DELETE FROM webhook_delivery
     WHERE id = ANY (ARRAY(
           SELECT id FROM webhook_delivery
            WHERE state <> 'pending' AND ended_at < now() - interval '7 days'
            ORDER BY ended_at LIMIT $1
              FOR UPDATE SKIP LOCKED)))sql"};

constexpr db::query forget_tests_query{"webhooks.forget_tests", R"sql(
    DELETE FROM webhook_test
     WHERE id = ANY (ARRAY(
           SELECT id FROM webhook_test
            WHERE ended_at < now() - interval '7 days'
            ORDER BY ended_at LIMIT $1
              FOR UPDATE SKIP LOCKED)))sql"};

constexpr db::query forget_secrets_query{"webhooks.forget_secrets", R"sql(
    DELETE FROM webhook_secret WHERE expires_at <= now())sql"};

constexpr db::query repair_times_query{"webhooks.repair_times", "SELECT repair_webhook_times()"};

/// Accounts and receivers of the tries in progress, and those that have their share.
struct delivery_columns {
    std::vector<account_id> accounts;
    std::vector<std::string> receivers;
    std::vector<account_id> full_accounts;
    std::vector<std::string> full_receivers;

    explicit delivery_columns(const delivery_claim& request) {
        for (const auto& [account, receiver] : request.in_flight) {
            accounts.push_back(account);
            receivers.push_back(receiver);
        }
        for (const auto& [account, receiver] : request.in_flight) {
            const auto of_account = std::count(accounts.begin(), accounts.end(), account);
            const auto of_receiver = std::count(receivers.begin(), receivers.end(), receiver);
            if (of_account >= request.shares.of_account) full_accounts.push_back(account);
            if (of_receiver >= request.shares.of_receiver) full_receivers.push_back(receiver);
        }
    }
};

constexpr db::query find_query{"webhooks.find", R"sql(
    SELECT (SELECT url FROM webhook_default WHERE account_id = $1) AS url,
           coalesce(
               (SELECT events FROM webhook_default WHERE account_id = $1),
               '{done,error,search.matched}') AS events,
           current.secret,
           ARRAY(SELECT secret FROM webhook_secret
                  WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now())
                  ORDER BY expires_at DESC NULLS FIRST) AS secrets,
           (SELECT max(expires_at) FROM webhook_secret
             WHERE account_id = $1 AND expires_at > now()) AS previous_secret_expires_at
      FROM webhook_secret AS current
     WHERE current.account_id = $1 AND current.expires_at IS NULL)sql"};

// Of two concurrent requests, one finds the secret of the other.
constexpr db::query make_secret_query{"webhooks.make_secret", R"sql(
    INSERT INTO webhook_secret (account_id, secret) VALUES ($1, $2)
    ON CONFLICT (account_id) WHERE expires_at IS NULL DO NOTHING)sql"};

constexpr db::query set_url_query{"webhooks.set_url", R"sql(
    INSERT INTO webhook_default (account_id, url, events)
    VALUES ($1, $2, coalesce($3::text[], '{done,error,search.matched}'))
    ON CONFLICT (account_id) DO UPDATE
       SET url = excluded.url, events = coalesce($3::text[], webhook_default.events))sql"};

constexpr db::query remove_url_query{"webhooks.remove_url", R"sql(
    DELETE FROM webhook_default WHERE account_id = $1)sql"};

constexpr db::query rotate_secret_query{"webhooks.rotate_secret", R"sql(
    SELECT rotate_webhook_secret($1, $2))sql"};

}  // namespace

std::string receiver_of(std::string_view url) {
    return std::string{url.substr(0, url.find_first_of("?#"))};
}

awaitable<delivery_page> delivery_store::list(
    account_id caller, delivery_filter filter, deadline by) {
    invariant(filter.deliveries_max > 0);
    // One more than requested shows whether there is a next page.
    const int rows_max = filter.deliveries_max + 1;
    delivery_page page;
    page.deliveries =
        co_await read_all<delivery>(by, list_query, caller, filter.before, filter.state, rows_max);
    if (db::cut_page(page.deliveries, filter.deliveries_max)) page.next = page.deliveries.back().id;
    co_return page;
}

awaitable<void> delivery_store::log_test(account_id caller, delivery_test test, deadline by) {
    return execute(
        by,
        log_test_query,
        caller,
        test.message_id,
        test.url,
        test.status_code,
        test.cause,
        test.tried_at,
        test.record.took,
        test.record.answer);
}

awaitable<std::optional<delivery>> delivery_store::redeliver(
    account_id caller, delivery_id id, deadline by) {
    return read_optional<delivery>(by, redeliver_query, id, caller);
}

awaitable<std::vector<claimed_delivery>> delivery_store::claim(
    delivery_claim request, deadline by) {
    invariant(request.deliveries_max > 0);
    const delivery_columns columns{request};
    const auto claimed = co_await run(
        by,
        claim_query,
        request.deliveries_max,
        request.lease,
        columns.full_accounts,
        columns.full_receivers,
        columns.accounts,
        columns.receivers,
        request.shares.of_account,
        request.shares.of_receiver);
    if (claimed.empty()) co_return std::vector<claimed_delivery>{};
    const auto ids = claimed.map([](const db::row& row) { return row.as<job_id>("job_id"); });
    const auto jobs = co_await jobs::job_store{pool()}.find_all(ids, by);
    std::vector<claimed_delivery> readable;
    for (const db::row row : claimed) {
        const auto job = jobs.find(row.as<job_id>("job_id"));
        // Written by a newer program, which takes it when the lease has ended.
        if (job == jobs.end()) continue;
        // Several deliveries may be about one reel.
        readable.push_back(row.to<claimed_delivery>());
        readable.back().job = job->second;
    }
    co_return readable;
}

awaitable<bool> delivery_store::report(
    delivery_id id, std::int32_t claim, delivery_step step, deadline by, try_record record) {
    const auto& [took, answer] = record;
    if (const auto* success = std::get_if<delivered>(&step)) {
        return changed(by, delivered_query, id, claim, success->status_code, took, answer);
    }
    if (const auto* later = std::get_if<snoozed>(&step)) {
        return changed(
            by,
            snooze_query,
            id,
            claim,
            later->status_code,
            later->cause,
            later->delay,
            took,
            answer);
    }
    if (const auto* failure = std::get_if<given_up>(&step)) {
        return changed(
            by, give_up_query, id, claim, failure->status_code, failure->cause, took, answer);
    }
    return changed(by, release_query, id, claim);
}

awaitable<delivery_metrics> delivery_store::metrics(deadline by) {
    return read_one<delivery_metrics>(by, metrics_query);
}

awaitable<std::int64_t> delivery_store::tidy(int deliveries_max, deadline by) {
    co_await execute(by, repair_times_query);
    co_await execute(by, forget_secrets_query);
    const auto tests = co_await affected(by, forget_tests_query, deliveries_max);
    co_return tests + co_await affected(by, forget_query, deliveries_max);
}

awaitable<webhook_settings> webhook_store::find(account_id account, deadline by) {
    auto known = co_await read_optional<webhook_settings>(by, find_query, account);
    if (known) co_return *std::move(known);
    co_await execute(by, make_secret_query, account, generate_webhook_secret());
    co_return co_await read_one<webhook_settings>(by, find_query, account);
}

awaitable<void> webhook_store::set_url(
    account_id account, std::optional<std::string> url, deadline by,
    std::optional<std::vector<std::string>> events) {
    return url ? execute(by, set_url_query, account, *url, events)
               : execute(by, remove_url_query, account);
}

awaitable<void> webhook_store::rotate_secret(account_id account, deadline by) {
    return execute(by, rotate_secret_query, account, generate_webhook_secret());
}

awaitable<std::string> webhook_store::secret_of(account_id account, deadline by) {
    auto settings = co_await find(account, by);
    co_return std::move(settings.secret);
}

}  // namespace reelsd::webhooks
