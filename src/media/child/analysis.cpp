#include "../sound/sound.hpp"
#include "../text/text_reader.hpp"
#include "commands.hpp"
#include "jail_settings.hpp"
#include "passes.hpp"
#include "thumbnail_maker.hpp"
#include <reelsd/base/invariant.hpp>

#include <exception>
#include <future>
#include <memory>
#include <thread>
#include <utility>

namespace reelsd::media {
namespace {

audio_report analyze_sound(sound::speech_recognizer& recognizer, const audio_samples& samples) {
    audio_report report;
    report.silent = samples.for_speech.empty() || sound::is_silent(samples.for_speech);
    if (report.silent) return report;
    report.speech = recognizer.recognize(samples.for_speech);
    report.music = sound::detect_music(samples.for_music, report.speech.segments);
    return report;
}

/// Analyses sound while the main thread reads pictures, which saves a third of the time of a video
/// with speech. It is started before the jail is sealed, and then waits for samples.
class sound_thread {
public:
    /// Returns when the thread runs, because the jail forbids the calls that start one.
    explicit sound_thread(std::unique_ptr<sound::speech_recognizer> recognizer)
        : thread_{[this, recognizer = std::move(recognizer)] {
              started_.set_value();
              // Exceptions, such as std::bad_alloc, go to the main thread.
              try {
                  report_.set_value(analyze_sound(*recognizer, samples_.get_future().get()));
              } catch (...) {
                  report_.set_exception(std::current_exception());
              }
          }} {
        started_.get_future().wait();
    }
    sound_thread(const sound_thread&) = delete;
    sound_thread& operator=(const sound_thread&) = delete;
    ~sound_thread() {
        if (!has_samples_) samples_.set_value({});
        thread_.join();
    }

    /// Call once. The future throws the exceptions of the analysis.
    [[nodiscard]] std::future<audio_report> analyze(audio_samples samples) {
        invariant(!has_samples_);
        has_samples_ = true;
        auto report = report_.get_future();
        samples_.set_value(std::move(samples));
        return report;
    }

private:
    std::promise<void> started_;
    std::promise<audio_samples> samples_;
    std::promise<audio_report> report_;
    bool has_samples_ = false;
    std::thread thread_;  // Last: it uses the others.
};

/// An analysis without a thumbnail is still an analysis.
std::optional<thumbnail_report> thumbnail_if_any(const thumbnail_maker& maker) {
    try {
        return maker.finish();
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace

result<probe_report> probe(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    auto pass = run_first_pass(*file, given.seconds_max, audio_decoding::none);
    if (!pass) return pass.error();
    return std::move(pass->probe);
}

result<analysis_report> analyze(const arguments& given) {
    const auto file = input_file::open(given.video);
    if (!file) return file.error();
    auto reader = text::text_reader::load(given.text_models);
    if (!reader) return reader.error();
    auto recognizer = sound::speech_recognizer::load(given.speech_model);
    if (!recognizer) return recognizer.error();
    auto held = jail::confine(limits_for(given), given.parent);
    sound_thread sound{std::move(*recognizer)};
    jail::seal(held, {.video = file->descriptor()});
    const auto enough = check_jail(held, given);
    if (!enough) return enough.error();

    auto first = run_first_pass(*file, given.seconds_max, audio_decoding::all);
    if (!first) return first.error();
    auto heard = sound.analyze(std::move(first->sound));

    thumbnail_maker thumbnails;
    auto seen = run_second_pass(*file, *first, given.seconds_max, **reader, thumbnails);
    if (!seen) return seen.error();

    analysis_report report;
    report.probe = std::move(first->probe);
    report.texts = std::move(seen->texts);
    report.picture = std::move(seen->picture);
    report.thumbnail = thumbnail_if_any(thumbnails);
    report.audio = heard.get();
    tidy(report);
    return report;
}

result<audio_report> listen(const arguments& given) {
    const auto file = input_file::open(given.video);
    if (!file) return file.error();
    auto recognizer = sound::speech_recognizer::load(given.speech_model);
    if (!recognizer) return recognizer.error();
    const auto entered = enter_jail(given, {.video = file->descriptor()});
    if (!entered) return entered.error();
    const auto first = run_first_pass(*file, given.seconds_max, audio_decoding::all);
    if (!first) return first.error();
    auto report = analyze_sound(**recognizer, first->sound);
    tidy(report, first->probe.duration_seconds);
    return report;
}

result<thumbnail_report> thumbnail(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    auto opened = container::open(*file, given.seconds_max);
    if (!opened) return opened.error();
    thumbnail_maker maker;
    const auto decoded = decode_pictures(*opened, [&](const AVFrame& frame) {
        maker.add(*opened, frame);
        return !maker.done();
    });
    if (!decoded) return decoded.error();
    if (maker.empty()) return error{errc::unsupported_format, "no picture can be decoded"};
    return maker.finish();
}

}  // namespace reelsd::media
