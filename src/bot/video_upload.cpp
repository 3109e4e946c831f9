#include "message_templates.hpp"
#include "update_handler.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>

#include <boost/asio/post.hpp>
#include <boost/core/noncopyable.hpp>

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

/// All calls of getFile for a file, with the pauses between them.
constexpr auto get_file_time_max = 20s;
constexpr int get_file_calls_max = 3;
constexpr std::chrono::seconds get_file_pause = 1s;
/// Other updates wait for the download. 20 MB require at least 350 kB/s.
constexpr auto download_time_max = 60s;
constexpr std::size_t piece_bytes_max = std::size_t{512} * 1024;
/// The same as for a chunk of upload_writer.
constexpr auto piece_time_max = 10s;
/// Digits of the digest that identify a submission's file.
constexpr std::size_t hash_digits = 32;

/// Largest file that the Bot API lets a bot download: 20 MB.
constexpr std::uint64_t download_bytes_max = std::uint64_t{20} * 1024 * 1024;

/// An upload in progress. Coroutines on the loop share it, because the bot's thread may give up
/// before they end.
struct stored_file : boost::noncopyable {
    stored_file(
        asio::any_io_executor executor, jobs::upload_store& uploads, upload_id number,
        std::uint64_t bytes_max)
        : loop{std::move(executor)},
          store{uploads},
          id{number},
          writer{uploads, number, bytes_max} {}
    /// The sweeper then removes it unless a job has it.
    ~stored_file() {
        asio::post(loop, [&uploads = store, number = id] { uploads.release(number); });
    }

    asio::any_io_executor loop;
    jobs::upload_store& store;
    upload_id id;
    jobs::upload_writer writer;
};

struct begun_file {
    jobs::begun_upload decision;
    std::shared_ptr<stored_file> file;
};

awaitable<begun_file> begin(
    asio::any_io_executor loop, jobs::upload_store& store, account_id account,
    jobs::submission expected, jobs::default_limits limits, std::uint64_t bytes_max) {
    begun_file begun;
    begun.decision = co_await store.begin(account, expected, limits, soon());
    if (begun.decision.id) {
        begun.file = std::make_shared<stored_file>(loop, store, *begun.decision.id, bytes_max);
    }
    co_return begun;
}

awaitable<bool> add(std::shared_ptr<stored_file> file, std::string bytes) {
    co_return co_await file->writer.add(bytes);
}

/// Empty if the upload or a part of it is gone.
awaitable<std::optional<jobs::uploaded_video>> complete(
    std::shared_ptr<stored_file> file, std::optional<std::string> caption) {
    auto video = co_await file->writer.finish();
    video.caption = std::move(caption);
    const bool is_described = co_await file->store.describe(video, soon());
    if (!is_described) co_return std::nullopt;
    co_return video;
}

awaitable<void> discard(std::shared_ptr<stored_file> file) {
    co_await file->store.discard(file->id, soon());
}

class video_upload : bot_part {
public:
    video_upload(bot_dependencies& dependencies, const bot_api& api, const std::stop_token& stop)
        : bot_part{dependencies, api}, stop_{stop} {}

    result<video_outcome> submit(const video_submission& video);

private:
    result<video_outcome> receive_and_submit(
        const video_submission& video, const std::shared_ptr<stored_file>& file);
    result<jobs::submission_result> submit_or_retry(
        const video_submission& video, jobs::submission described);
    /// Empty if the whole file is stored, else the answer to the chat.
    result<std::optional<rich_text>> download(
        const video_submission& video, const std::shared_ptr<stored_file>& file);
    /// Calls getFile, and repeats it after a temporary failure.
    [[nodiscard]] api_answer describe(const incoming_video& file) const;
    /// Errors: storage_failed.
    [[nodiscard]] result<void> check_space(std::uint64_t bytes) const;
    [[nodiscard]] rich_text no_space(const error& why) const;
    [[nodiscard]] std::uint64_t bytes_max() const;
    [[nodiscard]] rich_text too_large() const;

    const std::stop_token& stop_;
};

result<video_outcome> video_upload::submit(const video_submission& video) {
    const auto reported = static_cast<std::uint64_t>(video.file.size_bytes);
    if (reported > bytes_max()) return video_outcome{.refusal = too_large()};
    const auto has_space = check_space(reported == 0 ? bytes_max() : reported);
    if (!has_space) return video_outcome{.refusal = no_space(has_space.error())};
    jobs::submission expected{
        .url = {},
        .costs_money = dependencies_.analyzers().cost_money,
        .queue = true,
        .idempotency_key = video.idempotency_key};
    auto begun = query(begin(
        dependencies_.loop,
        dependencies_.uploads,
        video.account,
        std::move(expected),
        dependencies_.limits,
        bytes_max()));
    if (!begun) return begun.error();
    if (!begun->file) {
        return video_outcome{
            .refusal = templates::refused_video(jobs::refusal_text(begun->decision.refusal))};
    }
    auto submitted = receive_and_submit(video, begun->file);
    // No effect once a job has the file. If this fails, the sweeper discards it.
    static_cast<void>(query(discard(begun->file)));
    return submitted;
}

