#pragma once

#include "protocol.hpp"
#include "settings.hpp"
#include "submission.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// A successful response: its unchanged bytes and the parsed document.
struct api_answer {
    std::string body;
    json document;  ///< An object or an array, as each call says.
};

struct events_end {
    enum class reason : std::uint8_t {
        reader_done,  ///< `on_event` returned false.
        broken,       ///< The client may resume it.
        unavailable   ///< The server refuses or does not support it, or no bytes arrived.
    };
    reason how = reason::unavailable;
    std::string last_event_id = {};                       ///< Where to resume.
    std::optional<std::chrono::milliseconds> retry = {};  ///< Delay that the server requests.
};

/// Selects the caller's reels to list.
struct list_query {
    int limit = 20;                     ///< 1-100
    std::optional<std::string> status;  ///< pending, processing, done or error; none: all.
    std::optional<std::string>
        cursor;           ///< Cursor of an earlier page; empty: starts with the newest.
    bool latest = false;  ///< Only the newest reel of each post.
    std::optional<std::string> author = {};  ///< Only reels of this author.
};

struct reel_page {
    api_answer reels;                        ///< An array.
    std::optional<std::string> next_cursor;  ///< None: this was the last page.
};

/// Days as YYYY-MM-DD, both included; none: without that bound.
struct usage_query {
    std::optional<std::string> from;
    std::optional<std::string> to;
};

/// A question about the caller's finished reels. The server checks all of it.
struct question {
    std::string text;                  ///< 1-500 characters.
    std::optional<std::int64_t> reel;  ///< The only reel that may answer; none: the library.
    std::optional<int> limit = {};     ///< Reels considered, 1-20; none: the server's own.
    std::optional<std::string> author = {};
};

/// What a download has received so far.
struct download_position {
    std::uint64_t bytes = 0;
    std::string etag = {};  ///< Of the file that the bytes belong to; empty: start again.
};

/// The part of a file that a response brings.
struct download_part {
    std::uint64_t offset = 0;           ///< 0: the file starts again.
    std::optional<std::uint64_t> size;  ///< Of the whole file.
    std::string etag;                   ///< Empty: the file cannot be continued later.
};

/// Receives a download. An error ends it and is returned.
struct download_target {
    std::function<download_position()> position;  ///< Called before each request.
    std::function<result<void>(const download_part&)> begin;
    std::function<result<void>(std::span<const std::byte>)> write;
};

struct job_progress {
    std::int64_t id = 0;  ///< 0: not submitted yet.
    std::string status;
    std::int64_t attempt = 0;  ///< From 1; 0: none has begun, or not known.
    std::string step = {};     ///< Current step; empty: not known.
};

/// Reads the state from a job's document or from the data of an event.
[[nodiscard]] job_progress progress_of(std::int64_t id, const json& job);

/// "reel 42: processing (download, attempt 2)": one printable line.
[[nodiscard]] std::string progress_text(const job_progress& state);

/// Whether the job is done or has failed, so that it will not change.
[[nodiscard]] bool has_ended(const json& job);
[[nodiscard]] bool has_ended(const job_progress& state) noexcept;

struct job_wait {
    std::int64_t id = 0;
    std::chrono::milliseconds at_most{0};  ///< 0: returns the current state.
    /// Receives the state of the job at least every 10 s.
    std::function<void(const job_progress& state)> on_progress;
};

/// Client of the HTTP API; retries temporary failures. Blocking; several threads call it
/// concurrently. Each call returns soon after a stop request. Errors of all calls: cancelled, those
/// of failure_of(), connection_failed and timed_out. The detail is for the user. Tests of `reels
/// mcp` replace its virtual functions.
class api_client {
public:
    /// `on_retry` receives a message for the user: why and when the next attempt starts.
    api_client(
        connection_settings connection, retry_policy policy,
        std::function<void(std::string_view)> on_retry);
    virtual ~api_client() = default;

    /// POST /api/v1/reels/analyze: an object. The reel may wait for its turn. Always carries an
    /// Idempotency-Key, so that a repeat after a lost answer does not queue the reel twice.
    [[nodiscard]] virtual result<api_answer> submit(
        const submission& options, const std::stop_token& stop) const;

    /// Uploads a video file; `options.link`: of its post, or empty. `on_progress`, if any, gets the
    /// bytes sent and their total. Also storage_failed, when the file cannot be read.
    [[nodiscard]] virtual result<api_answer> submit_file(
        const std::filesystem::path& file, const submission& options,
        const std::function<void(std::uint64_t, std::uint64_t)>& on_progress,
        const std::stop_token& stop) const;

    /// GET /api/v1/reels.
    [[nodiscard]] virtual result<reel_page> list(
        const list_query& query, const std::stop_token& stop) const;

    /// GET /api/v1/reels/search: an array, best first. `limit` 1-50; none: the server's own.
    [[nodiscard]] virtual result<api_answer> search(
        std::string_view words, std::optional<int> limit, const std::stop_token& stop) const;

    /// POST /api/v1/reels/ask or /api/v1/reels/{id}/ask: an object. Each answer costs money, so
    /// only 429 is retried.
    [[nodiscard]] virtual result<api_answer> ask(
        const question& asked, const std::stop_token& stop) const;

