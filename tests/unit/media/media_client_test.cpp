#include "child_document.hpp"
#include "scripted_helper.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/media/media_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A deadline that no healthy child reaches, even on a busy machine.
std::string unruly(const std::string& mode) {
    return std::string{"exec "} + UNRULY_CHILD + " " + mode;
}

constexpr auto good_probe =
    R"({"ok":{"duration_seconds":2.5,"missing_seconds":0,"width":720,"height":1280,)"
    R"("frame_rate":30,"video_codec":"h264","audio_codec":null,"audio_is_decodable":true}})";

bool is_alive(pid_t process) {
    std::ifstream status{"/proc/" + std::to_string(process) + "/stat"};
    std::string number;
    std::string name;
    std::string state;
    return (status >> number >> name >> state) && state != "Z";
}

TEST(MediaClient, ReadsTheAnswer) {
    const scripted_helper helper{std::string{"echo '"} + good_probe + "'"};
    const media_client client{helper.options()};
    const auto report = client.probe("/video.mp4", far_away(), {});
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_EQ(report->width, 720);
    EXPECT_EQ(report->video_codec, "h264");
    EXPECT_FALSE(report->audio_codec);
}

TEST(MediaClient, PassesItsOptions) {
    const scripted_helper helper{
        R"(printf '{"error":{"code":"media_failed","detail":"%s"}}' "$*")"};
    auto options = helper.options();
    options.seconds_max = 42.5;
    options.text_models = "/some/models";
    options.speech_models = "/some/model";
    const media_client client{options};
    const auto report = client.analyze("/a video.mp4", far_away(), {});
    ASSERT_FALSE(report);
    EXPECT_EQ(
        report.error().detail(),
        "analyze --video /a video.mp4 --seconds-max 42.500000 --parent " +
            std::to_string(getpid()) +
            " --jail require --text-models /some/models --speech-models /some/model");
}

constexpr auto good_analysis =
    R"({"ok":{"probe":{"duration_seconds":2,"missing_seconds":0,"width":1,"height":1,)"
    R"("frame_rate":1,"video_codec":"vp9","audio_codec":null,"audio_is_decodable":true},)"
    R"("texts":[],)"
    R"("audio":{"silent":true,"speech":{"segments":[],"doubtful":true,"voice":[]},)"
    R"("music":{"present":false,"start_seconds":null,"tempo_bpm":null,"strong_beat":false,)"
    R"("under_speech":false,"level":"","brightness":""}},"picture":{"cuts":[1],"motion":1,)"
    R"("brightness":1,"saturation":1,"colours":[]},"thumbnail":null}})";

/// Chooses the cuts of an analysis and a moment after them.
std::vector<double> cuts_and_more(const analysis_report& report) {
    auto moments = report.picture.cuts;
    moments.push_back(1.5);
    return moments;
}

result<analysis_report> illustrated_by(const std::string& script) {
    const scripted_helper helper{script};
    const media_client client{helper.options()};
    return client.analyze("/video.mp4", far_away(), {}, cuts_and_more);
}

// Goal: after its report, a child can only lose the stills. Method: helpers that write the report
// and then what they were asked.
TEST(MediaClient, AnalysesWithoutTheStillsOfAFailingChild) {
    const std::string says = std::string{"echo '"} + good_analysis + "'; ";
    struct test_case {
        const char* name;
        std::string script;
    };
    const test_case cases[] = {
        {"no stills", says + "cat >/dev/null"},
        {"an error", says + "cat >/dev/null; echo '{\"error\":{\"code\":\"x\",\"detail\":\"\"}}'"},
        {"too few", says + "cat >/dev/null; echo '{\"ok\":{\"jpegs\":[]}}'"},
        {"ends at once", says + "exit 3"},
        {"crashes", says + "cat >/dev/null; " + unruly("crash")},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto analysis = illustrated_by(expected.script);
        ASSERT_TRUE(analysis) << analysis.error().to_string();
        EXPECT_EQ(analysis->probe.video_codec, "vp9");
        EXPECT_TRUE(analysis->stills.empty());
    }
}

