#pragma once

#include "child_document.hpp"
#include "video_maker.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>
#include <reelsd/process/child_run.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace reelsd::media {

/// The error of a probe; empty for none.
using outcome = std::optional<errc>;
inline constexpr outcome fine = std::nullopt;
inline constexpr outcome unsupported = errc::unsupported_format;
inline constexpr outcome too_long = errc::video_too_long;

/// The real helper in its real jail, and a folder for hostile files.
class HostileVideos : public ::testing::Test {
protected:
    static void SetUpTestSuite() { maker_ = std::make_unique<video_maker>(); }
    static void TearDownTestSuite() { maker_.reset(); }
    static video_maker& maker() { return *maker_; }

    /// One second of pictures and sound, 11 KB.
    static std::string good() {
        return bytes_of(maker().make(
            "good.mp4",
            "-f lavfi -i color=c=navy:s=120x214:r=15:d=1 -f lavfi -i sine=f=440:d=1 -c:v libx264 "
            "-preset ultrafast -pix_fmt yuv420p -c:a aac"));
    }

    static process::child_end run(
        const std::string& command, const std::string& bytes, double seconds_max = 90) {
        const auto file = maker().write("hostile.mp4", bytes);
        return process::run_child(
            {.program = MEDIA_HELPER,
             .arguments =
                 {command, "--video", file.string(), "--seconds-max", std::to_string(seconds_max)},
             .environment = {"MALLOC_ARENA_MAX=2"}},
            deadline::after(std::chrono::minutes{2}),
            {});
    }

    /// Runs a probe, the first command on each video.
    static void expect(const std::string& bytes, const ::testing::Matcher<outcome>& expected) {
        const auto end = run("probe", bytes);
        ASSERT_EQ(end.outcome, process::child_outcome::exited) << "killed by signal " << end.status;
        ASSERT_EQ(end.status, 0) << end.error_output;
        const auto document = document_of(end);
        const auto actual = document ? fine : outcome{document.error().code()};
        EXPECT_THAT(actual, expected) << end.output;
        if (document) {
            EXPECT_TRUE(probe_report_from_json(*document)) << end.output;
        }
    }

private:
    static inline std::unique_ptr<video_maker> maker_;
};

}  // namespace reelsd::media
