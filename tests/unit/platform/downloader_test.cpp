// Goal: a video is stored complete and hashed, or not at all, whatever the media server does.
// Method: the platform's stand-in, one behaviour per row; signed URLs come from its own pages.
#include "stand_in.hpp"
#include <reelsd/platform/source.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace reelsd::platform {
namespace {

using test::patience;
using test::scratch_folder;
using test::stand_in;

using test::code;
// The stand-in's default file: a head of 12 bytes and 64 KiB.
constexpr std::uint64_t video_size = 12 + 65536;
constexpr const char* video_sha256 =
    "3145378f8022bf0fe4c8b0ee37cba59e91587c521d2f7cde5099c6a64cf74017";

class Downloader : public ::testing::Test {
protected:
    std::unique_ptr<source> make_source(source_settings settings = {}) {
        settings.platform_url = stand_in::shared().origin();
        settings.allow_private_addresses = !keeps_guard_;
        if (!keeps_guard_) settings.media_hosts = {"127.0.0.1"};
        return source::create(std::move(settings), log::logger::silent()).value();
    }

    result<download_outcome> download(const source& from, std::stop_token stop = {}) {
        const auto resolved = from.resolve(post_link(code), pace_, patience(), {});
        if (!resolved) return unresolved{resolved.error()}.why;
        return from.download(*resolved, target_, patience(), std::move(stop));
    }

    no_rate_limit pace_;
    scratch_folder scratch_;
    std::filesystem::path target_ = scratch_.path() / "video.mp4";
    bool keeps_guard_ = false;
};

void expect_whole(const result<download_outcome>& got) {
    ASSERT_TRUE(got) << got.error().to_string();
    const auto* video = std::get_if<media_file>(&*got);
    ASSERT_NE(video, nullptr);
    EXPECT_EQ(video->size_bytes, video_size);
    EXPECT_EQ(video->sha256, video_sha256);
    EXPECT_EQ(std::filesystem::file_size(video->file), video_size);
}

TEST_F(Downloader, DownloadsTheFile) {
    struct test_case {
        const char* behaviour;
        int times;
        int requests;
    };
    constexpr test_case cases[] = {
        {"ok", 1, 1},
        {"cut", 1, 2},  // Resumes with Range.
        {"cut", 2, 3},
        {"no_range", 1, 2},  // Restarts, because the server cannot resume.
        {"redirect", 1, 2},
    };
    const auto from = make_source();
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.behaviour);
        stand_in::shared().has_post(
            code, {{"media", expected.behaviour}, {"times", expected.times}});
        expect_whole(download(*from));
        EXPECT_EQ(stand_in::shared().count("media"), expected.requests);
    }
}

TEST_F(Downloader, DownloadsSeparateFilesOfPictureAndSound) {
    const auto resolved = [this](const source& from) {
        auto subject = from.resolve(post_link(code), pace_, patience(), {}).value();
        auto& media = std::get<remote_media>(subject.media);
        media.sound_url = media.url;
        return subject;
    };
    auto sound = target_;
    sound += ".sound";
    stand_in::shared().has_post(code, {{"media", "ok"}});
    const auto from = make_source();
    const auto got = from->download(resolved(*from), target_, patience(), {});
    ASSERT_TRUE(got) << got.error().to_string();
    const auto& video = std::get<media_file>(*got);
    EXPECT_EQ(video.size_bytes, video_size);
    EXPECT_EQ(video.sound, sound);
    EXPECT_EQ(std::filesystem::file_size(sound), video_size);
    const auto described = describe_file(sound);
    ASSERT_TRUE(described);
    EXPECT_EQ(described->sha256, video_sha256);
    EXPECT_EQ(described->size_bytes, video_size);

    // The limit is for both, and a failure removes both.
    std::filesystem::remove(target_);
    std::filesystem::remove(sound);
    const auto strict = make_source({.video_bytes_max = video_size + 1});
    const auto refused = strict->download(resolved(*strict), target_, patience(), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), errc::video_too_large);
    EXPECT_TRUE(scratch_.is_empty());
}

TEST_F(Downloader, RefusesMalformedUrls) {
    stand_in::shared().has_post(code, {{"media", "ok"}});
    const auto from = make_source();
    auto subject = from->resolve(post_link(code), pace_, patience(), {}).value();
    for (const char* url :
         {"https://a@scontent.cdninstagram.com/x.mp4",
          "https://scontent.cdninstagram.com\\@127.0.0.1/x",
          "https:///x.mp4"}) {
        SCOPED_TRACE(url);
        subject.media = remote_media{.url = url};
        const auto got = from->download(subject, target_, patience(), {});
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code(), errc::address_refused) << got.error().to_string();
    }
    EXPECT_EQ(stand_in::shared().count("media"), 0);
}

