// Goal: every behaviour of yt-dlp ends in the right post or error, in bounded time. Method: its
// stand-in (tests/support/fake_yt_dlp.py), which checks how it is run.
#include "stand_in.hpp"
#include "support/paths.hpp"
#include <reelsd/platform/source.hpp>
#include <reelsd/platform/yt_dlp_resolver.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace reelsd::platform {
namespace {

using test::patience;
using ::testing::HasSubstr;

constexpr const char* code = "DYexample01";

class YtDlpResolver : public ::testing::Test {
protected:
    YtDlpResolver() {
        std::ofstream{program_} << "#!/bin/sh\nexec /usr/bin/python3 -B " REELSD_SOURCE_DIR
                                   "/tests/support/fake_yt_dlp.py "
                                << program_.string() << ".json \"$@\"\n";
        chmod(program_.c_str(), 0700);
        // The real sandbox, with access to the stand-in's script, settings and log.
        std::ofstream{sandbox_} << "#!/bin/sh\nshift\nexec " MEDIA_HELPER
                                   " fence --read " REELSD_SOURCE_DIR "/tests/support --write "
                                << folder_.path().string() << " \"$@\"\n";
        chmod(sandbox_.c_str(), 0700);
    }

    void behaves(const char* behaviour, const char* version = "2026.08.19") const {
        const json config = {
            {"posts", {{code, behaviour}}}, {"version", version}, {"secret", secret_.path()}};
        std::ofstream{program_.string() + ".json"} << config.dump();
    }

    [[nodiscard]] std::string runs() const {
        std::ostringstream text;
        text << std::ifstream{program_.string() + ".json.log"}.rdbuf();
        return text.str();
    }

    test::scratch_folder folder_;
    test::scratch_folder secret_;
    std::filesystem::path program_ = folder_.path() / "yt-dlp";
    std::filesystem::path sandbox_ = folder_.path() / "fence";
    yt_dlp_resolver resolver_{{.program = program_, .sandbox = sandbox_}};
};

TEST_F(YtDlpResolver, FindsThePost) {
    for (const char* behaviour : {"ok", "warnings", "carousel"}) {
        SCOPED_TRACE(behaviour);
        behaves(behaviour);
        const auto outcome = resolver_.resolve(post_link(code), patience(), {});
        ASSERT_TRUE(outcome) << outcome.error().why.to_string();
        EXPECT_EQ(outcome->code, code);
        EXPECT_EQ(outcome->author, "some.one");
        EXPECT_EQ(outcome->author_name, "Some One");
        EXPECT_EQ(outcome->caption, "Hello #tag @friend");
        EXPECT_EQ(outcome->like_count, 10);
        EXPECT_EQ(outcome->view_count, std::nullopt);
        EXPECT_THAT(std::get<remote_media>(outcome->media).url, HasSubstr("/v/DYexample01.mp4?"));
    }
    EXPECT_EQ(runs(), "DYexample01\nDYexample01\nDYexample01\n");
}

TEST_F(YtDlpResolver, DistinguishesErrors) {
    struct test_case {
        const char* behaviour;
        errc code;
        bool needs_confirmation = false;
    };
    constexpr test_case cases[] = {
        {"login_page", errc::platform_rate_limited},
        {"rate_limit", errc::platform_rate_limited},
        {"too_many", errc::platform_rate_limited},
        {"followers", errc::login_required},
        {"audience", errc::video_restricted},
        {"restricted", errc::video_restricted},
        {"empty", errc::video_unavailable, true},
        {"photo", errc::no_video},
        {"no_formats", errc::no_video},
        {"photos", errc::no_video},
        {"tracks", errc::separate_tracks, true},
        {"session", errc::platform_changed},
        {"outdated", errc::platform_changed},
        {"new_words", errc::platform_changed},
        {"other_post", errc::platform_changed},
        {"garbage", errc::platform_changed},
        {"flood", errc::platform_changed},
        {"server_error", errc::platform_failed},
        {"crash", errc::platform_failed},
        {"timeout", errc::timed_out},
        {"no_connection", errc::connection_failed},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.behaviour);
        behaves(expected.behaviour);
        const auto outcome = resolver_.resolve(post_link(code), patience(), {});
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().why.code(), expected.code) << outcome.error().why.to_string();
        EXPECT_EQ(outcome.error().needs_confirmation, expected.needs_confirmation);
    }
    EXPECT_THAT(runs(), ::testing::Not(HasSubstr("refused")));
}

