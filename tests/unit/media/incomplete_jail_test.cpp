// Goal: without the system-call filter no command reads a video, unless the operator allows it.
// Method: the real media program under a filter of the test, which makes the system calls of a
// layer fail as on an older kernel.
#include "video_maker.hpp"
#include <reelsd/media/media_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

deadline far_away() {
    return deadline::after(120s);
}

class IncompleteJail : public ::testing::Test {
protected:
    /// The media program on a kernel without `features`; see without_features.cpp.
    media_options without(const std::string& features, jail_policy policy) {
        const auto helper = maker_.write("helper", "");
        std::ofstream{helper} << "#!/bin/sh\nexec " WITHOUT_FEATURES " " << features
                              << " " MEDIA_HELPER " \"$@\"\n";
        chmod(helper.c_str(), 0700);
        return {.helper = helper, .jail = policy};
    }

    std::filesystem::path video() {
        return maker_.make(
            "video.mp4",
            "-f lavfi -i testsrc=s=180x320:r=15:d=1 -f lavfi -i sine=d=1 -c:v libx264 -preset "
            "ultrafast -pix_fmt yuv420p -c:a aac -shortest");
    }

    std::filesystem::path target() { return maker_.write("target", ""); }

    video_maker maker_;
};

template <class Result>
void expect_refused(const Result& report, const char* command) {
    SCOPED_TRACE(command);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), errc::conflict) << report.error().to_string();
    EXPECT_THAT(
        report.error().detail(),
        AllOf(
            HasSubstr("no system-call filter (jail = require)"), HasSubstr("system call filter:")));
}

TEST_F(IncompleteJail, DoesNotDecodeWithoutTheFilter) {
    const media_client client{without("seccomp", jail_policy::require)};
    const auto file = video();
    expect_refused(client.probe(file, far_away(), {}), "probe");
    expect_refused(client.analyze(file, far_away(), {}), "analyze");
    expect_refused(client.thumbnail(file, far_away(), {}), "thumbnail");
    expect_refused(client.join(file, file, target(), far_away(), {}), "join");
    expect_refused(client.frames(file, target(), {}, far_away(), {}), "frames");
    expect_refused(client.sound(file, target(), far_away(), {}), "sound");
    expect_refused(client.check(file, {0.5}, far_away(), {}), "check");
    expect_refused(client.transcode(file, target(), far_away(), {}), "transcode");
}

TEST_F(IncompleteJail, DecodesWithoutTheFilterIfAllowed) {
    const media_client client{without("seccomp", jail_policy::best_effort)};
    const auto report = client.probe(video(), far_away(), {});
    EXPECT_TRUE(report) << report.error().to_string();
}

TEST_F(IncompleteJail, WithoutTheFilterOnlyRootMayNotDecode) {
    const media_client client{without("seccomp,setuid", jail_policy::best_effort)};
    const auto report = client.probe(video(), far_away(), {});
    ASSERT_EQ(report.has_value(), geteuid() != 0);
    if (report) return;
    EXPECT_EQ(report.error().code(), errc::conflict);
    EXPECT_THAT(report.error().detail(), HasSubstr("root without a system-call filter"));
}

TEST_F(IncompleteJail, DecodesWithoutTheLayersBelowTheFilter) {
    const media_client client{without("landlock,namespaces", jail_policy::require)};
    const auto report = client.probe(video(), far_away(), {});
    EXPECT_TRUE(report) << report.error().to_string();
}

TEST_F(IncompleteJail, ReportsActiveLayers) {
    struct test_case {
        const char* features;
        const char* missing;
        bool refuses;
        bool is_weak;
    };
    constexpr test_case cases[] = {
        {"none", "", false, false},
        {"namespaces", "own_namespaces", false, false},
        {"landlock", "landlock", false, false},
        {"landlock,namespaces", "landlock, own_namespaces", false, true},
        {"seccomp", "system_call_filter", true, true},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.features);
        const media_client client{without(expected.features, jail_policy::require)};
        const auto report = client.examine_jail(far_away(), {});
        ASSERT_TRUE(report) << report.error().to_string();
        EXPECT_EQ(report->layers_missing(), expected.missing);
        EXPECT_EQ(!report->refusal.empty(), expected.refuses) << report->refusal;
        EXPECT_EQ(report->is_weak(), expected.is_weak);
        EXPECT_THAT(report->possible, IsEmpty());
    }
}

// The limit of descriptors prevents opening anything; these actions need none.
TEST_F(IncompleteJail, ReportsWhatADecoderCouldDo) {
    const media_client client{without("seccomp,landlock,namespaces", jail_policy::best_effort)};
    const auto report = client.examine_jail(far_away(), {});
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_THAT(report->possible, Contains("make folders"));
    EXPECT_THAT(report->possible, Contains("remove files"));
}

}  // namespace
}  // namespace reelsd::media
