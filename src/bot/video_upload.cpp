#include "video_upload.hpp"

#include "bot_state.hpp"
#include "message_templates.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/domain/loop_call.hpp>

#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using outcome = api_answer::outcome;

constexpr auto get_file_time_max = 20s;
/// Other updates wait for the download: 20 MB at less than 350 kB/s are refused.
constexpr auto download_time_max = 60s;
/// Bytes that one call of the loop takes.
constexpr std::size_t piece_bytes_max = std::size_t{512} * 1024;
/// As upload_writer allows for a chunk.
constexpr auto piece_time_max = 10s;
/// Digits of the digest that identify a submission's file.
constexpr std::size_t hash_digits = 32;

}  // namespace

/// An upload that was begun. What the loop works with is kept by the coroutine that works with it,
/// because this thread may give up first.
struct stored_file {
    stored_file(
        asio::any_io_executor executor, jobs::upload_store& uploads, upload_id number,
        std::uint64_t bytes_max)
        : loop{std::move(executor)},
          store{uploads},
          id{number},
          writer{uploads, number, bytes_max} {}
    /// Without a job, the sweeper then removes it.
    ~stored_file() {
        asio::post(loop, [&uploads = store, number = id] { uploads.release(number); });
    }
    stored_file(const stored_file&) = delete;
    stored_file& operator=(const stored_file&) = delete;

    asio::any_io_executor loop;
    jobs::upload_store& store;
    upload_id id;
    jobs::upload_writer writer;
};

namespace {

struct begun_file {
    jobs::begun_upload decision;
    std::shared_ptr<stored_file> file;
};

asio::awaitable<begun_file> begin(
    asio::any_io_executor loop, jobs::upload_store& store, account_id account,
    jobs::submission expected, jobs::default_limits limits, std::uint64_t bytes_max) {
    begun_file begun;
    begun.decision = co_await store.begin(account, expected, limits, soon());
    if (begun.decision.id) {
        begun.file = std::make_shared<stored_file>(loop, store, *begun.decision.id, bytes_max);
    }
    co_return begun;
}

asio::awaitable<bool> add(std::shared_ptr<stored_file> file, std::string bytes) {
    co_return co_await file->writer.add(bytes);
}

/// Nothing when the upload is gone.
asio::awaitable<std::optional<jobs::uploaded_video>> complete(
    std::shared_ptr<stored_file> file, std::optional<std::string> caption) {
    auto video = co_await file->writer.finish();
    video.caption = std::move(caption);
    const bool is_described = co_await file->store.describe(video, soon());
    if (!is_described) co_return std::nullopt;
    co_return video;
}

asio::awaitable<void> discard(std::shared_ptr<stored_file> file) {
    co_await file->store.discard(file->id, soon());
}

}  // namespace

result<video_outcome> video_upload::submit(const video_submission& wanted) {
    if (static_cast<std::uint64_t>(wanted.file.size_bytes) > bytes_max()) {
        return video_outcome{.refusal = too_large()};
    }
    jobs::submission expected{
        .url = {},
        .costs_money = parts_.analysis_costs_money,
        .queue = true,
        .idempotency_key = wanted.idempotency_key};
    auto begun = wait_for(
        parts_.loop,
        begin(
            parts_.loop,
            parts_.uploads,
            wanted.account,
            std::move(expected),
            parts_.limits,
            bytes_max()),
        soon());
    if (!begun) return begun.error();
    if (!begun->file) {
        return video_outcome{
            .refusal = wording::refused_video(jobs::refusal_text(begun->decision.refusal))};
    }
    auto made = receive_and_submit(wanted, begun->file);
    // Changes nothing once a job has the file; else the sweeper does it if this fails.
    static_cast<void>(wait_for(parts_.loop, discard(begun->file), soon()));
    return made;
}

