#include "test_links.hpp"

#include <reelsd/base/invariant.hpp>

#include <array>

namespace reelsd::platform {
namespace {

struct fixed_failure {
    std::string_view code;
    errc why;
};

constexpr std::array<fixed_failure, 6> failures{{
    {"reelsd-unavailable", errc::video_unavailable},
    {"reelsd-rate-limited", errc::platform_rate_limited},
    {"reelsd-unsupported", errc::unsupported_format},
    {"reelsd-too-long", errc::video_too_long},
    {"reelsd-model-failed", errc::model_refused},
    {"reelsd-storage-error", errc::storage_failed},
}};

post sample_post(const link& wanted, const std::filesystem::path& file) {
    post sample;
    sample.code = wanted.code;
    sample.url = wanted.canonical_url();
    sample.author = "reelsd";
    sample.author_name = "reelsd sample";
    sample.author_verified = false;
    sample.caption = "A sample reel with speech, music and text on screen. #sample #reelsd @reelsd";
    sample.hashtags = hashtags_of(*sample.caption);
    sample.mentions = mentions_of(*sample.caption);
    sample.like_count = 42;
    sample.comment_count = 7;
    // 2026-01-01T00:00:00Z.
    sample.posted_at = time_point{std::chrono::seconds{1'767'225'600}};
    sample.media = local_media{.file = file};
    return sample;
}

}  // namespace

test_links_resolver::test_links_resolver(std::filesystem::path sample_path)
    : sample_path_{std::move(sample_path)} {}

resolution test_links_resolver::resolve(
    const link& wanted, deadline /*by*/, std::stop_token stop) const {
    invariant(wanted.is_test());
    if (stop.stop_requested()) return error{errc::cancelled};
    for (const auto& failure : failures) {
        if (wanted.code == failure.code) return error{failure.why, "test link"};
    }
    return sample_post(wanted, sample_path_);
}

}  // namespace reelsd::platform
