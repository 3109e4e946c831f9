#include "../sound/sound.hpp"
#include "../text/text_reader.hpp"
#include "commands.hpp"
#include "document.hpp"
#include "first_pass.hpp"
#include "frames_at.hpp"
#include "jail_settings.hpp"
#include "scaler.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace reelsd::media {
namespace {

/// So often the reader is shown one picture, as if it stood still: it reads faint lines only at the
/// second sight, and a single character at the third.
constexpr int sights = 3;

/// Reads each picture by itself.
class moment_reader {
public:
    moment_reader(const geometry& shape, text::text_reader& reader)
        : picture_{shape}, reader_{reader} {}

    void read(const AVFrame& frame, double at_seconds) {
        const auto picture = picture_.scale(frame);
        if (picture.pixels == nullptr) return;
        double seconds = 0;
        for (int sight = 0; sight < sights; ++sight, seconds += 1 / text::frames_per_second) {
            reader_.add_frame(picture, seconds);
        }
        for (auto& line : reader_.finish(seconds)) {
            texts_.push_back({std::move(line.text), at_seconds, at_seconds});
        }
    }

    [[nodiscard]] std::vector<timed_text> finish() { return std::move(texts_); }

private:
    text_picture picture_;
    text::text_reader& reader_;
    std::vector<timed_text> texts_;
};

result<std::vector<timed_text>> read_texts(
    const input_file& file, const first_pass& known, const arguments& given,
    text::text_reader& reader) {
    moment_reader moments{known.shape, reader};
    const auto taken = for_each_frame_at(
        file,
        known,
        given.seconds_max,
        given.at_seconds,
        [&moments](const AVFrame& frame, double at) -> result<void> {
            moments.read(frame, at);
            return {};
        });
    if (!taken) return taken.error();
    return moments.finish();
}

}  // namespace

result<check_report> check(const arguments& given) {
    const auto file = input_file::open(given.video);
    if (!file) return file.error();
    auto reader = text::text_reader::load(given.tessdata);
    if (!reader) return reader.error();
    auto voice = sound::voice_detector::load();
    if (!voice) return voice.error();
    const auto entered = enter_jail(given, {.video = file->descriptor()});
    if (!entered) return entered.error();

    const auto known = run_first_pass(*file, given.seconds_max, listening::speech_alone);
    if (!known) return known.error();
    const auto& samples = known->sound.for_speech;
    check_report report;
    report.silent = samples.empty() || sound::is_silent(samples);
    report.speech = !report.silent && (*voice)->hears_voice(samples);
    if (given.at_seconds.empty()) return report;

    auto texts = read_texts(*file, *known, given, **reader);
    if (!texts) return texts.error();
    report.texts = std::move(*texts);
    tidy(report);
    return report;
}

}  // namespace reelsd::media