    /// GET /api/v1/reels/{id}/frames/{number}: the JPEG of a key moment, from 0.
    [[nodiscard]] virtual result<std::string> frame(
        std::int64_t id, std::size_t number, const std::stop_token& stop) const;

    /// GET /api/v1/reels/usage: an object.
    [[nodiscard]] virtual result<api_answer> usage(
        const usage_query& days, const std::stop_token& stop) const;

    /// The finished job, or its state after the time.
    [[nodiscard]] virtual result<api_answer> await(
        const job_wait& wait, const std::stop_token& stop) const;

    /// Submits several links: an array in their order, each element with `id` and `status` or with
    /// `error`. Retries links that a limit rejected, like a rejected request.
    [[nodiscard]] result<api_answer> submit_all(
        const submission_list& list, const std::stop_token& stop) const;

    /// GET /api/v1/reels/{id}?wait=: the job, an object, at the latest after `wait` (0-60 s).
    [[nodiscard]] result<api_answer> job(
        std::int64_t id, std::chrono::seconds wait, const std::stop_token& stop) const;

    /// GET /api/v1/reels/{id}/events from `last_event_id` on (empty: from now on), until
    /// `on_event` returns false, the stream ends or `by` has passed. No retries. Errors: only
    /// cancelled; other calls report any other failure.
    [[nodiscard]] result<events_end> events(
        std::int64_t id, const std::string& last_event_id, deadline by,
        const std::function<bool(const server_event&)>& on_event,
        const std::stop_token& stop) const;

    /// GET /api/v1/reels/{id}/subtitles.FORMAT (srt or vtt): the file.
    [[nodiscard]] result<std::string> subtitles(
        std::int64_t id, std::string_view format, const std::stop_token& stop) const;

    [[nodiscard]] const std::string& server() const noexcept { return connection_.server; }

    /// GET /api/v1/extract-presets: an array.
    [[nodiscard]] result<api_answer> presets(const std::stop_token& stop) const;

    /// GET /api/v1/reels/{id}/video. Continues at the target's position, even after a broken
    /// connection, if the file is still the same. Errors also: those of the target.
    [[nodiscard]] result<void> download_video(
        std::int64_t id, const download_target& target, const std::stop_token& stop) const;

    /// GET /api/v1/export: passes all lines to `sink` in chunks. Returns their number without the
    /// last line, which marks a complete export. No retries, because written output cannot be taken
    /// back. Errors also: storage_failed of `sink`, connection_failed for an incomplete export.
    [[nodiscard]] result<std::int64_t> export_account(
        const std::function<result<void>(std::string_view)>& sink,
        const std::stop_token& stop) const;

    /// DELETE /api/v1/reels/{id}. A retry that gets not_found after a lost response or a failure is
    /// a success: the earlier attempt may have deleted the reel, which is gone either way.
    [[nodiscard]] result<void> remove(std::int64_t id, const std::stop_token& stop) const;

    /// DELETE /api/v1/reels?status=error: deletes some thousand failed reels. Returns their number;
    /// 0: none is left.
    [[nodiscard]] result<std::int64_t> remove_failed(const std::stop_token& stop) const;

private:
    /// A GET request with the token.
    [[nodiscard]] net::http_request request_to(const std::string& path) const;
    /// A POST request with an Idempotency-Key, generated if there is none.
    [[nodiscard]] net::http_request submission_to(
        const std::string& path, const char* content_type,
        const std::optional<std::string>& idempotency_key) const;
    /// Which failures send() tries again.
    enum class retries : std::uint8_t {
        all,
        only_refused,  ///< Only 429. After 503, a model may have been called and paid.
    };
    struct delivery {
        result<net::http_response> response;
        bool maybe_done_before = false;  ///< An earlier attempt may have taken effect.
    };
    [[nodiscard]] delivery send(
        net::http_request request, std::chrono::seconds answer_time_max,
        const std::stop_token& stop, retries allowed = retries::all) const;
    struct download_attempt {
        result<void> ended;
        attempt_outcome outcome;
        bool has_begun = false;
        bool has_data = false;
    };
    [[nodiscard]] download_attempt download_once(
        const std::string& path, const download_position& position, const download_target& target,
        const std::stop_token& stop) const;
    /// For paths without an id. Returns connection_failed if the server does not know the path.
    [[nodiscard]] result<net::http_response> get(
        const std::string& path, const std::stop_token& stop) const;

    connection_settings connection_;
    retry_policy policy_;
    std::function<void(std::string_view)> on_retry_;
    net::http_client http_;
};

/// Waits up to `at_most` until job `id` is done or has failed. Returns the finished job or its last
/// known state. Follows the job's events and reconnects after breaks. Polls if events are not
/// available: from an older server, or through a proxy that buffers them. Calls `on_progress` on
/// the calling thread for each state but the returned one. Errors: as of api_client::job.
[[nodiscard]] result<api_answer> await_job(
    const api_client& api, std::int64_t id, std::chrono::seconds at_most,
    const std::stop_token& stop, const std::function<void(const job_progress&)>& on_progress);

}  // namespace reelsd::cli
