#include "video_maker.hpp"
#include <reelsd/base/format_fault.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/media/media_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// Without text: the reader would read a running clock every quarter of a second.
constexpr auto picture_input =
    "-f lavfi -i gradients=s=180x320:r=15:d=2:speed=0.1:c0=red:c1=blue:c2=yellow:c3=green:seed=3";
constexpr auto sound_input = " -f lavfi -i sine=f=440:d=2";
constexpr auto h264 = " -c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 15";

/// The real helper in its real jail on small generated videos.
class Videos : public ::testing::Test {
protected:
    static void SetUpTestSuite() { maker_ = std::make_unique<video_maker>(); }
    static void TearDownTestSuite() { maker_.reset(); }

    static video_maker& maker() { return *maker_; }

    static media_client client(double seconds_max = 90) {
        return media_client{{.helper = MEDIA_HELPER, .seconds_max = seconds_max}};
    }
    static result<probe_report> probe(const std::filesystem::path& file, double seconds_max = 90) {
        return client(seconds_max).probe(file, deadline::after(120s), {});
    }
    static result<analysis_report> analyze(
        const std::filesystem::path& file, double seconds_max = 90) {
        return client(seconds_max).analyze(file, deadline::after(240s), {});
    }

    /// Two seconds, 180 x 320, 15 frames a second, a tone.
    static std::filesystem::path good() {
        return maker().make(
            "good.mp4",
            std::string{picture_input} + sound_input + h264 +
                " -c:a aac -shortest -movflags +faststart");
    }

    static void expect_refused(
        const std::filesystem::path& file, errc code, double seconds_max = 90) {
        const auto probed = probe(file, seconds_max);
        ASSERT_FALSE(probed);
        EXPECT_EQ(probed.error().code(), code) << probed.error().to_string();
        EXPECT_THAT(probed.error().detail(), Not(HasSubstr("killed")))
            << "a crash instead of an error";
        const auto analyzed = analyze(file, seconds_max);
        ASSERT_FALSE(analyzed);
        EXPECT_EQ(analyzed.error().code(), code) << analyzed.error().to_string();
    }

private:
    static std::unique_ptr<video_maker> maker_;
};

std::unique_ptr<video_maker> Videos::maker_;

TEST_F(Videos, MeasuresAGoodOne) {
    const auto report = probe(good());
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_NEAR(report->duration_seconds, 2.0, 0.1);
    EXPECT_EQ(report->missing_seconds, 0);
    EXPECT_EQ(report->width, 180);
    EXPECT_EQ(report->height, 320);
    EXPECT_DOUBLE_EQ(report->frame_rate, 15);
    EXPECT_EQ(report->video_codec, "h264");
    EXPECT_EQ(report->audio_codec, "aac");
    EXPECT_TRUE(report->audio_is_decodable);
}

TEST_F(Videos, AnalyzesAGoodOne) {
    const auto report = analyze(good());
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_FALSE(report->audio.silent);
    EXPECT_TRUE(report->audio.speech.segments.empty());
    EXPECT_TRUE(report->picture.cuts.empty());
    EXPECT_GT(report->picture.motion, 0);
    EXPECT_FALSE(report->picture.colours.empty());
}

// Goal: the report contains speech, text and cuts. Method: one clip with all of them, four seconds.
TEST_F(Videos, FindsTextSpeechAndCuts) {
    const auto file = maker().make(
        "whole.mp4",
        "-f lavfi -i color=c=navy:s=360x640:r=15:d=2 -f lavfi -i color=c=orange:s=360x640:r=15:d=2 "
        "-f lavfi -i \"flite=text='hello everyone and welcome to the kitchen':voice=slt\" "
        "-filter_complex \"[0][1]concat,drawtext=fontfile=/usr/share/fonts/truetype/dejavu/"
        "DejaVuSans-Bold.ttf:text='Tomato "
        "soup':fontsize=44:fontcolor=white:borderw=3:x=30:y=200\"" +
            std::string{h264} + " -c:a aac");
    const auto report = analyze(file);
    ASSERT_TRUE(report) << report.error().to_string();
    ASSERT_EQ(report->texts.size(), 1U);
    EXPECT_EQ(report->texts.front().text, "Tomato soup");
    ASSERT_EQ(report->picture.cuts.size(), 1U);
    EXPECT_NEAR(report->picture.cuts.front(), 2.0, 0.1);
    EXPECT_THAT(report->picture.colours, ::testing::IsSupersetOf({"blue", "orange"}));
    EXPECT_FALSE(report->audio.silent);
    ASSERT_FALSE(report->audio.speech.segments.empty());
    EXPECT_THAT(report->audio.speech.segments.front().text, HasSubstr("welcome to the kitchen."));
}

