#include "uploaded_video.hpp"

#include <reelsd/base/file_digest.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/platform/link.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::work {
namespace {

/// Upper bound on one statement.
constexpr auto upload_query_time_max = std::chrono::seconds{5};
constexpr std::size_t code_digits = 12;

/// The public code of the post that a job's link names; empty without a link to a post.
std::string post_code_of(const jobs::claimed_job& job) {
    const auto link = platform::parse_link(job.url);
    if (!link || link->kind != platform::link_kind::post) return {};
    return std::string{platform::public_code(link->code)};
}

std::string post_url_of(const jobs::claimed_job& job) {
    const auto code = post_code_of(job);
    return code.empty() ? job.url : platform::post_link(code).canonical_url();
}

}  // namespace

result<jobs::uploaded_video> find_upload(
    const boost::asio::any_io_executor& loop, jobs::upload_store& store,
    const jobs::claimed_job& job, deadline by) {
    const auto find_by = by.at_most(upload_query_time_max);
    auto video = wait_for(loop, store.find(job.id, find_by), find_by);
    if (!video) return video.error();
    if (!*video) return error{errc::storage_failed, "the uploaded file no longer exists"};
    return **std::move(video);
}

result<platform::media_file> write_upload(
    const boost::asio::any_io_executor& loop, jobs::upload_store& store,
    const jobs::uploaded_video& video, const std::filesystem::path& target, deadline by,
    const std::stop_token& stop) {
    std::int32_t number = 0;
    const auto next = [&]() -> result<std::vector<std::byte>> {
        if (stop.stop_requested()) return error{errc::cancelled, "the attempt was stopped"};
        const auto chunk_by = by.at_most(upload_query_time_max);
        auto chunk = wait_for(loop, store.chunk(video.id, number++, chunk_by), chunk_by);
        if (!chunk) return chunk.error();
        return std::move(*chunk).value_or(std::vector<std::byte>{});
    };
    auto file = platform::write_video(target, static_cast<std::uint64_t>(video.size_bytes), next);
    if (file && file->sha256 != video.sha256) {
        return error{errc::storage_failed, "the stored file differs from the uploaded one"};
    }
    return file;
}

platform::post post_of(const jobs::claimed_job& job, const jobs::uploaded_video& video) {
    platform::post post;
    post.code = post_code_of(job);
    post.url = post_url_of(job);
    if (post.code.empty())
        post.code = fmt::format("upload-{}", std::string_view{video.sha256}.substr(0, code_digits));
    post.author = video.author.value_or("");
    post.caption = video.caption;
    if (post.caption) {
        post.hashtags = platform::hashtags_of(*post.caption);
        post.mentions = platform::mentions_of(*post.caption);
    }
    return post;
}

void set_origin(json& platform_meta, const jobs::claimed_job& job) {
    const bool has_link = !job.url.starts_with(jobs::upload_scheme);
    platform_meta["platform"] = has_link ? "instagram" : "upload";
    platform_meta["url"] = post_url_of(job);
}

std::string upload_key_of(const jobs::uploaded_video& video, const platform::post& post) {
    file_digest digest;
    for (const auto& text : {video.sha256, post.code, post.author, post.caption.value_or("")}) {
        digest.add(text);
        digest.add(std::string_view{"\0", 1});
    }
    return fmt::format("upload:{}", digest.hex());
}

}  // namespace reelsd::work