TEST(MediaClient, AsksForTheStillsOfChosenMoments) {
    const scripted_helper helper{
        std::string{"echo '"} + good_analysis + R"sh('; echo "$*, $(cat)." >"$0.asked")sh"};
    const media_client client{helper.options()};
    ASSERT_TRUE(client.analyze("/video.mp4", far_away(), {}, cuts_and_more));
    std::ifstream file{helper.path().string() + ".asked"};
    std::string asked;
    std::getline(file, asked);
    EXPECT_THAT(asked, HasSubstr("analyze --video /video.mp4 --seconds-max 90.000000"));
    EXPECT_THAT(asked, HasSubstr("--stills-max 20"));
    EXPECT_THAT(asked, HasSubstr(", 1.000000,1.500000."));
}

TEST(MediaClient, ReportsWhyThereIsNoAnalysisToIllustrate) {
    struct test_case {
        const char* name;
        std::string script;
        errc code;
    };
    const test_case cases[] = {
        {"an error",
         R"(echo '{"error":{"code":"video_too_long","detail":"4 h"}}')",
         errc::video_too_long},
        {"an error and no line",
         R"(printf '{"error":{"code":"video_too_long","detail":"4 h"}}')",
         errc::video_too_long},
        {"another document", R"(echo '{"ok":{}}'; cat)", errc::media_failed},
        {"nothing", "exit 0", errc::media_failed},
        {"a crash", unruly("crash"), errc::unsupported_format},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto analysis = illustrated_by(expected.script);
        ASSERT_FALSE(analysis);
        EXPECT_EQ(analysis.error().code(), expected.code) << analysis.error().to_string();
    }
}

TEST(MediaClient, RequestsAThumbnail) {
    const scripted_helper helper{
        R"(printf '{"error":{"code":"unsupported_format","detail":"%s"}}' "$1 $2 $3")"};
    const media_client client{helper.options()};
    const auto report = client.thumbnail("/video.mp4", far_away(), {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), errc::unsupported_format);
    EXPECT_EQ(report.error().detail(), "thumbnail --video /video.mp4");
}

// See also thumbnail_report_test.cpp.
TEST(MediaClient, ValidatesThumbnails) {
    for (const auto* answer :
         {R"({"ok":{}})",
          R"({"ok":{"jpeg":"PHN2Zz4=","small_jpeg":"PHN2Zz4="}})",
          R"({"ok":{"jpeg":"/9j/2Q==","small_jpeg":"/9j/2Q=="}})"}) {
        SCOPED_TRACE(answer);
        const scripted_helper helper{std::string{"echo '"} + answer + "'"};
        const media_client client{helper.options()};
        const auto report = client.thumbnail("/video.mp4", far_away(), {});
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code(), errc::media_failed);
    }
}

// Goal: the report about an output file is compared with the file. Method: helpers that write four
// bytes; only the first report is correct.
TEST(MediaClient, ValidatesReportsOfFiles) {
    struct test_case {
        std::string report;
        std::optional<errc> code;
    };
    const auto listing = [](const std::string& frames) {
        return R"({"ok":{"frames":[)" + frames + "]}}";
    };
    const std::string first = R"({"seconds":0,"offset":0,"bytes":2})";
    const test_case cases[] = {
        {listing(first + R"(,{"seconds":1,"offset":2,"bytes":2})"), std::nullopt},
        {listing(first), errc::media_failed},
        {listing(first + R"(,{"seconds":1,"offset":2,"bytes":3})"), errc::media_failed},
        {listing(first + R"(,{"seconds":100,"offset":2,"bytes":2})"), errc::media_failed},
        {listing(
             first + R"(,{"seconds":1,"offset":2,"bytes":1})"
                     R"(,{"seconds":2,"offset":3,"bytes":1})"),
         errc::media_failed},
        {R"({"error":{"code":"unsupported_format","detail":""}})", errc::unsupported_format},
        {R"({"ok":{}})", errc::media_failed},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.report);
        const scripted_helper helper{"printf 1234 >&3; echo '" + expected.report + "'"};
        const media_client client{helper.options()};
        const auto target = helper.folder() / "made";
        const auto report = client.frames("/video.mp4", target, {.count_max = 2}, far_away(), {});
        EXPECT_EQ(report ? std::nullopt : std::optional{report.error().code()}, expected.code);
        EXPECT_EQ(std::filesystem::exists(target), report.has_value());
    }
}