TEST_F(Downloader, SendsOnlyTheNecessaryFields) {
    stand_in::shared().has_post(code, {{"media", "cut"}});
    const auto from = make_source();
    expect_whole(download(*from));
    const auto report = stand_in::shared().report();
    const auto& first = report.at("requests").at(1).at("headers");
    EXPECT_FALSE(first.contains("Cookie"));
    EXPECT_FALSE(first.contains("Range"));
    EXPECT_EQ(first.at("Accept-Encoding"), "identity");
    EXPECT_EQ(first.at("Referer"), "https://www.instagram.com/");
    const auto& second = report.at("requests").at(2).at("headers");
    EXPECT_EQ(second.at("Range"), "bytes=32774-");
    EXPECT_THAT(second.at("If-Range").get<std::string>(), ::testing::StartsWith("\""));
}

TEST_F(Downloader, DistinguishesErrors) {
    struct test_case {
        const char* behaviour;
        errc expected;
        int requests;
    };
    constexpr test_case cases[] = {
        {"html", errc::unsupported_format, 1},
        {"jpeg", errc::unsupported_format, 1},
        {"empty", errc::connection_failed, 1},
        {"cut_always", errc::connection_failed, 3},
        {"lying_length", errc::connection_failed, 3},
        {"endless", errc::video_too_large, 1},
        {"too_large", errc::video_too_large, 1},
        {"redirect_loop", errc::connection_failed, 4},
        {"rate_limited", errc::platform_rate_limited, 1},
        {"server_error", errc::platform_failed, 1},
        {"forbidden", errc::platform_failed, 1},
    };
    const auto from = make_source({.video_bytes_max = 1'000'000});
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.behaviour);
        stand_in::shared().has_post(code, {{"media", expected.behaviour}});
        const auto got = download(*from);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code(), expected.expected) << got.error().to_string();
        EXPECT_EQ(stand_in::shared().count("media"), expected.requests);
        EXPECT_TRUE(scratch_.is_empty());
        EXPECT_THAT(got.error().detail(), ::testing::Not(::testing::HasSubstr("oh=")));
    }
}

TEST_F(Downloader, ReportsStaleUrls) {
    struct test_case {
        const char* behaviour;
        errc if_fresh;
    };
    constexpr test_case cases[] = {
        {"expired", errc::platform_failed},
        {"missing", errc::video_unavailable},
    };
    const auto from = make_source();
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.behaviour);
        stand_in::shared().has_post(code, {{"media", expected.behaviour}});
        const auto got = download(*from);
        ASSERT_TRUE(got) << got.error().to_string();
        const auto* stale = std::get_if<stale_media>(&*got);
        ASSERT_NE(stale, nullptr);
        EXPECT_EQ(stale->if_fresh.code(), expected.if_fresh);
        EXPECT_TRUE(scratch_.is_empty());
    }
}

TEST_F(Downloader, DownloadsStaleMediaAfterAnotherLookUp) {
    const auto from = make_source();
    for (const char* behaviour : {"expire_once", "gone_once"}) {
        SCOPED_TRACE(behaviour);
        stand_in::shared().has_post(code, {{"media", behaviour}});
        const auto first = download(*from);
        ASSERT_TRUE(first) << first.error().to_string();
        EXPECT_TRUE(std::holds_alternative<stale_media>(*first));
        expect_whole(download(*from));
        EXPECT_EQ(stand_in::shared().count("page"), 2);
        EXPECT_EQ(stand_in::shared().count("media"), 2);
    }
}

TEST_F(Downloader, AppliesTheByteLimitExactly) {
    stand_in::shared().has_post(code, {{"media", "ok"}});
    expect_whole(download(*make_source({.video_bytes_max = video_size})));
    const auto got = download(*make_source({.video_bytes_max = video_size - 1}));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), errc::video_too_large);
}

TEST_F(Downloader, AppliesTheAddressGuard) {
    keeps_guard_ = true;
    stand_in::shared().has_post(code, {{"media", "ok"}});
    const auto from = make_source();
    const auto got = download(*from);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), errc::address_refused);
    EXPECT_EQ(stand_in::shared().count("media"), 0);
}

TEST_F(Downloader, RefusesRedirectsToUnlistedHosts) {
    const auto from = make_source();
    for (const char* location :
         {"http://169.254.169.254/latest/meta-data/",
          "https://evil.test/a.mp4",
          "http://0.0.0.0/a.mp4"}) {
        SCOPED_TRACE(location);
        stand_in::shared().has_post(code, {{"media", "redirect"}, {"location", location}});
        const auto got = download(*from);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code(), errc::address_refused);
        EXPECT_TRUE(scratch_.is_empty());
    }
}

TEST_F(Downloader, ReportsDiskErrors) {
    stand_in::shared().has_post(code, {{"media", "ok"}});
    const auto from = make_source();
    target_ = scratch_.path() / "missing-folder" / "video.mp4";
    const auto no_folder = download(*from);
    ASSERT_FALSE(no_folder);
    EXPECT_EQ(no_folder.error().code(), errc::storage_failed);

    target_ = "/dev/full";  // A full disk.
    const auto full = download(*from);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code(), errc::storage_failed);
    EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