result<video_outcome> video_upload::receive_and_submit(
    const video_submission& wanted, const std::shared_ptr<stored_file>& file) {
    const auto refused = download(wanted, file);
    if (!refused) return refused.error();
    if (*refused) return video_outcome{.refusal = **refused};
    const auto video =
        wait_for(parts_.loop, complete(file, wanted.caption), deadline::after(piece_time_max));
    if (!video) return video.error();
    if (!*video) return error{errc::storage_failed, "the upload was removed"};
    jobs::submission described{
        .url = wanted.url.value_or(
            fmt::format("{}{}", jobs::upload_scheme, jobs::file_label(wanted.file.name))),
        .costs_money = parts_.analysis_costs_money,
        .queue = true,
        .idempotency_key = wanted.idempotency_key,
        .list =
            jobs::list_element{
                .request_hash = (*video)->sha256.substr(0, hash_digits), .position = 0},
        .upload = (*video)->id};
    const auto decision = wait_for(
        parts_.loop,
        parts_.submission_batcher.submit(wanted.account, std::move(described), soon()),
        soon());
    if (!decision) return decision.error();
    using decided = jobs::submission_result::outcome;
    if (decision->decided == decided::accepted) asio::post(parts_.loop, parts_.job_accepted);
    if (decision->decided == decided::accepted || decision->decided == decided::repeated) {
        return video_outcome{.job = decision->job};
    }
    const auto why = decision->decided == decided::key_of_another_link
                         ? "the message had another video before"
                         : jobs::refusal_text(*decision);
    return video_outcome{.refusal = wording::refused_video(why)};
}

result<std::optional<rich_text>> video_upload::download(
    const video_submission& wanted, const std::shared_ptr<stored_file>& file) {
    using answer = std::optional<rich_text>;
    const auto failed = [this](std::string_view reason) -> result<answer> {
        if (stop_.stop_requested()) return error{errc::cancelled};
        parts_.log.warning("chat: video download failed", {{"reason", std::string{reason}}});
        return answer{wording::video_download_failed()};
    };
    const auto found = api_.call(
        "getFile", {{"file_id", wanted.file.file}}, deadline::after(get_file_time_max), stop_);
    if (found.what != outcome::done) {
        if (contains(ascii_lower(found.description), "file is too big")) return answer{too_large()};
        return failed(found.description);
    }
    const auto path = found.value.is_object() ? found.value.find("file_path") : found.value.end();
    if (path == found.value.end() || !path->is_string()) return failed("getFile names no path");

    std::string piece;
    std::optional<error> store_failure;
    bool is_too_large = false;
    bool is_empty = true;
    const auto flush = [&]() -> result<void> {
        if (piece.empty()) return {};
        is_empty = false;
        const auto added = wait_for(
            parts_.loop,
            add(file, std::exchange(piece, std::string{})),
            deadline::after(piece_time_max));
        if (!added) store_failure = added.error();
        is_too_large = added && !*added;
        if (store_failure || is_too_large) return error{errc::cancelled};
        return {};
    };
    const auto sink = [&](std::span<const std::byte> bytes) -> result<void> {
        piece.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return piece.size() < piece_bytes_max ? result<void>{} : flush();
    };
    // A byte more than fits, so that the writer decides.
    auto received = api_.download(
        path->get<std::string>(), bytes_max() + 1, sink, deadline::after(download_time_max), stop_);
    if (received) received = flush();
    if (store_failure) return *store_failure;
    is_too_large = is_too_large || (!received && received.error().code() == errc::video_too_large);
    if (is_too_large) return answer{too_large()};
    if (!received) return failed(received.error().to_string());
    if (is_empty) return failed("the file is empty");
    return answer{};
}

std::uint64_t video_upload::bytes_max() const {
    return std::min(download_bytes_max, parts_.video_bytes_max);
}

rich_text video_upload::too_large() const {
    return wording::video_too_large(
        bytes_max(), bytes_max() < parts_.video_bytes_max, parts_.origin());
}

}  // namespace reelsd::bot
