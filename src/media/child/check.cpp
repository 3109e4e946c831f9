#include "../sound/sound.hpp"
#include "../sound/voice.hpp"
#include "../text/text_reader.hpp"
#include "commands.hpp"
#include "jail_settings.hpp"
#include "passes.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace reelsd::media {
namespace {

/// How often the reader receives one picture, like two seconds of a still scene: a text that is
/// seen more briefly needs more confidence.
constexpr int repetitions = 8;

/// Reads each picture separately.
result<std::vector<timed_text>> read_texts(
    const input_file& file, const first_pass& first, const arguments& given,
    text::text_reader& reader) {
    text_picture scaler{first.shape};
    std::vector<timed_text> texts;
    const auto read = [&](const AVFrame& frame, double at_seconds) -> result<void> {
        const auto picture = scaler.scale(frame);
        if (picture.pixels == nullptr) return {};
        double seconds = 0;
        for (int count = 0; count < repetitions; ++count, seconds += 1 / text::frames_per_second) {
            reader.add_frame(picture, seconds);
        }
        for (auto& line : reader.finish(seconds)) {
            texts.push_back({std::move(line.text), at_seconds, at_seconds});
        }
        return {};
    };
    const auto handled = for_each_frame_at(file, first, given.seconds_max, given.at_seconds, read);
    if (!handled) return handled.error();
    return texts;
}

}  // namespace

result<check_report> check(const arguments& given) {
    const auto file = input_file::open(given.video);
    if (!file) return file.error();
    std::unique_ptr<text::text_reader> reader;
    if (!given.at_seconds.empty()) {
        auto loaded = text::text_reader::load(given.text_models);
        if (!loaded) return loaded.error();
        reader = *std::move(loaded);
    }
    auto voice = sound::voice_activity::create();
    if (!voice) return voice.error();
    const auto entered = enter_jail(given, {.video = file->descriptor()});
    if (!entered) return entered.error();

    const auto first = run_first_pass(*file, given.seconds_max, audio_decoding::for_speech);
    if (!first) return first.error();
    const auto& samples = first->sound.for_speech;
    check_report report;
    report.silent = first->sound.is_decodable && (samples.empty() || sound::is_silent(samples));
    if (!samples.empty()) {
        report.silences = sound::find_silences(samples, first->probe.duration_seconds);
    }
    if (first->sound.is_decodable)
        report.speech = !report.silent && sound::hears_voice(**voice, samples);
    if (reader == nullptr) return report;

    auto texts = read_texts(*file, *first, given, *reader);
    if (!texts) return texts.error();
    report.texts = std::move(*texts);
    tidy(report);
    return report;
}

}  // namespace reelsd::media