TEST_F(YtDlpResolver, DoesNotSuggestToJoinTracksWhenTheyAreJoined) {
    behaves("tracks");
    const yt_dlp_resolver joins{{.program = program_, .sandbox = sandbox_, .takes_tracks = true}};
    const auto outcome = joins.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::platform_changed);
}

TEST_F(YtDlpResolver, ReportsThePhotoOfACarousel) {
    behaves("carousel");
    auto first = post_link(code);
    first.img_index = 1;
    const auto outcome = resolver_.resolve(first, patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::no_video);
}

// Otherwise its empty answers would confirm every "no such post" of another resolver.
TEST_F(YtDlpResolver, DoesNotAcceptAnOutdatedProgramsEmptyAnswers) {
    behaves("empty", "2023.03.04");
    const auto old = resolver_.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(old);
    EXPECT_EQ(old.error().why.code(), errc::platform_changed);
    EXPECT_FALSE(old.error().needs_confirmation);
    EXPECT_THAT(old.error().why.detail(), HasSubstr("2023.03.04 is too old"));

    behaves("audience", "2023.03.04");
    const auto plain = resolver_.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(plain);
    EXPECT_EQ(plain.error().why.code(), errc::video_restricted);

    behaves("empty", "who knows");
    const auto unknown = resolver_.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(unknown);
    EXPECT_TRUE(unknown.error().needs_confirmation);
}

// The stand-in finds a post if it has access; otherwise it reports why not.
TEST_F(YtDlpResolver, KeepsTheProgramFromFilesAndPorts) {
    std::ofstream{secret_.path() / "reelsd.conf"} << "a key";
    for (const char* behaviour : {"reads_secret", "writes_secret", "asks_loopback"}) {
        SCOPED_TRACE(behaviour);
        behaves(behaviour);
        const auto outcome = resolver_.resolve(post_link(code), patience(), {});
        ASSERT_FALSE(outcome);
        EXPECT_THAT(outcome.error().why.detail(), HasSubstr("Permission denied"));
    }
}

TEST_F(YtDlpResolver, RemovesItsFolder) {
    behaves("ok");
    const auto temporary_folders = [] {
        std::set<std::string> names;
        for (const auto& entry :
             std::filesystem::directory_iterator{std::filesystem::temp_directory_path()}) {
            const auto name = entry.path().filename().string();
            if (name.starts_with("reelsd-yt-dlp-")) names.insert(name);
        }
        return names;
    };
    const auto before = temporary_folders();
    EXPECT_TRUE(resolver_.resolve(post_link(code), patience(), {}));
    EXPECT_THAT(before, ::testing::IsSupersetOf(temporary_folders()));
}

TEST_F(YtDlpResolver, EndsAHangingRun) {
    behaves("hang");
    const auto late =
        resolver_.resolve(post_link(code), deadline::after(std::chrono::milliseconds{300}), {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().why.code(), errc::timed_out);

    std::stop_source stop;
    const std::jthread asker{[this, token = stop.get_token()] {
        const auto stopped = resolver_.resolve(post_link(code), patience(), token);
        ASSERT_FALSE(stopped);
        EXPECT_EQ(stopped.error().why.code(), errc::cancelled);
    }};
    while (runs().empty()) std::this_thread::yield();
    stop.request_stop();
}

TEST_F(YtDlpResolver, ReportsAMissingProgram) {
    const yt_dlp_resolver none{{.program = "/nowhere/yt-dlp", .sandbox = sandbox_}};
    const auto outcome = none.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::platform_failed);
    EXPECT_THAT(outcome.error().why.detail(), HasSubstr("/nowhere/yt-dlp"));
}

TEST_F(YtDlpResolver, PassesTheConfiguredAuthorities) {
    std::ofstream{program_} << "#!/bin/sh\necho \"ERROR: it is $SSL_CERT_FILE\" >&2\nexit 1\n";
    const yt_dlp_resolver with_authorities{
        {.program = program_, .sandbox = sandbox_, .ca_file = "/some/ca.pem"}};
    const auto outcome = with_authorities.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().why.detail(), HasSubstr("it is /some/ca.pem"));
}

