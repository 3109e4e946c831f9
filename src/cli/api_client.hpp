#pragma once

#include "event_reader.hpp"
#include "retry.hpp"
#include "settings.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli {

/// A success of the server's: the bytes as they came and what they say.
struct api_answer {
    std::string body;
    json document;  ///< An object or an array, as each call says.
};

/// What POST /api/v1/reels/analyze takes.
struct submission {
    std::string link;
    bool fresh = false;  ///< Analyse again, even where a result of today could be reused.
    /// 1-255 visible ASCII characters. None: one is made up for this submission.
    std::optional<std::string> idempotency_key;
};

/// Several links, submitted together.
struct submission_list {
    std::vector<std::string> links;  ///< 1 to links_max
    bool fresh = false;
    std::optional<std::string> idempotency_key;  ///< Of the list; none: one is made up.

    /// What a server takes at once.
    static constexpr std::size_t links_max = 50;
    /// Of all links together, as they are sent; a body may have 64 KiB.
    static constexpr std::size_t bytes_max = std::size_t{60} * 1024;
};

/// How a stream of events ended.
struct events_end {
    enum class reason : std::uint8_t {
        told_enough,   ///< The reader of the events wanted no more.
        broken,        ///< It may be taken up again.
        not_to_be_had  ///< The server refuses it or does not know it, or nothing has come of it.
    };
    reason how = reason::not_to_be_had;
    std::string last_event_id = {};                       ///< Where to take it up.
    std::optional<std::chrono::milliseconds> retry = {};  ///< After how long, by the server's wish.
};

/// Which reels of the caller's to list.
struct list_query {
    int limit = 20;                     ///< 1-100
    std::optional<std::string> status;  ///< pending, processing, done or error; none: all.
    std::optional<std::string> cursor;  ///< Where an earlier page ended; none: from the newest on.
};

/// One page of the list.
struct reel_page {
    api_answer reels;                        ///< An array.
    std::optional<std::string> next_cursor;  ///< None: this was the last page.
};

/// Days as YYYY-MM-DD, both included; none: without that bound.
struct usage_query {
    std::optional<std::string> from;
    std::optional<std::string> to;
};

/// The HTTP API as calls. Blocking; repeats what is worth repeating. Errors of all calls:
/// cancelled, what failure_of() says, connection_failed and timed_out; the detail is for the user.
class api_client {
public:
    /// `on_retry` is told in words why and when the next attempt comes.
    api_client(
        connection_settings connection, retry_policy policy,
        std::function<void(std::string_view)> on_retry);

    /// POST /api/v1/reels/analyze: an object. Always carries an Idempotency-Key, so that a repeat
    /// after a lost answer does not queue the reel twice.
    [[nodiscard]] result<api_answer> submit(
        const submission& wanted, const std::stop_token& stop) const;

    /// The same for several: an array in their order, each with `id` and `status` or with `error`.
    /// Nothing from a server that takes one at a time. While a limit is in the way of some, they
    /// are tried again as a refused request is.
    [[nodiscard]] result<std::optional<api_answer>> submit_all(
        const submission_list& wanted, const std::stop_token& stop) const;

    /// GET /api/v1/reels/{id}?wait=: the job, an object, at the latest after `wait` (0-60 s).
    [[nodiscard]] result<api_answer> job(
        std::int64_t id, std::chrono::seconds wait, const std::stop_token& stop) const;

    /// GET /api/v1/reels/{id}/events from `last_event_id` on (empty: from now on), until
    /// `on_event` returns false, the stream ends or `by` has passed. Tried once. Errors: cancelled
    /// alone; what else goes wrong can be asked for by other calls.
    [[nodiscard]] result<events_end> events(
        std::int64_t id, const std::string& last_event_id, deadline by,
        const std::function<bool(const server_event&)>& on_event,
        const std::stop_token& stop) const;

    /// GET /api/v1/reels.
    [[nodiscard]] result<reel_page> list(
        const list_query& wanted, const std::stop_token& stop) const;

    /// GET /api/v1/reels/search: an array, best first. `limit` 1-50; none: the server's own.
    [[nodiscard]] result<api_answer> search(
        std::string_view words, std::optional<int> limit, const std::stop_token& stop) const;

    /// GET /api/v1/reels/usage: an object.
    [[nodiscard]] result<api_answer> usage(
        const usage_query& wanted, const std::stop_token& stop) const;

    /// GET /api/v1/export: hands all lines to `sink`, piece by piece, and gives their number
    /// without the last one, which says that they are whole. Tried once: what was written cannot be
    /// taken back. Errors also: storage_failed when `sink` is false, connection_failed for a cut
    /// export.
    [[nodiscard]] result<std::int64_t> export_account(
        const std::function<bool(std::string_view)>& sink, const std::stop_token& stop) const;

    /// DELETE /api/v1/reels/{id}. A repeat that finds nothing, after a try whose answer was lost or
    /// a failure, counts as deleted: that try may have done it, and the reel is gone either way.
    [[nodiscard]] result<void> remove(std::int64_t id, const std::stop_token& stop) const;

private:
    void sign(net::http_request& request) const;
    /// What came of all attempts together.
    struct delivery {
        result<net::http_response> response;
        bool maybe_done_before = false;  ///< An earlier attempt may have taken effect.
    };
    [[nodiscard]] delivery send(
        net::http_request request, std::chrono::seconds answer_time_max,
        const std::stop_token& stop) const;
    /// For paths without an id; a server that does not know them is connection_failed.
    [[nodiscard]] result<net::http_response> get(
        const std::string& path, const std::stop_token& stop) const;

    connection_settings connection_;
    retry_policy policy_;
    std::function<void(std::string_view)> on_retry_;
    net::http_client http_;
};

/// Blocks for `duration`. False when `stop` was asked for meanwhile.
[[nodiscard]] bool pause(std::chrono::milliseconds duration, const std::stop_token& stop);

}  // namespace reelsd::cli