TEST(MediaClient, ValidatesReportsOfSound) {
    const std::pair<std::string, bool> cases[] = {
        {R"({"ok":{"sound":{"seconds":0,"bytes":44}}})", true},
        {R"({"ok":{"sound":{"seconds":0,"bytes":45}}})", false},
        {R"({"ok":{"sound":{"seconds":92,"bytes":2944044}}})", false},
    };
    for (const auto& [answer, good] : cases) {
        SCOPED_TRACE(answer);
        const scripted_helper helper{"printf %044d 0 >&3; echo '" + answer + "'"};
        const media_client client{helper.options()};
        const auto target = helper.folder() / "made";
        const auto report = client.sound("/video.mp4", target, far_away(), {});
        EXPECT_EQ(report.has_value(), good);
        EXPECT_EQ(std::filesystem::exists(target), good);
    }
    // Without sound no file is kept.
    const scripted_helper helper{"printf 1234 >&3; echo '{\"ok\":{\"sound\":null}}'"};
    const media_client client{helper.options()};
    const auto report = client.sound("/video.mp4", helper.folder() / "made", far_away(), {});
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_FALSE(report->has_value());
    EXPECT_FALSE(std::filesystem::exists(helper.folder() / "made"));
}

TEST(MediaClient, ValidatesMomentsOfChecks) {
    const scripted_helper helper{R"(echo '{"ok":{"silent":true,"speech":null,"silences":[],)"
                                 R"("texts":[{"text":"a","at_seconds":2}]}}')"};
    const media_client client{helper.options()};
    EXPECT_TRUE(client.check("/video.mp4", {3, 2}, far_away(), {}));
    EXPECT_FALSE(client.check("/video.mp4", {3}, far_away(), {}));
}