TEST_F(Downloader, StopsOnRequest) {
    stand_in::shared().has_post(code, {{"media", "stall"}});
    const auto from = make_source();
    std::stop_source stop;
    const auto resolved = from->resolve(post_link(code), pace_, patience(), {});
    ASSERT_TRUE(resolved);
    stop.request_stop();
    const auto got = from->download(*resolved, target_, patience(), stop.get_token());
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), errc::cancelled);

    const auto late =
        from->download(*resolved, target_, deadline::after(std::chrono::milliseconds{50}), {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), errc::timed_out);
    EXPECT_TRUE(scratch_.is_empty());
}

class TestLinks : public Downloader {};

TEST_F(TestLinks, ReturnTheSample) {
    const auto sample = scratch_.path() / "sample.mp4";
    std::ofstream{sample, std::ios::binary} << std::string{
        "\0\0\0\x18"
        "ftypmp42rest",
        16};
    stand_in::shared().reset(json::object());
    const auto from = make_source({.sample_path = sample});
    const auto sample_link = post_link("reelsd-sample");
    const auto subject = from->resolve(sample_link, pace_, patience(), {});
    ASSERT_TRUE(subject) << subject.error().why.to_string();
    EXPECT_EQ(subject->author, "reelsd");
    EXPECT_EQ(subject->url, "https://www.instagram.com/reel/reelsd-sample/");
    EXPECT_FALSE(subject->hashtags.empty());
    EXPECT_FALSE(subject->mentions.empty());
    const auto video = from->download(*subject, target_, patience(), {});
    ASSERT_TRUE(video) << video.error().to_string();
    EXPECT_EQ(std::get<media_file>(*video).size_bytes, 16U);
    EXPECT_EQ(std::filesystem::file_size(target_), 16U);
    EXPECT_EQ(stand_in::shared().report().at("requests").size(), 0U);

    const auto missing = make_source({.sample_path = scratch_.path() / "none.mp4"});
    const auto promised = missing->resolve(sample_link, pace_, patience(), {});
    ASSERT_TRUE(promised) << promised.error().why.to_string();
    const auto failed = missing->download(*promised, target_, patience(), {});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code(), errc::internal);
}

TEST_F(TestLinks, FailAsDocumented) {
    struct test_case {
        const char* code;
        errc expected;
    };
    constexpr test_case cases[] = {
        {"reelsd-unavailable", errc::video_unavailable},
        {"reelsd-rate-limited", errc::platform_rate_limited},
        {"reelsd-unsupported", errc::unsupported_format},
        {"reelsd-too-long", errc::video_too_long},
        {"reelsd-model-failed", errc::model_refused},
        {"reelsd-storage-error", errc::storage_failed},
    };
    stand_in::shared().reset(json::object());
    const auto from = make_source();
    for (const auto& expected : cases) {
        const auto resolved = from->resolve(post_link(expected.code), pace_, patience(), {});
        ASSERT_FALSE(resolved) << expected.code;
        const unresolved none = resolved.error();
        EXPECT_EQ(none.why.code(), expected.expected) << expected.code;
        EXPECT_FALSE(none.snooze) << expected.code;
    }
    EXPECT_EQ(stand_in::shared().report().at("requests").size(), 0U);
}

TEST(Source, RefusesBadSettings) {
    const source_settings cases[] = {
        {.platform_url = ""},
        {.platform_url = "www.instagram.com"},
        {.platform_url = "https://www.instagram.com/reel"},
        {.platform_url = "https://www.instagram.com/?x"},
        {.platform_url = "ftp://www.instagram.com"},
        {.resolvers = {}},
        {.resolvers = {"page", "page"}},
        {.resolvers = {"magic"}},
        {.media_hosts = {}},
        {.media_hosts = {""}},
    };
    for (const auto& settings : cases) {
        const auto created = source::create(settings, log::logger::silent());
        ASSERT_FALSE(created) << settings.platform_url;
        EXPECT_EQ(created.error().code(), errc::invalid_argument);
    }
    EXPECT_TRUE(source::create({}, log::logger::silent()));
    EXPECT_TRUE(source::create({.platform_url = "http://127.0.0.1:9000/"}, log::logger::silent()));
}

TEST(Source, FollowsShareLinks) {
    stand_in::shared().reset(
        {{"posts", {{code, {{"slides", {"photo", "video", "video"}}}}}},
         {"shares", {{"BAKl0x", "/p/DYexample01/?img_index=3"}}}});
    const auto from =
        source::create({.platform_url = stand_in::shared().origin()}, log::logger::silent())
            .value();
    no_rate_limit pace;
    const auto resolved = from->resolve(
        parse_link("https://www.instagram.com/share/reel/BAKl0x").value(), pace, patience(), {});
    ASSERT_TRUE(resolved) << unresolved{resolved.error()}.why.to_string();
    EXPECT_EQ(resolved->code, code);
    ASSERT_TRUE(resolved->carousel);
    EXPECT_EQ(resolved->carousel->index, 3);
    // The slide that the link names itself.
    const auto other = from->resolve(
        parse_link("https://www.instagram.com/share/reel/BAKl0x?img_index=2").value(),
        pace,
        patience(),
        {});
    ASSERT_TRUE(other && other->carousel);
    EXPECT_EQ(other->carousel->index, 2);
}

}  // namespace
}  // namespace reelsd::platform