result<video_outcome> video_upload::receive_and_submit(
    const video_submission& video, const std::shared_ptr<stored_file>& file) {
    const auto refusal = download(video, file);
    if (!refusal) return refusal.error();
    if (*refusal) return video_outcome{.refusal = **refusal};
    const auto stored = query(complete(file, video.caption), deadline::after(piece_time_max));
    if (!stored) return stored.error();
    if (!*stored) return error{errc::database_unavailable, "the database has lost the upload"};
    jobs::submission described{
        .url = video.url.value_or(
            fmt::format("{}{}", jobs::upload_scheme, jobs::file_label(video.file.name))),
        .costs_money = dependencies_.analyzers().cost_money,
        .queue = true,
        .idempotency_key = video.idempotency_key,
        .list =
            jobs::list_element{
                .request_hash = (*stored)->sha256.substr(0, hash_digits), .position = 0},
        .upload = (*stored)->id};
    const auto decision = submit_or_retry(video, std::move(described));
    if (!decision) return decision.error();
    using decided = jobs::submission_result::outcome;
    if (decision->decided == decided::accepted)
        asio::post(dependencies_.loop, dependencies_.job_accepted);
    if (decision->decided == decided::accepted || decision->decided == decided::repeated) {
        return video_outcome{.job = decision->job};
    }
    const auto why = decision->decided == decided::key_of_another_link
                         ? "the message contained another video when it arrived"
                         : jobs::refusal_text(*decision);
    return video_outcome{.refusal = templates::refused_video(why)};
}

result<jobs::submission_result> video_upload::submit_or_retry(
    const video_submission& video, jobs::submission described) {
    auto decision =
        query(dependencies_.submission_batcher.submit(video.account, described, soon()));
    using decided = jobs::submission_result::outcome;
    const bool is_repeated = decision && decision->decided == decided::repeated;
    if (!is_repeated || !video.retry_key) return decision;
    const auto known = query(dependencies_.jobs.find(video.account, decision->job, soon()));
    if (!known) return known.error();
    if (!*known || (*known)->status != jobs::job_status::error) return decision;
    described.idempotency_key = video.retry_key;
    return query(
        dependencies_.submission_batcher.submit(video.account, std::move(described), soon()));
}

result<std::optional<rich_text>> video_upload::download(
    const video_submission& video, const std::shared_ptr<stored_file>& file) {
    using answer = std::optional<rich_text>;
    const auto failed = [this](std::string_view reason) -> result<answer> {
        if (stop_.stop_requested()) return error{errc::cancelled};
        dependencies_.log.warning("chat: video download failed", {{"reason", std::string{reason}}});
        return answer{rich_text{plain(templates::video_download_failed)}};
    };
    const auto described = describe(video.file);
    if (described.what != outcome::done) {
        const auto reason = ascii_lower(described.description);
        if (contains(reason, "file is too big")) return answer{too_large()};
        return failed(described.description);
    }
    const auto path = text_of(described.value, "file_path");
    if (!path) return failed("getFile returned no path");

    std::string piece;
    std::optional<error> store_failure;
    bool is_too_large = false;
    bool is_empty = true;
    const auto flush = [&]() -> result<void> {
        if (piece.empty()) return {};
        is_empty = false;
        if (const auto has_space = check_space(piece.size()); !has_space) {
            store_failure = has_space.error();
            return error{errc::cancelled};
        }
        auto bytes = std::exchange(piece, std::string{});
        const auto added = query(add(file, std::move(bytes)), deadline::after(piece_time_max));
        if (!added) store_failure = added.error();
        is_too_large = added && !*added;
        if (store_failure || is_too_large) return error{errc::cancelled};
        return {};
    };
    const auto sink = [&](std::span<const std::byte> bytes) -> result<void> {
        piece.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return piece.size() < piece_bytes_max ? result<void>{} : flush();
    };
    // One byte more than the limit, so that the writer decides.
    auto received =
        api_.download(*path, bytes_max() + 1, sink, deadline::after(download_time_max), stop_);
    if (received) received = flush();
    // Repeated, the download would block all chats until the disk has space.
    if (store_failure && store_failure->code() == errc::storage_failed) {
        return answer{no_space(*store_failure)};
    }
    if (store_failure) return *store_failure;
    is_too_large = is_too_large || (!received && received.error().code() == errc::video_too_large);
    if (is_too_large) return answer{too_large()};
    if (!received) return failed(received.error().to_string());
    if (is_empty) return failed("the file is empty");
    return answer{};
}

api_answer video_upload::describe(const incoming_video& file) const {
    const auto by = deadline::after(get_file_time_max);
    for (int calls = 1;; ++calls) {
        auto answer = api_.call("getFile", {{"file_id", file.file}}, by, stop_);
        const bool is_limited = answer.what == outcome::rate_limited;
        if (!is_limited && answer.what != outcome::unreachable) return answer;
        const auto pause = is_limited ? answer.retry_after : get_file_pause;
        if (calls == get_file_calls_max || by.remaining() <= pause) return answer;
        if (!stoppable_sleep(pause, stop_)) return answer;
    }
}

result<void> video_upload::check_space(std::uint64_t bytes) const {
    if (!dependencies_.check_space) return {};
    const auto checked = dependencies_.check_space(bytes);
    if (checked) return {};
    return error{errc::storage_failed, checked.error().detail()};
}

rich_text video_upload::no_space(const error& why) const {
    dependencies_.log.warning("chat: video download failed", {{"reason", why.to_string()}});
    return rich_text{plain(templates::video_space_missing)};
}

std::uint64_t video_upload::bytes_max() const {
    return std::min(download_bytes_max, dependencies_.video_bytes_max);
}

rich_text video_upload::too_large() const {
    return templates::video_too_large(
        bytes_max(), bytes_max() < dependencies_.video_bytes_max, dependencies_.origin());
}

}  // namespace

result<video_outcome> submit_video(
    bot_dependencies& dependencies, const bot_api& api, const video_submission& video,
    const std::stop_token& stop) {
    return video_upload{dependencies, api, stop}.submit(video);
}

}  // namespace reelsd::bot