// Goal: no word too many and none missing. Method: the sample reel, whose text is in
// scripts/make-sample.
TEST_F(Videos, TranscribesTheSampleExactly) {
    const auto report = analyze(SAMPLE_REEL);
    ASSERT_TRUE(report) << report.error().to_string();
    std::vector<std::string> sentences;
    for (const auto& segment : report->audio.speech.segments) sentences.push_back(segment.text);
    EXPECT_THAT(
        sentences,
        ::testing::ElementsAre(
            "Here are three ways to make better coffee.",
            "First always buy fresh beans.",
            "Then grind them at the last minute.",
            "And always use good clean water.",
            "Follow us for more ideas."));
    EXPECT_FALSE(report->audio.speech.doubtful);
}

TEST_F(Videos, ObservesTheLimitOfDuration) {
    expect_refused(good(), errc::video_too_long, 1.5);
    // Exactly at the limit, with a sound track padded past it.
    const auto report = probe(good(), 2);
    EXPECT_TRUE(report) << report.error().to_string();
}

TEST_F(Videos, RotatesAndStretchesAsPlayersDo) {
    good();
    const auto turned = maker().rotate("turned.mp4", "good.mp4", 90);
    const auto report = probe(turned);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->width, 320);
    EXPECT_EQ(report->height, 180);
    EXPECT_TRUE(analyze(turned));

    const auto stretched =
        maker().make("stretched.mp4", std::string{picture_input} + h264 + " -vf setsar=2/1");
    const auto wide = probe(stretched);
    ASSERT_TRUE(wide);
    EXPECT_EQ(wide->width, 360);
    EXPECT_EQ(wide->height, 320);
}

// Goal: text is read upright in a video that is stored rotated, as by phones.
TEST_F(Videos, ReadsTextOfARotatedVideo) {
    maker().make(
        "lying.mp4",
        "-f lavfi -i color=c=black:s=360x640:r=15:d=2 -vf "
        "\"drawtext=fontfile=/usr/share/fonts/truetype/"
        "dejavu/DejaVuSans-Bold.ttf:text='Tomato soup':fontsize=44:fontcolor=white:x=30:y=200,"
        "transpose=cclock\"" +
            std::string{h264});
    const auto file = maker().rotate("upright.mp4", "lying.mp4", 90);
    const auto report = analyze(file);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_EQ(report->probe.width, 360);
    ASSERT_EQ(report->texts.size(), 1U);
    EXPECT_EQ(report->texts.front().text, "Tomato soup");
}