TEST_F(YtDlpResolver, HidesCookiesAndTheProxysLogin) {
    const auto file = secret_.path() / "cookies.txt";
    std::ofstream{file} << "sessionid=1234567%3Asecret; token=sixsix; ds_user_id=1234567";
    chmod(file.c_str(), 0600);
    const auto signed_in =
        session::open({.file = file, .host = "www.instagram.com"}, log::logger::silent()).value();
    std::ofstream{program_} << "#!/bin/sh\necho \"ERROR: $HTTPS_PROXY p@ss1 of ann,"
                               " sixsix 1234567:secret 1234567\" >&2\nexit 1\n";
    const yt_dlp_resolver with_secrets{
        {.program = program_,
         .sandbox = sandbox_,
         .by_proxy = net::proxy::parse("http://ann:p%40ss1@127.0.0.1:1").value(),
         .platform_session = signed_in.get()}};
    const auto outcome = with_secrets.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_THAT(
        outcome.error().why.detail(),
        HasSubstr("ERROR: http://***@127.0.0.1:1 *** of ***, *** *** ***"));
}

// Goal: a failed proxy is named, with the platform if only that could not be reached.
TEST_F(YtDlpResolver, NamesAFailedProxy) {
    constexpr std::pair<const char*, const char*> cases[] = {
        {"Unable to download webpage: (Unable to connect to proxy", "127.0.0.1:1: yt-dlp: "},
        {"Tunnel connection failed: 407 Proxy Authentication Required", "127.0.0.1:1: yt-dlp: "},
        {"Unable to download webpage: [Errno 111] Connection refused (caused by TransportError())",
         "127.0.0.1:1: yt-dlp: "},
        {"Tunnel connection failed: 502 Bad Gateway",
         "127.0.0.1:1 to www.instagram.com: yt-dlp: "}};
    for (const auto& [message, begin] : cases) {
        std::ofstream{program_} << "#!/bin/sh\necho 'ERROR: " << message << "' >&2\nexit 1\n";
        const yt_dlp_resolver behind_proxy{
            {.program = program_,
             .sandbox = sandbox_,
             .by_proxy = net::proxy::parse("http://127.0.0.1:1").value()}};
        const auto outcome = behind_proxy.resolve(post_link(code), patience(), {});
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().why.code(), errc::proxy_failed);
        EXPECT_THAT(outcome.error().why.detail(), ::testing::StartsWith(begin));
    }
}

TEST_F(YtDlpResolver, LeavesFromTheOutgoingAddress) {
    std::ofstream{program_} << "#!/bin/sh\necho \"ERROR: arguments $*\" >&2\nexit 1\n";
    const auto leaving_from = [this](const char* outgoing_address) {
        const yt_dlp_resolver asked{
            {.program = program_, .sandbox = sandbox_, .outgoing_address = outgoing_address}};
        return asked.resolve(post_link(code), patience(), {}).error().why;
    };
    for (const char* local : {"lo", "127.0.0.1"})
        EXPECT_THAT(leaving_from(local).detail(), HasSubstr("--source-address 127.0.0.1 "));
    for (const char* absent : {"no-such-device", "203.0.113.9"}) {
        const auto why = leaving_from(absent);
        EXPECT_EQ(why.code(), errc::internal);
        EXPECT_THAT(why.detail(), HasSubstr(std::string{"outgoing-address = "} + absent));
    }
}

TEST_F(YtDlpResolver, ReportsTheVersion) {
    behaves("ok");
    const auto version = yt_dlp_version({.program = program_, .sandbox = sandbox_}, patience(), {});
    ASSERT_TRUE(version) << version.error().to_string();
    EXPECT_EQ(*version, "2026.08.19");
    const auto other =
        yt_dlp_version({.program = "/bin/true", .sandbox = sandbox_}, patience(), {});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code(), errc::platform_changed);
}

// yt-dlp is optional if there are other resolvers.
TEST_F(YtDlpResolver, IsOmittedIfItIsNotInstalled) {
    const auto create = [](std::vector<std::string> resolvers, std::string path) {
        return source::create(
            {.resolvers = std::move(resolvers),
             .yt_dlp_path = std::move(path),
             .sandbox = "/fence"},
            log::logger::silent());
    };
    EXPECT_TRUE(create({"page", "yt-dlp"}, "/nowhere/yt-dlp"));
    EXPECT_TRUE(create({"yt-dlp"}, program_.string()));
    const auto alone = create({"yt-dlp"}, "no-such-program");
    ASSERT_FALSE(alone);
    EXPECT_EQ(alone.error().code(), errc::invalid_argument);
    EXPECT_THAT(alone.error().detail(), HasSubstr("no-such-program"));
}

}  // namespace
}  // namespace reelsd::platform
