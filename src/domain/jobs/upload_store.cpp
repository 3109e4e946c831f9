#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>

#include <algorithm>
#include <chrono>

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(uploaded_video, (), (id, size_bytes, sha256, caption, author))

namespace {

/// Includes the wait for a connection behind the chunks of other uploads: on a slow disk, a chunk
/// takes up to the statement's own limit of 5 s.
constexpr auto chunk_time_max = std::chrono::seconds{30};
constexpr std::size_t label_bytes_max = 255;

constexpr db::query begin_query{"uploads.begin", R"sql(
    SELECT CASE outcome WHEN 'admitted' THEN 'accepted' ELSE outcome END AS decided, upload_id,
           0 AS job, 'pending' AS status, job_limit, rate_limit,
           floor(tokens)::integer AS rate_remaining,
           ceil((rate_limit - tokens) * 60 / rate_limit)::integer AS rate_reset,
           coalesce(retry_after, 0) AS retry_after,
           trim_scale(monthly_budget_usd)::text AS monthly_budget_usd
      FROM begin_upload($1, $2, $3, $4, $5, $6, $7))sql"};

// describe() and keep_video() check that no crash of PostgreSQL has lost one, and make all durable.
constexpr db::query add_chunk_query{"uploads.add_chunk", R"sql(
    WITH settings AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
    INSERT INTO upload_chunk (upload_id, number, bytes) SELECT $1, $2, $3 FROM settings)sql"};

constexpr db::query describe_query{"uploads.describe", R"sql(
    UPDATE upload SET size_bytes = $2, sha256 = $3, caption = $4, author = $5, renewed_at = now()
     WHERE id = $1 AND job_id IS NULL AND has_all_chunks($1, $2)
    RETURNING id)sql"};

constexpr db::query discard_query{"uploads.discard", R"sql(
    DELETE FROM upload WHERE id = $1 AND job_id IS NULL)sql"};

constexpr db::query sweep_query{"uploads.sweep", "SELECT sweep_uploads($1)"};

constexpr db::query find_query{"uploads.find", R"sql(
    SELECT id, size_bytes, sha256, caption, author FROM upload WHERE job_id = $1)sql"};

constexpr db::query chunk_query{"uploads.chunk", R"sql(
    SELECT bytes FROM upload_chunk WHERE upload_id = $1 AND number = $2)sql"};

}  // namespace

std::string file_label(std::string_view name) {
    name.remove_prefix(std::min(name.size(), name.find_last_of("/\\") + 1));
    std::string label;
    for (std::size_t at = 0; at < name.size();) {
        const auto next = code_point_at(name, at);
        const auto bytes = name.substr(at, next.bytes);
        at += next.bytes;
        const auto value = next.value;
        const bool is_control = value < 0x20 || (value >= 0x7F && value < 0xA0);
        const bool is_direction = value == 0x200E || value == 0x200F || value == 0x061C ||
                                  (value >= 0x2028 && value <= 0x202E) ||
                                  (value >= 0x2066 && value <= 0x2069);
        if (!next.valid || is_control || is_direction) continue;
        if (label.size() + bytes.size() > label_bytes_max) break;
        label.append(bytes);
    }
    const auto shown = trimmed(label);
    return shown.empty() ? "video" : std::string{shown};
}

awaitable<begun_upload> upload_store::begin(
    account_id caller, const submission& request, default_limits defaults, deadline by) {
    const auto answer = co_await run(
        by,
        begin_query,
        caller,
        request.costs_money,
        request.queue,
        request.idempotency_key,
        uploads_max,
        defaults.submissions_per_minute,
        defaults.concurrent_jobs);
    const auto row = answer.one();
    begun_upload begun{.id = row.as<std::optional<upload_id>>("upload_id")};
    if (begun.id) {
        arriving_.insert(*begun.id);
    } else {
        begun.refusal = row.to<submission_result>();
    }
    co_return begun;
}

awaitable<void> upload_store::add_chunk(
    upload_id id, std::int32_t number, std::span<const std::byte> bytes, deadline by) {
    return execute(by, add_chunk_query, id, number, bytes);
}

awaitable<bool> upload_store::describe(const uploaded_video& whole, deadline by) {
    return changed(
        by, describe_query, whole.id, whole.size_bytes, whole.sha256, whole.caption, whole.author);
}

awaitable<void> upload_store::discard(upload_id id, deadline by) {
    release(id);
    try {
        co_await execute(by, discard_query, id);
    } catch (const db::failure&) {
        // The upload is no longer renewed, so sweep() removes it.
    }
}

awaitable<void> upload_store::sweep(deadline by) {
    const std::vector<upload_id> arriving{arriving_.begin(), arriving_.end()};
    return execute(by, sweep_query, arriving);
}

awaitable<std::optional<uploaded_video>> upload_store::find(job_id job, deadline by) {
    return read_optional<uploaded_video>(by, find_query, job);
}

awaitable<std::optional<std::vector<std::byte>>> upload_store::chunk(
    upload_id id, std::int32_t number, deadline by) {
    return read_optional<std::vector<std::byte>>(by, chunk_query, id, number);
}

awaitable<bool> upload_writer::add(std::string_view bytes) {
    size_ += bytes.size();
    if (size_ > bytes_max_) co_return false;
    digest_.add(bytes);
    while (!bytes.empty()) {
        const auto part = bytes.substr(0, upload_chunk_bytes - chunk_.size());
        chunk_.append(part);
        bytes.remove_prefix(part.size());
        if (chunk_.size() == upload_chunk_bytes) co_await flush();
    }
    co_return true;
}

awaitable<uploaded_video> upload_writer::finish() {
    if (!chunk_.empty()) co_await flush();
    co_return uploaded_video{
        .id = id_, .size_bytes = static_cast<std::int64_t>(size_), .sha256 = digest_.hex()};
}

awaitable<void> upload_writer::flush() {
    const auto bytes = std::as_bytes(std::span{chunk_});
    try {
        co_await store_.add_chunk(id_, number_++, bytes, deadline::after(chunk_time_max));
    } catch (const db::refused& refused) {
        // Without a database, this daemon could not renew the upload, and another one removed it.
        if (refused.code() != errc::conflict) throw;
        throw db::failure{errc::database_unavailable, "the upload was removed"};
    }
    chunk_.clear();
}

}  // namespace reelsd::jobs