TEST_F(Videos, AcceptsTheUsualCodecs) {
    struct test_case {
        const char* name;
        std::string arguments;
        const char* video;
        const char* audio;
    };
    const std::string both = std::string{picture_input} + sound_input;
    const test_case cases[] = {
        {"vp9.webm",
         both + " -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus",
         "vp9",
         "opus"},
        {"vp8.webm",
         both + " -c:v libvpx -deadline realtime -pix_fmt yuv420p -c:a libvorbis",
         "vp8",
         "vorbis"},
        {"hevc.mp4",
         both + " -c:v libx265 -preset ultrafast -x265-params log-level=none -c:a aac",
         "hevc",
         "aac"},
        {"av1.mp4", both + " -c:v libaom-av1 -cpu-used 8 -usage realtime -c:a aac", "av1", "aac"},
        {"mpeg4.mp4", both + " -c:v mpeg4 -c:a libmp3lame", "mpeg4", "mp3"},
        {"pcm.mov", both + h264 + " -c:a pcm_s16le", "h264", "pcm_s16le"},
        {"large.mov", both + h264 + " -c:a pcm_s24be", "h264", "pcm_s24be"},
        {"larger.mov", both + h264 + " -c:a pcm_s32le", "h264", "pcm_s32le"},
        {"h264.mkv", both + h264 + " -c:a aac", "h264", "aac"},
        {"camera.mkv", both + h264 + " -c:a pcm_alaw", "h264", "pcm_alaw"},
        {"recorder.mkv", both + h264 + " -c:a pcm_mulaw", "h264", "pcm_mulaw"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto report = analyze(maker().make(expected.name, expected.arguments));
        ASSERT_TRUE(report) << report.error().to_string();
        EXPECT_EQ(report->probe.video_codec, expected.video);
        EXPECT_EQ(report->probe.audio_codec, expected.audio);
        EXPECT_NEAR(report->probe.duration_seconds, 2.0, 0.15);
        EXPECT_FALSE(report->audio.silent);
        EXPECT_GT(report->picture.motion, 0);
    }
}

// ffmpeg has no encoder of AMR.
TEST_F(Videos, HearsTheSoundOfPhones) {
    struct test_case {
        const char* name;
        std::string header;
        char mode;
        std::size_t bytes;  ///< Of the bits of a frame.
    };
    constexpr std::size_t frames = 100;  // Of 20 ms.
    for (const auto& [codec, header, mode, bytes] :
         {test_case{"amr_nb", "#!AMR\n", '\x3c', 31},
          test_case{"amr_wb", "#!AMR-WB\n", '\x44', 60}}) {
        auto sound = header;
        for (std::size_t i = 0; i < frames; ++i) sound.append(1, mode).append(bytes, '\0');
        const std::string name{codec};
        static_cast<void>(maker().write(name + ".amr", sound));
        const auto file = maker().make(
            name + ".3gp",
            std::string{picture_input} + " -i @" + name + ".amr" + h264 + " -c:a copy");
        const auto probed = probe(file);
        ASSERT_TRUE(probed) << probed.error().to_string();
        EXPECT_EQ(probed->audio_codec, codec);
        EXPECT_TRUE(probed->audio_is_decodable);
        const auto report = analyze(file);
        ASSERT_TRUE(report) << report.error().to_string();
        EXPECT_TRUE(report->probe.audio_is_decodable);
    }
}

TEST_F(Videos, AnalyzesASilentOne) {
    const auto file = maker().make("mute.mp4", std::string{picture_input} + h264);
    const auto report = analyze(file);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_FALSE(report->probe.audio_codec);
    EXPECT_TRUE(report->probe.audio_is_decodable);
    EXPECT_TRUE(report->audio.silent);
    EXPECT_FALSE(report->audio.music.present);
}

// Goal: channels that cancel each other out in a mono mix are heard.
TEST_F(Videos, HearsStereoInOppositePhase) {
    const auto report = analyze(maker().make(
        "opposite.mp4",
        std::string{picture_input} + sound_input + " -af \"pan=stereo|c0=c0|c1=-1*c0\"" + h264 +
            " -c:a aac"));
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_FALSE(report->audio.silent);
}

// Goal: the report says how much of a file that is cut off is missing.
TEST_F(Videos, MeasuresOneThatIsCutOff) {
    const auto whole = bytes_of(maker().make(
        "whole_at_first.mp4",
        std::string{picture_input} + sound_input + h264 + " -c:a aac -movflags +faststart"));
    const auto report = probe(
        maker().write("cut_off.mp4", std::string_view{whole}.substr(0, whole.size() * 2 / 3)));
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_GT(report->missing_seconds, 0.5);
    EXPECT_NEAR(report->duration_seconds + report->missing_seconds, 2, 0.1);

    const auto late = probe(
        maker().make("late.mkv", std::string{picture_input} + h264 + " -output_ts_offset 10"));
    ASSERT_TRUE(late) << late.error().to_string();
    EXPECT_EQ(late->missing_seconds, 0) << "its duration counts from zero";

    const auto second_sound = probe(maker().make(
        "two_tracks.mkv",
        std::string{picture_input} + sound_input +
            " -f lavfi -i sine=d=5 -map 0 -map 1 -map 2 -disposition:a:0 default" + h264 +
            " -c:a aac"));
    ASSERT_TRUE(second_sound) << second_sound.error().to_string();
    EXPECT_EQ(second_sound->missing_seconds, 0) << "its duration is that of an unread track";
}

// Goal: sound that cannot be decoded is not called silence.
TEST_F(Videos, AnalyzesOneWhoseSoundCannotBeDecoded) {
    const auto file = maker().make(
        "unknown.mkv", std::string{picture_input} + sound_input + h264 + " -c:a wavpack");
    const auto report = analyze(file);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_EQ(report->probe.audio_codec, "wavpack");
    EXPECT_FALSE(report->probe.audio_is_decodable);
    EXPECT_FALSE(report->audio.silent);
    const auto probed = probe(file);
    ASSERT_TRUE(probed) << probed.error().to_string();
    EXPECT_FALSE(probed->audio_is_decodable);
    const auto checked = client().check(file, {}, deadline::after(120s), {});
    ASSERT_TRUE(checked) << checked.error().to_string();
    EXPECT_FALSE(checked->silent);
    EXPECT_EQ(checked->speech, std::nullopt);

    const auto broken = analyze(maker().make(
        "broken.mkv",
        std::string{picture_input} + sound_input + h264 + " -c:a flac -bsf:a noise=amount=1"));
    ASSERT_TRUE(broken) << broken.error().to_string();
    EXPECT_FALSE(broken->probe.audio_is_decodable);
    EXPECT_FALSE(broken->audio.silent);
}

// Goal: faults with a sentence of their own for clients are told apart.
TEST_F(Videos, NamesTheFaultOfAFile) {
    const std::string still = "-f lavfi -i testsrc2=s=180x320:d=1 -frames:v 1";
    maker().make("picture.png", still);
    const auto large = [](const std::string& codec) {
        return maker().make(
            codec + "-large.mp4",
            "-f lavfi -i color=c=red:s=4000x3000:r=1:d=1 -preset ultrafast -c:v " + codec);
    };
    const std::pair<std::filesystem::path, std::string_view> cases[] = {
        {large("libx264"), format_fault::large_pictures},
        {large("libx265"), format_fault::large_pictures},
        {maker().make("one.mp4", still + h264), format_fault::single_picture},
        {maker().make("tone.m4a", std::string{sound_input} + " -c:a aac"), format_fault::no_video},
        {maker().make(
             "covered.m4a",
             std::string{sound_input} + " -i @picture.png -map 0 -map 1 -c:a aac -c:v copy "
                                        "-disposition:v:0 attached_pic"),
         format_fault::only_cover},
    };
    for (const auto& [file, detail] : cases) {
        SCOPED_TRACE(file.filename().string());
        const auto outcome = analyze(file);
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code(), errc::unsupported_format);
        EXPECT_EQ(outcome.error().detail(), detail);
    }
}

