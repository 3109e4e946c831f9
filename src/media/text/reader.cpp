#include "rendering.hpp"
#include "text_normalizer.hpp"
#include "text_reader.hpp"
#include "timeline.hpp"
#include "tracker.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace reelsd::media::text {

namespace {

constexpr std::size_t readings_per_frame_max = 6;  // The rest waits: texture has many lines.
constexpr int readings_per_track_max = 5;
constexpr int readings_if_hopeless_max = 2;
constexpr double sure_confidence = 90;    // Of 100, as all below.
constexpr double agreed_confidence = 84;  // Of two readings with the same text.
constexpr double hopeless_value = 55;
constexpr double split_value = 85;
constexpr double known_bonus = 5;
constexpr double half_frame_seconds = 0.5 / frames_per_second;

/// Confidence, and a little for words of the dictionary.
double value_of(const line_reading& reading) {
    double known = 0;
    double all = 0;
    for (const word_reading& word : reading.words) {
        all += static_cast<double>(word.text.size());
        if (word.known) known += static_cast<double>(word.text.size());
    }
    return all == 0 ? 0.0 : reading.confidence() + known_bonus * known / all;
}

/// Reads one line from several pictures of it and keeps the best reading.
class reading_attempts {
public:
    explicit reading_attempts(recogniser& words) : words_{words} {}

    /// True when the best reading is certain: no further picture is needed.
    bool try_picture(const plane& picture) {
        line_reading reading = words_.read(picture);
        if (value_of(reading) > value_of(best_)) best_ = std::move(reading);
        return best_.confidence() >= sure_confidence;
    }
    [[nodiscard]] bool hopeless() const { return value_of(best_) < hopeless_value; }
    [[nodiscard]] line_reading release() { return std::move(best_); }

private:
    recogniser& words_;
    line_reading best_;
};

class frame_text_reader final : public text_reader {
public:
    explicit frame_text_reader(std::unique_ptr<recogniser> words)
        : words_{std::move(words)}, filter_{[engine = words_.get()](std::string_view word) {
              return engine->knows(word);
          }} {}

    void add_frame(const rgb_frame& frame, double seconds) override {
        const auto candidates = detector_.find(frame);
        std::vector<track> ended;
        auto seen = tracker_.update(candidates, detector_, frame, seconds, ended);
        for (const track& each : ended) note(each);
        std::erase_if(seen, [](const observation& each) { return !wants_reading(*each.line); });
        // If there are too many, new lines come first, then the most regular ones, so that captions
        // do not wait for texture.
        std::stable_sort(seen.begin(), seen.end(), [](const observation& a, const observation& b) {
            const auto rank = [](const track& line) {
                return std::tuple{line.readings > 0, line.sightings / 4, -line.line.score};
            };
            return rank(*a.line) < rank(*b.line);
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
    static bool wants_reading(const track& line) { return line.sightings >= line.next_reading; }

    void read(const observation& seen, double seconds) {
        track& line = *seen.line;
        ++line.readings;
        line_reading now = best_reading(seen);
        const counted_reading* before = favourite(line);
        if (before != nullptr && value_of(now) >= split_value &&
            value_of(before->reading) >= split_value &&
            !same_text(now.text(), before->reading.text())) {
            split(line, seconds);
        }
        count(line, std::move(now));
        plan_next_reading(line);
    }

    static void count(track& line, line_reading now) {
        for (counted_reading& each : line.texts) {
            if (each.reading.text() != now.text()) continue;
            ++each.count;
            if (value_of(now) > value_of(each.reading)) each.reading = std::move(now);
            return;
        }
        line.texts.push_back({.reading = std::move(now), .count = 1});
    }

    /// The combined reading of `line`; null before the first.
    static const counted_reading* favourite(const track& line) {
        const auto rank = [](const counted_reading& each) {
            return value_of(each.reading) + 8.0 * (each.count - 1);
        };
        const auto best = std::max_element(
            line.texts.begin(), line.texts.end(), [&](const auto& a, const auto& b) {
                return rank(a) < rank(b);
            });
        return best == line.texts.end() ? nullptr : &*best;
    }

    /// Readings are expensive: one certain reading of known words or two equal ones suffice, and
    /// unreadable lines are soon abandoned.
    void plan_next_reading(track& line) const {
        const counted_reading* best = favourite(line);
        const double value = best == nullptr ? 0 : value_of(best->reading);
        const bool sure =
            best != nullptr &&
            ((best->reading.confidence() >= sure_confidence && filter_.trusts(best->reading)) ||
             (value >= agreed_confidence && best->count >= 2));
        const int most =
            value >= hopeless_value ? readings_per_track_max : readings_if_hopeless_max;
        line.next_reading = sure || line.readings >= most ? std::numeric_limits<int>::max()
                                                          : line.sightings * 2 + 1;
    }

    /// Continues the track as another text.
    void split(track& line, double seconds) {
        track before = line;
        before.last_seconds = seconds - 2 * half_frame_seconds;
        --before.sightings;
        note(before);
        line.first_seconds = seconds;
        line.sightings = 1;
        line.readings = 1;
        line.texts.clear();
    }

    line_reading best_reading(const observation& seen) {
        reading_attempts attempts{*words_};
        try_pictures(seen, attempts);
        return attempts.release();
    }

    /// Stops at a certain reading, or when no view is promising.
    void try_pictures(const observation& seen, reading_attempts& attempts) const {
        const track& line = *seen.line;
        const text_line& letters = line.line;
        const auto try_cut = [&] {
            return attempts.try_picture(
                render_cut(line.steady, letters.level, letters.glyph_height));
        };
        // The background of a still line disappears over time, so that later readings start with
        // it.
        const bool steady = line.readings > 1 && line.sightings >= 4 && !line.moved;
        if (steady && try_cut()) return;
        if (seen.view != nullptr && try_views(*seen.view, attempts)) return;
        if (!steady && try_cut()) return;
        if (attempts.hopeless()) return;
        attempts.try_picture(render_grey(
            cropped(detector_.channel(letters.channel).grey, line.steady_area),
            letters.glyph_height));
    }

    /// Reads the letters in this frame. True when no other picture of the line is needed or
    /// promising.
    bool try_views(const candidate& view, reading_attempts& attempts) const {
        const auto try_letters = [&](const text_line& letters) {
            return attempts.try_picture(
                render_letters(letters, detector_.channel(letters.channel).tophat));
        };
        if (try_letters(view.line)) return true;
        if (view.line.letters_tall < 4 && attempts.hopeless()) return true;
        std::size_t left = attempts.hopeless() ? 2 : 1;
        for (const text_line& other : view.others) {
            if (left-- == 0) break;
            if (try_letters(other)) return true;
        }
        return false;
    }

    void note(const track& line) {
        const counted_reading* best = favourite(line);
        if (best == nullptr) return;
        const auto vetted = filter_.filter(
            best->reading,
            {.sightings = line.sightings,
             .agreeing = best->count,
             .letters = static_cast<double>(line.line.letters_tall)});
        if (vetted.text.empty()) return;
        // A line appeared between its first frame and the one before.
        sightings_.push_back(
            {.text = vetted.text,
             .confidence = vetted.confidence,
             .frames = line.sightings,
             .start_seconds = std::max(0.0, line.first_seconds - half_frame_seconds),
             .end_seconds = line.last_seconds + half_frame_seconds,
             .place = line.line.bounds});
    }

    std::unique_ptr<recogniser> words_;
    ocr_filter filter_;
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