// Goal: each way in which a child can end leads to one error. Method: scripted children.
TEST(MediaClient, ReportsHowTheChildEnded) {
    struct test_case {
        const char* name;
        std::string script;
        errc code;
        const char* detail;
    };
    const test_case cases[] = {
        {"its error: too long",
         R"(echo '{"error":{"code":"video_too_long","detail":"91 s"}}')",
         errc::video_too_long,
         "91 s"},
        {"its error: unsupported",
         R"(echo '{"error":{"code":"unsupported_format","detail":"no video"}}')",
         errc::unsupported_format,
         "no video"},
        {"its error: a full disk",
         R"(echo '{"error":{"code":"storage_failed","detail":"the output file"}}')",
         errc::storage_failed,
         "the output file"},
        {"an unexpected code",
         R"(echo '{"error":{"code":"database_unavailable","detail":""}}')",
         errc::media_failed,
         "unknown code"},
        {"an error without a code", R"(echo '{"error":{}}')", errc::media_failed, "no code"},
        {"an error with an escape",
         R"(echo '{"error":{"code":"media_failed","detail":"\u001b[31m"}}')",
         errc::media_failed,
         "clean"},
        {"no output", "exit 0", errc::media_failed, "no document"},
        {"nested deeper than a stack",
         "printf '{\"ok\":{\"a\":'; head -c 100000 /dev/zero | tr '\\0' '['; "
         "head -c 100000 /dev/zero | tr '\\0' ']'; printf ',\"b\":1,\"c\":2}}'",
         errc::media_failed,
         "no document"},
        {"no JSON", "echo hello", errc::media_failed, "no document"},
        {"two answers", R"(echo '{"ok":{},"error":{}}')", errc::media_failed, "no document"},
        {"another answer", R"(echo '{"fine":{}}')", errc::media_failed, "unknown document"},
        {"a malformed report", R"(echo '{"ok":{}}')", errc::media_failed, "is missing"},
        {"crash", unruly("crash"), errc::unsupported_format, "SIGSEGV"},
        {"bad system call", unruly("raise 31"), errc::unsupported_format, "SIGSYS"},
        {"CPU time limit", unruly("raise 24"), errc::unsupported_format, "CPU time limit"},
        {"killed, as when memory runs out", unruly("raise 9"), errc::media_failed, "memory"},
        {"terminated from outside", unruly("raise 15"), errc::media_failed, "SIGTERM"},
        {"status 3", unruly("exit 3"), errc::unsupported_format, "status 3"},
        {"rejects its arguments", unruly("exit 64"), errc::media_failed, "status 64"},
        {"lacks a library", unruly("exit 127"), errc::media_failed, "status 127"},
        {"writes the cause", "echo oh dear >&2; exit 3", errc::unsupported_format, "oh dear"},
        {"floods", unruly("flood"), errc::unsupported_format, "wrote too much"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const scripted_helper helper{expected.script};
        const media_client client{helper.options()};
        const auto report = client.probe("/video.mp4", far_away(), {});
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code(), expected.code) << report.error().to_string();
        EXPECT_THAT(report.error().detail(), HasSubstr(expected.detail));
    }
}

TEST(MediaClient, ReportsAMissingHelper) {
    const media_client client{{.helper = "/nowhere/reelsd-media"}};
    const auto report = client.probe("/video.mp4", far_away(), {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), errc::media_failed);
    EXPECT_THAT(report.error().detail(), HasSubstr("/nowhere/reelsd-media"));
}

TEST(MediaClient, KeepsTheEndOfStandardError) {
    const scripted_helper helper{unruly("print_error")};
    const media_client client{helper.options()};
    const auto report = client.probe("/video.mp4", far_away(), {});
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().detail(), ::testing::EndsWith("alast words"));
    EXPECT_LT(report.error().detail().size(), 2'500U);
}

TEST(MediaClient, KillsAHangingChildAtTheDeadline) {
    for (const auto* mode : {"hang", "stubborn", "flood-errors"}) {
        SCOPED_TRACE(mode);
        const scripted_helper helper{unruly(mode)};
        const media_client client{helper.options()};
        const auto report = client.probe("/video.mp4", deadline::after(300ms), {});
        ASSERT_FALSE(report);
        const bool expected = report.error().code() == errc::timed_out ||
                              (std::string{mode} == "flood-errors" &&
                               report.error().code() == errc::unsupported_format);
        EXPECT_TRUE(expected) << report.error().to_string();
    }
}

// Goal: a video that keeps the child computing is at fault; a busy machine, or a job with too
// little time left, is not.
TEST(MediaClient, RejectsTheVideoWhenTheChildComputes) {
    struct test_case {
        double lived;
        double computed;
        errc code;
    };
    constexpr test_case cases[] = {
        {19.9, 19, errc::unsupported_format},
        {360, 360, errc::unsupported_format},
        {19.9, 5, errc::timed_out},
        {3, 3, errc::timed_out},
    };
    for (const auto& expected : cases) {
        process::child_end end;
        end.outcome = process::child_outcome::overdue;
        end.lived = seconds_f{expected.lived};
        end.computed = seconds_f{expected.computed};
        const auto document = media::document_of(end);
        ASSERT_FALSE(document);
        EXPECT_EQ(document.error().code(), expected.code) << expected.lived;
        EXPECT_THAT(document.error().detail(), HasSubstr("deadline"));
    }
}

TEST(MediaClient, StopsOnRequest) {
    const scripted_helper helper{"echo $$ > \"$(dirname \"$0\")/pid\"\n" + unruly("stubborn")};
    const media_client client{helper.options()};
    std::stop_source stop;
    std::jthread asker{[&client, token = stop.get_token()] {
        const auto report = client.probe("/video.mp4", far_away(), token);
        EXPECT_FALSE(report);
        EXPECT_EQ(report ? errc::internal : report.error().code(), errc::cancelled);
    }};
    pid_t child = 0;
    while (!(std::ifstream{helper.folder() / "pid"} >> child)) std::this_thread::yield();
    stop.request_stop();
    asker.join();
    EXPECT_FALSE(is_alive(child));
}

TEST(MediaClient, DoesNotStartWhenAlreadyStopped) {
    const scripted_helper helper{unruly("stubborn")};
    const media_client client{helper.options()};
    std::stop_source stop;
    stop.request_stop();
    const auto probed = client.probe("/video.mp4", far_away(), stop.get_token());
    ASSERT_FALSE(probed);
    EXPECT_EQ(probed.error().code(), errc::cancelled);
    const auto analyzed = client.analyze("/video.mp4", far_away(), stop.get_token());
    ASSERT_FALSE(analyzed);
    EXPECT_EQ(analyzed.error().code(), errc::cancelled);
}

TEST(MediaClient, PassesNoSecretToTheChild) {
    setenv("REELSD_GEMINI_API_KEY", "very secret", 1);
    const scripted_helper helper{
        std::string{UNRULY_CHILD} + " environment | tr '\\n' ' ' >&2; exit 3"};
    const media_client client{helper.options()};
    const auto report = client.probe("/video.mp4", far_away(), {});
    unsetenv("REELSD_GEMINI_API_KEY");
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().detail(), Not(HasSubstr("secret")));
    EXPECT_THAT(report.error().detail(), HasSubstr("ORT_DISABLE_TELEMETRY=1"));
}

}  // namespace
}  // namespace reelsd::media
