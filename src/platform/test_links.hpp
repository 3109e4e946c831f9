#pragma once

#include <reelsd/platform/resolver.hpp>

#include <filesystem>

namespace reelsd::platform {

/// Answers the fixed links of the contract, section 7, from the spot.
class test_links_resolver : public resolver {
public:
    /// `sample_path`: the video behind "reelsd-sample".
    explicit test_links_resolver(std::filesystem::path sample_path);

    [[nodiscard]] std::string_view name() const noexcept override { return "test-links"; }

    /// `wanted.is_test()`. The sample's post, or the error that the link stands for:
    /// video_unavailable, platform_rate_limited, unsupported_format, video_too_long, model_refused,
    /// storage_failed. None of them is to be retried.
    [[nodiscard]] resolution resolve(
        const link& wanted, deadline by, std::stop_token stop) const override;

private:
    std::filesystem::path sample_path_;
};

}  // namespace reelsd::platform
