#include "uploaded_video.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/net/s3_store.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/work/analysis/kept_media.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <span>

namespace reelsd::work {
namespace {

/// Upper bound on one statement.
constexpr auto statement_time_max = std::chrono::seconds{5};
/// Storing one file. Less than jobs::object_write_time_max, so that no object is written after its
/// last deletion.
constexpr auto store_time_max = std::chrono::seconds{120};
static_assert(store_time_max < jobs::object_write_time_max);
/// One request to the media store for a part of a file.
constexpr auto read_time_max = std::chrono::seconds{30};
/// Pause between two tries while the database is unavailable.
constexpr auto retry_pause = std::chrono::seconds{1};
/// Bytes of such a part.
constexpr std::int64_t part_bytes = std::int64_t{4} * 1024 * 1024;

/// The post of a stored result: what an analysis uses.
platform::post post_in(const json& platform_meta) {
    platform::post post;
    post.code = text_or(platform_meta, "code", "");
    post.url = text_or(platform_meta, "url", "");
    post.caption = text_of(platform_meta, "caption");
    if (post.caption) post.hashtags = platform::hashtags_of(*post.caption);
    return post;
}

std::vector<std::string> objects_of(const jobs::frame_set& frames) {
    std::vector<std::string> objects;
    if (frames.object) objects.push_back(*frames.object);
    return objects;
}

std::vector<double> key_moments_of(const json& document) {
    std::vector<double> moments;
    for (const auto& moment : document.at("content").at("key_moments"))
        moments.push_back(moment.at("seconds").get<double>());
    return moments;
}

/// The analyzer's pictures if there is one of each moment, or newly made ones. No moments, no
/// pictures. Errors: those of media_client::stills().
result<jobs::frame_set> take_frames(
    const media::media_client& media, const std::vector<double>& moments,
    const std::vector<std::vector<std::byte>>& by_analyzer, const std::filesystem::path& video,
    deadline by, const std::stop_token& stop) {
    jobs::frame_set frames;
    const auto add = [&frames](const std::vector<std::byte>& jpeg) {
        frames.numbers.push_back(static_cast<std::int32_t>(frames.numbers.size()));
        frames.sizes.push_back(static_cast<std::int32_t>(jpeg.size()));
        frames.jpegs.insert(frames.jpegs.end(), jpeg.begin(), jpeg.end());
    };
    if (moments.empty()) return frames;
    if (by_analyzer.size() == moments.size()) {
        for (const auto& jpeg : by_analyzer) add(jpeg);
        return frames;
    }
    const auto stills = media.stills(video, moments, by, stop);
    if (!stills) return stills.error();
    for (const auto& jpeg : stills->jpegs) add(jpeg);
    return frames;
}

/// Sets the path of each picture as `frame` of its key moment, in a result of `job`. Removes
/// `frame` from moments without one.
void show_frames(json& document, job_id job, const jobs::frame_set& frames) {
    auto& moments = document.at("content").at("key_moments");
    for (auto& moment : moments) moment.erase("frame");
    for (const auto number : frames.numbers) {
        const auto index = static_cast<std::size_t>(number);
        if (index >= moments.size()) continue;
        moments[index]["frame"] = fmt::format("/api/v1/reels/{}/frames/{}", job.value, number);
    }
}

/// Whether a step failed because the attempt was stopped, or while it was being stopped.
bool is_cut_short(const error& why, const attempt_limits& within) {
    return why.code() == errc::cancelled || within.stop.stop_requested();
}

}  // namespace

template <class Statement>
auto kept_media::ask(const attempt_limits& within, const Statement& statement) const {
    const auto by = within.by.at_most(statement_time_max);
    return wait_for(parts_.loop, statement(by), by);
}

template <class Step>
auto kept_media::retried(const attempt_limits& within, const Step& step) const {
    for (;;) {
        auto outcome = step();
        if (outcome || outcome.error().code() != errc::database_unavailable ||
            within.by.remaining() < retry_pause || !stoppable_sleep(retry_pause, within.stop)) {
            return outcome;
        }
    }
}

template <class Value>
result<Value> kept_media::value_or_none(
    std::string_view step, const jobs::claimed_job& job, result<Value> outcome,
    const attempt_limits& within) const {
    if (outcome) return outcome;
    const auto& why = outcome.error();
    if (is_cut_short(why, within)) return error{errc::cancelled, why.detail()};
    parts_.log.warning(
        "keeping media failed",
        {{"job", job.id.value},
         {"step", step},
         {"code", name_of(why.code())},
         {"reason", why.detail()}});
    return Value{};
}

result<std::optional<jobs::reel_thumbnail>> kept_media::thumbnail(
    const jobs::claimed_job& job, std::optional<media::thumbnail_report> by_analyzer,
    const platform::media_file& video, const attempt_limits& within) const {
    auto taken = by_analyzer
                     ? result<media::thumbnail_report>{*std::move(by_analyzer)}
                     : parts_.media.thumbnail(
                           video.file, within.by.at_most(bounds::thumbnail_time_max), within.stop);
    if (taken) {
        return std::optional{jobs::reel_thumbnail{
            .jpeg = std::move(taken->jpeg), .small_jpeg = std::move(taken->small_jpeg)}};
    }
    const auto& why = taken.error();
    if (is_cut_short(why, within)) return error{errc::cancelled, why.detail()};
    parts_.log.warning(
        "thumbnail generation failed",
        {{"job", job.id.value}, {"code", name_of(why.code())}, {"reason", why.detail()}});
    return std::optional<jobs::reel_thumbnail>{};
}

result<stored_media> kept_media::store(
    const jobs::claimed_job& job, json& document, const std::vector<std::vector<std::byte>>& stills,
    const platform::media_file& video, const std::string& post_key,
    const attempt_limits& within) const {
    stored_media stored;
    if (parts_.frames) {
        auto frames = take_frames(
            parts_.media,
            key_moments_of(document),
            stills,
            video.file,
            within.by.at_most(bounds::frames_time_max),
            within.stop);
        frames = value_or_none("make frames", job, std::move(frames), within);
        if (frames) frames = stored_or_none(job, *std::move(frames), within);
        if (!frames) return frames.error();
        stored.frames = *std::move(frames);
    }
    show_frames(document, job.id, stored.frames);
    if (parts_.videos_bytes_max == 0) return stored;
    auto kept = store_video(job, video, post_key, objects_of(stored.frames), within);
    kept = value_or_none("store video", job, std::move(kept), within);
    if (!kept) return kept.error();
    stored.video = *std::move(kept);
    return stored;
}

result<stored_media> kept_media::copy(
    const jobs::claimed_job& job, json& document, job_id earlier, const std::string& post_key,
    const attempt_limits& within) const {
    stored_media stored;
    auto frames = value_or_none("read frames", job, frames_of(earlier, within), within);
    if (frames) frames = stored_or_none(job, *std::move(frames), within);
    if (!frames) return frames.error();
    stored.frames = *std::move(frames);
    show_frames(document, job.id, stored.frames);
    if (parts_.videos_bytes_max == 0) return stored;
    // A video of the post that was uploaded since may be another one.
    auto sha256 = text_or(document.at("metadata"), "sha256", "");
    auto video = copy_video(job, post_key, std::move(sha256), objects_of(stored.frames), within);
    video = value_or_none("store video", job, std::move(video), within);
    if (!video) return video.error();
    stored.video = *std::move(video);
    return stored;
}

result<std::optional<fetched>> kept_media::fetch(
    const jobs::claimed_job& job, const std::string& post_key, const attempt_limits& within) const {
    const auto kept = find(job, post_key, std::nullopt, within);
    if (!kept) return kept.error();
    if (!*kept) return std::optional<fetched>{};
    return value_or_none("read video", job, read(job, **kept, within), within);
}

result<std::optional<fetched>> kept_media::read(
    const jobs::claimed_job& job, const jobs::post_file& kept, const attempt_limits& within) const {
    auto folder = parts_.scratch.make_folder(job);
    if (!folder) return folder.error();
    auto file = write(kept.file, folder->path() / "video", within);
    if (!file) return file.error();
    auto meta = parse_foreign_json(kept.result)["platform_meta"];
    auto post = post_in(meta);
    return std::optional{
        fetched{std::move(post), *std::move(file), *std::move(folder), std::move(meta)}};
}

result<std::optional<jobs::post_file>> kept_media::find(
    const jobs::claimed_job& job, const std::string& post_key, std::optional<std::string> sha256,
    const attempt_limits& within) const {
    if (parts_.videos_bytes_max == 0 || post_key.empty()) return std::optional<jobs::post_file>{};
    auto kept = ask(within, [&](deadline by) {
        return parts_.store.find_video_of_post(job.account, post_key, std::move(sha256), by);
    });
    return value_or_none("find video", job, std::move(kept), within);
}

result<platform::media_file> kept_media::write(
    const jobs::kept_file& file, const std::filesystem::path& target,
    const attempt_limits& within) const {
    std::int64_t offset = 0;
    const auto next = [&]() -> result<std::vector<std::byte>> {
        if (within.stop.stop_requested()) return error{errc::cancelled, "the attempt was stopped"};
        const auto left = file.size_bytes - offset;
        if (left == 0) return std::vector<std::byte>{};
        const auto bytes = std::min(left, part_bytes);
        if (file.object && parts_.objects == nullptr)
            return error{errc::storage_failed, "the video is in another media store"};
        const auto by = within.by.at_most(file.object ? read_time_max : statement_time_max);
        auto part = file.object
                        ? parts_.objects->get(
                              *file.object,
                              static_cast<std::uint64_t>(offset),
                              static_cast<std::uint64_t>(bytes),
                              by,
                              within.stop)
                        : wait_for(parts_.loop, parts_.store.read(file.id, offset, bytes, by), by);
        if (!part) return part.error();
        if (part->empty()) return error{errc::storage_failed, "the kept video is gone"};
        offset += static_cast<std::int64_t>(part->size());
        return part;
    };
    auto written = platform::write_video(target, static_cast<std::uint64_t>(file.size_bytes), next);
    if (written && written->sha256 != file.sha256) {
        return error{errc::storage_failed, "the kept video differs from the analysed one"};
    }
    return written;
}

/// Moves the pictures to the media store, unless that is the database: the report stores them.
result<jobs::frame_set> kept_media::stored_or_none(
    const jobs::claimed_job& job, jobs::frame_set frames, const attempt_limits& within) const {
    auto stored = store_frames(job, std::move(frames), within);
    return value_or_none("store frames", job, std::move(stored), within);
}

result<jobs::frame_set> kept_media::store_frames(
    const jobs::claimed_job& job, jobs::frame_set frames, const attempt_limits& within) const {
    frames.object.reset();
    if (parts_.objects == nullptr || frames.numbers.empty()) return frames;
    const attempt_limits limits{within.by.at_most(store_time_max), within.stop};
    auto object = register_object(job, {}, limits);
    if (!object) return object.error();
    const auto octets = std::span{frames.jpegs};
    std::string text(octets.size(), '\0');
    std::ranges::transform(
        octets, text.begin(), [](std::byte octet) { return static_cast<char>(octet); });
    net::s3_content content{.sha256 = sha256_hex(text), .content_type = "image/jpeg"};
    content.body.add_text(std::move(text));
    const auto put = parts_.objects->put(*object, content, limits.by, limits.stop);
    if (!put) return put.error();
    frames.object = *std::move(object);
    frames.jpegs.clear();
    return frames;
}

/// The pictures of another job, with their bytes.
result<jobs::frame_set> kept_media::frames_of(job_id job, const attempt_limits& within) const {
    auto frames = ask(within, [&](deadline by) { return parts_.store.frames_of(job, by); });
    if (!frames || !frames->object) return frames;
    if (parts_.objects == nullptr)
        return error{errc::storage_failed, "the frames are in another media store"};
    std::int64_t bytes = 0;
    for (const auto size : frames->sizes) bytes += size;
    auto jpegs = parts_.objects->get(
        *frames->object,
        0,
        static_cast<std::uint64_t>(bytes),
        within.by.at_most(read_time_max),
        within.stop);
    if (!jpegs) return jpegs.error();
    frames->jpegs = *std::move(jpegs);
    return frames;
}

/// Stores the video; it is kept when the result is reported. An upload is in the database already.
result<std::optional<jobs::kept_video>> kept_media::store_video(
    const jobs::claimed_job& job, const platform::media_file& video, const std::string& post_key,
    const std::vector<std::string>& others, const attempt_limits& within) const {
    jobs::kept_video kept{
        .size_bytes = static_cast<std::int64_t>(video.size_bytes),
        .sha256 = video.sha256,
        .content_type = std::string{media::video_mime_type(video.file)},
        .post_key = post_key};
    // All others would be deleted in its favour, and then itself.
    if (kept.size_bytes > parts_.videos_bytes_max)
        return error{errc::storage_failed, "the video is larger than videos-kept-bytes-max"};
    const attempt_limits limits{within.by.at_most(store_time_max), within.stop};
    if (parts_.objects == nullptr) {
        if (job.is_upload) return std::optional{std::move(kept)};
        const auto written = retried(limits, [&] { return write_rows(job, video, limits); });
        if (!written) return written.error();
        return std::optional{std::move(kept)};
    }
    auto object = register_object(job, others, limits);
    if (!object) return object.error();
    net::s3_content content{.sha256 = video.sha256, .content_type = kept.content_type};
    content.body.add_file({.file = video.file, .offset = 0, .bytes = video.size_bytes});
    const auto put = parts_.objects->put(*object, content, limits.by, limits.stop);
    if (!put) return put.error();
    kept.object = *std::move(object);
    return std::optional{std::move(kept)};
}

result<void> kept_media::write_rows(
    const jobs::claimed_job& job, const platform::media_file& video,
    const attempt_limits& within) const {
    const auto size = static_cast<std::int64_t>(video.size_bytes);
    const auto file = ask(
        within, [&](deadline by) { return parts_.store.begin_file(job, size, video.sha256, by); });
    if (!file) return file.error();
    if (!*file) return error{errc::cancelled, "the claim has passed"};
    std::ifstream from{video.file, std::ios::binary};
    std::vector<char> row(jobs::upload_chunk_bytes);
    std::int32_t number = 0;
    for (auto left = video.size_bytes; left > 0;) {
        if (within.stop.stop_requested()) return error{errc::cancelled, "the attempt was stopped"};
        // For each row, because other workers write, too.
        const auto has_space = parts_.check_space ? parts_.check_space(left) : result<void>{};
        if (!has_space) return error{errc::storage_failed, has_space.error().detail()};
        const auto bytes = std::min<std::uint64_t>(left, row.size());
        if (!from.read(row.data(), static_cast<std::streamsize>(bytes)))
            return error{errc::storage_failed, "reading the video again"};
        const auto octets = std::as_bytes(std::span{row}.first(static_cast<std::size_t>(bytes)));
        const auto added = ask(within, [&](deadline by) {
            return parts_.uploads.add_chunk(**file, number++, octets, by);
        });
        if (!added) return added.error();
        left -= bytes;
    }
    return {};
}

result<std::string> kept_media::register_object(
    const jobs::claimed_job& job, const std::vector<std::string>& others,
    const attempt_limits& within) const {
    auto object = retried(within, [&] {
        return ask(within, [&](deadline by) {
            return parts_.store.register_object(job, parts_.objects->name(), others, by);
        });
    });
    if (!object) return object.error();
    if (!*object) return error{errc::cancelled, "the claim has passed"};
    return **std::move(object);
}

/// Empty if the earlier video is not kept.
result<std::optional<jobs::kept_video>> kept_media::copy_video(
    const jobs::claimed_job& job, const std::string& post_key, std::string sha256,
    const std::vector<std::string>& others, const attempt_limits& within) const {
    std::optional<jobs::post_file> kept;
    if (!job.is_upload) {
        auto found = find(job, post_key, std::move(sha256), within);
        if (!found) return found.error();
        if (!*found) return std::optional<jobs::kept_video>{};
        kept = *std::move(found);
    }
    auto folder = parts_.scratch.make_folder(job);
    if (!folder) return folder.error();
    const auto target = folder->path() / "video";
    auto file = result<platform::media_file>{platform::media_file{}};
    if (kept) {
        file = write(kept->file, target, within);
    } else {
        const auto upload = find_upload(parts_.loop, parts_.uploads, job, within.by);
        if (!upload) return upload.error();
        file = write_upload(parts_.loop, parts_.uploads, *upload, target, within.by, within.stop);
    }
    if (!file) return file.error();
    return store_video(job, *file, post_key, others, within);
}

std::string post_key_of(const platform::link& link) {
    if (link.is_test()) return {};
    const std::string code{platform::public_code(link.code)};
    return link.img_index ? fmt::format("{}#{}", code, *link.img_index) : code;
}

std::string media_key_of(const jobs::claimed_job& job, const std::string& post_key) {
    if (!job.is_upload) return post_key;
    const auto link = platform::parse_link(job.url);
    return link && link->kind == platform::link_kind::post ? post_key_of(*link) : std::string{};
}

}  // namespace reelsd::work
