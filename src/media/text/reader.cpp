#include "rendering.hpp"
#include "text_reader.hpp"
#include "timeline.hpp"
#include "tracker.hpp"
#include "wording.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace reelsd::media::text {

namespace {

constexpr std::size_t readings_per_frame_max = 8;  // The rest waits: texture has no end of lines.
constexpr int readings_per_track_max = 6;
constexpr double sure_confidence = 90;
constexpr double half_frame_seconds = 0.5 / frames_per_second;

/// Confidence, and a little for words of the dictionary.
double value_of(const line_reading& reading) {
    double known = 0;
    double all = 0;
    for (const word_reading& word : reading.words) {
        all += static_cast<double>(word.text.size());
        if (word.known) known += static_cast<double>(word.text.size());
    }
    return all == 0 ? 0.0 : reading.confidence() + 5 * known / all;
}

class frame_text_reader final : public text_reader {
public:
    explicit frame_text_reader(std::unique_ptr<recogniser> words)
        : words_{std::move(words)}, judge_{*words_} {}

    void add_frame(const rgb_frame& frame, double seconds) override {
        const auto candidates = detector_.find(frame);
        std::vector<track> ended;
        auto seen = tracker_.update(candidates, detector_, frame, seconds, ended);
        for (const track& each : ended) note(each);
        std::erase_if(seen, [](const observation& each) { return !wants_reading(*each.line); });
        // The most regular lines first, should there be too many.
        std::stable_sort(seen.begin(), seen.end(), [](const observation& a, const observation& b) {
            return a.line->line.score > b.line->line.score;
        });
        if (seen.size() > readings_per_frame_max) seen.resize(readings_per_frame_max);
        for (const observation& each : seen) read(each, seconds);
    }

    std::vector<timed_text> finish(double duration_seconds) override {
        for (const track& each : tracker_.release()) note(each);
        for (sighting& each : sightings_) {
            each.end_seconds = std::min(each.end_seconds, duration_seconds);
            each.start_seconds = std::min(each.start_seconds, each.end_seconds);
        }
        return merge_sightings(std::exchange(sightings_, {}));
    }

private:
    static bool wants_reading(const track& line) {
        return line.sightings >= line.next_reading && line.readings < readings_per_track_max;
    }

    void read(const observation& seen, double seconds) {
        track& line = *seen.line;
        ++line.readings;
        const line_reading now = best_reading(seen);
        if (line.readings > 1 && !line.best.words.empty() && value_of(now) >= 80 &&
            value_of(line.best) >= 80 && !same_text(now.text(), line.best.text())) {
            split(line, seconds);
        }
        if (now.text() == line.best.text()) ++line.agreeing;
        if (value_of(now) > value_of(line.best)) {
            if (now.text() != line.best.text()) line.agreeing = 1;
            line.best = now;
        }
        const bool sure = line.best.confidence() >= sure_confidence;
        line.next_reading = sure ? std::numeric_limits<int>::max() : line.sightings * 2;
    }

    /// The track goes on as another text from here.
    void split(track& line, double seconds) {
        track before = line;
        before.last_seconds = seconds - 2 * half_frame_seconds;
        --before.sightings;
        note(before);
        line.first_seconds = seconds;
        line.sightings = 1;
        line.readings = 1;
        line.best = {};
        line.agreeing = 0;
    }

    line_reading best_reading(const observation& seen) {
        const track& line = *seen.line;
        line_reading best;
        const auto attempt = [&](const plane& picture) {
            line_reading reading = words_->read(picture);
            if (value_of(reading) > value_of(best)) best = std::move(reading);
            return best.confidence() >= sure_confidence;
        };
        const text_line& letters = line.line;
        if (seen.view != nullptr) {
            if (attempt(render_letters(
                    seen.view->line, detector_.channel(seen.view->line.channel).tophat))) {
                return best;
            }
            for (const text_line& other : seen.view->others) {
                if (attempt(render_letters(other, detector_.channel(other.channel).tophat)))
                    return best;
            }
        }
        if (attempt(render_cut(line.steady, letters.level, letters.glyph_height))) return best;
        attempt(render_grey(
            cropped(detector_.channel(letters.channel).grey, line.steady_area),
            letters.glyph_height));
        return best;
    }

    void note(const track& line) {
        const auto vetted = judge_.judge(
            line.best,
            {.sightings = line.sightings,
             .agreeing = line.agreeing,
             .letters = static_cast<double>(line.line.letters_tall)});
        if (vetted.text.empty()) return;
        // A line appeared between the frame before and the one that showed it first.
        sightings_.push_back(
            {.text = vetted.text,
             .confidence = vetted.confidence,
             .frames = line.sightings,
             .start_seconds = std::max(0.0, line.first_seconds - half_frame_seconds),
             .end_seconds = line.last_seconds + half_frame_seconds,
             .place = line.line.bounds});
    }

    std::unique_ptr<recogniser> words_;
    word_judge judge_;
    line_detector detector_;
    line_tracker tracker_;
    std::vector<sighting> sightings_;
};

}  // namespace

result<std::unique_ptr<text_reader>> text_reader::load(const std::string& tessdata_dir) {
    auto words = recogniser::load(tessdata_dir);
    if (!words) return words.error();
    return std::unique_ptr<text_reader>{std::make_unique<frame_text_reader>(std::move(*words))};
}

}  // namespace reelsd::media::text