TEST_F(Videos, RejectsOtherFiles) {
    const std::string still = "-f lavfi -i testsrc2=s=180x320:d=1 -frames:v 1";
    const auto cover = maker().make("cover.png", still);
    std::string random(50'000, '\0');
    std::mt19937 numbers{7};
    for (auto& byte : random) byte = static_cast<char>(numbers());
    const std::filesystem::path files[] = {
        cover,
        maker().make("still.jpg", still),
        maker().make("still.gif", still),
        maker().make("moving.gif", "-f lavfi -i testsrc2=s=90x160:r=5:d=1"),
        maker().make("single.mp4", still + h264),
        maker().make("sound.m4a", std::string{sound_input} + " -c:a aac"),
        maker().make("sound.mp3", std::string{sound_input} + " -c:a libmp3lame"),
        maker().make(
            "album.m4a",
            std::string{sound_input} + " -i @cover.png -map 0 -map 1 -c:a aac -c:v copy "
                                       "-disposition:v:0 attached_pic"),
        maker().make("other.avi", std::string{picture_input} + " -c:v mpeg4"),
        maker().make("stream.ts", std::string{picture_input} + h264),
        maker().make("old.mkv", std::string{picture_input} + " -c:v ffv1"),
        maker().write("empty.mp4", ""),
        maker().write("random.mp4", random),
        maker().write("page.mp4", "<!doctype html><html><body>Sorry</body></html>"),
        maker().write("list.mp4", "ffconcat version 1.0\nfile '/etc/passwd'\n"),
        maker().write("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n"),
    };
    for (const auto& file : files) {
        SCOPED_TRACE(file.filename().string());
        expect_refused(file, errc::unsupported_format);
    }
}

TEST_F(Videos, ReportsAMissingFile) {
    expect_refused(maker().folder() / "missing.mp4", errc::media_failed);
    expect_refused(maker().folder(), errc::media_failed);
    const auto pipe = maker().folder() / "pipe.mp4";
    mkfifo(pipe.c_str(), 0600);
    expect_refused(pipe, errc::media_failed);
}

TEST_F(Videos, AnalyzesTheRemainderOfATruncatedOne) {
    const auto whole = bytes_of(good());
    const auto cut =
        maker().write("cut.mp4", std::string_view{whole}.substr(0, whole.size() * 3 / 4));
    const auto report = analyze(cut);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_LT(report->probe.duration_seconds, 1.95);
    EXPECT_GT(report->probe.duration_seconds, 1.0);

    const auto little = maker().write("little.mp4", std::string_view{whole}.substr(0, 6'000));
    expect_refused(little, errc::unsupported_format);

    // The index is at the end of this one, and lost.
    const auto plain = bytes_of(maker().make("plain.mp4", std::string{picture_input} + h264));
    const auto headless =
        maker().write("headless.mp4", std::string_view{plain}.substr(0, plain.size() / 2));
    expect_refused(headless, errc::unsupported_format);
}

TEST_F(Videos, DoesNotTrustHeaders) {
    const auto whole = bytes_of(good());
    // Offsets after the box's name, version 0: mvhd and mdhd have their duration at 16, tkhd at 20.
    const auto longer =
        probe(maker().write("longer.mp4", with_number(whole, "mvhd", 16, 0x7fff'ffff, 4)));
    ASSERT_TRUE(longer) << longer.error().to_string();
    EXPECT_NEAR(longer->duration_seconds, 2, 0.1);

    auto shorter = with_number(whole, "mvhd", 16, 1, 4);
    shorter = with_number(shorter, "mdhd", 16, 1, 4);
    expect_refused(maker().write("shorter.mp4", shorter), errc::video_too_long, 1.5);

    // Width and height of the sample entry, which contradict the stream.
    auto wider = with_number(whole, "avc1\0\0\0\0\0\0\0\1", 16, 0xffff, 2);
    const auto report = probe(maker().write("wider.mp4", wider));
    if (report) {
        EXPECT_EQ(report->width, 180);
    } else {
        EXPECT_EQ(report.error().code(), errc::unsupported_format);
    }
}

TEST_F(Videos, RejectsPicturesThatAreTooLarge) {
    const auto file = maker().make(
        "large.mp4", "-f lavfi -i color=c=red:s=8192x4096:r=2:d=1 -c:v libx264 -preset ultrafast");
    expect_refused(file, errc::unsupported_format);
}

TEST_F(Videos, RejectsTooManyStreams) {
    good();
    std::string arguments = "-i @good.mp4";
    for (int stream = 0; stream < 40; ++stream) arguments += " -map 0:v";
    expect_refused(maker().make("many.mp4", arguments + " -c copy"), errc::unsupported_format);
}

// Goal: no damage makes the helper hang or the client crash. Method: bytes overwritten at random,
// seeded; any result is valid, but a crash must be reported as one.
TEST_F(Videos, SurvivesDamage) {
    const auto whole = bytes_of(good());
    std::mt19937 numbers{20'260'101};
    for (int round = 0; round < 12; ++round) {
        SCOPED_TRACE(round);
        auto damaged = whole;
        for (int change = 0; change < 60; ++change) {
            damaged[numbers() % damaged.size()] = static_cast<char>(numbers());
        }
        const auto report = probe(maker().write("damaged.mp4", damaged));
        if (report) continue;
        EXPECT_THAT(
            report.error().code(),
            ::testing::AnyOf(errc::unsupported_format, errc::video_too_long));
    }
}

TEST_F(Videos, DoctorReportsLayersAndModels) {
    const auto report = client().doctor(deadline::after(60s), {});
    ASSERT_TRUE(report) << report.error().to_string();
    const auto jail = jail_report_from_json(report->at("jail"));
    ASSERT_TRUE(jail) << jail.error().to_string();
    EXPECT_TRUE(jail->holds("no_new_privileges"));
    EXPECT_TRUE(jail->holds("resource_limits"));
    EXPECT_TRUE(jail->refusal.empty()) << jail->refusal;
    EXPECT_TRUE(jail->possible.empty()) << report->dump();
    EXPECT_TRUE(report->at("text_models").at("loads").get<bool>()) << report->dump();
    EXPECT_TRUE(report->at("speech_models").at("loads").get<bool>()) << report->dump();
    EXPECT_FALSE(report->at("libraries").empty());
}

TEST_F(Videos, ReportsAMissingModel) {
    auto options = media_options{.helper = MEDIA_HELPER, .text_models = "/nowhere/models"};
    const media_client without{options};
    const auto report = without.analyze(good(), deadline::after(120s), {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), errc::media_failed);
    EXPECT_THAT(report.error().detail(), HasSubstr("/nowhere/models"));
}

}  // namespace
}  // namespace reelsd::media
