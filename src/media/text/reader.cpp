#include "../picture/frame_history.hpp"
#include "../picture/picture_watch.hpp"
#include "detector.hpp"
#include "recogniser.hpp"
#include "text_normalizer.hpp"
#include "text_reader.hpp"
#include "timeline.hpp"
#include "tracker.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

namespace reelsd::media::text {
namespace {

/// In every second frame the detector sees all rows that changed, in the others only those of lines
/// that changed.
constexpr int all_rows_every = 2;
/// Next to a line: a space, and most of a digit.
constexpr double digit_heights = 1.2;

class frame_text_reader final : public text_reader {
public:
    frame_text_reader(line_detector detector, recogniser letters)
        : detector_{std::move(detector)}, letters_{std::move(letters)} {}

    void add_frame(const picture::view& frame, double seconds) override {
        history_.add(frame);
        const bool all_rows = frame_count_++ % all_rows_every == 0;
        find_lines(frames_, frame, history_.before(), all_rows, seconds);
        if (all_rows) return;
        const picture::view mean = history_.mean();
        if (mean.pixels == nullptr) return;
        constexpr double half_length = (picture::frame_history::length - 1) / 2.0;
        find_lines(averaged_, mean, {}, true, seconds - half_length / frames_per_second);
    }

    std::vector<timed_text> finish(double duration_seconds) override {
        auto sightings = release(frames_, duration_seconds);
        auto missed = release(averaged_, duration_seconds);
        std::erase_if(missed, [&](const sighting& line) { return !is_missed(line, sightings); });
        std::erase_if(sightings, is_glimpse);
        sightings.insert(sightings.end(), missed.begin(), missed.end());
        history_ = {};
        frame_count_ = 0;
        return merge_sightings(std::move(sightings));
    }

private:
    /// The lines of one series of pictures.
    struct series {
        int read_from = 1;  ///< Sighting of a line at which it is read first.
        picture::picture_watch watch{};
        line_tracker tracker{};
    };

    /// `all_rows`: those that changed; otherwise only those of lines that changed.
    void find_lines(
        series& of, const picture::view& frame, const picture::view& before, bool all_rows,
        double seconds) {
        of.tracker.compare(frame);
        auto changed = all_rows ? of.watch.changed_rows(frame)
                                : std::vector<bool>(static_cast<std::size_t>(frame.height));
        std::vector<rotated_box> found;
        for (const rows& area : of.tracker.changed_rows(std::move(changed))) {
            const auto boxes = detector_.find(frame, area);
            found.insert(found.end(), boxes.begin(), boxes.end());
        }
        of.tracker.update(found, frame, all_rows ? before : picture::view{}, seconds);
        for (track* line : of.tracker.due()) {
            if (line->sightings < of.read_from) continue;
            auto reading = read(frame, line->place, found);
            reading.text = tidied(reading);
            of.tracker.take(*line, std::move(reading), frame, seconds);
        }
    }

    static std::vector<sighting> release(series& from, double duration_seconds) {
        std::vector<sighting> sightings;
        for (const track& line : from.tracker.release()) {
            if (!is_accepted(line.reading, line.sightings)) continue;
            // A line appeared between its first frame and the one before.
            const double end = std::min(line.last_seconds + half_frame_seconds, duration_seconds);
            sightings.push_back(
                {.text = line.reading.text,
                 .confidence = line.reading.confidence,
                 .frames = line.sightings,
                 .start_seconds = std::clamp(line.first_seconds - half_frame_seconds, 0.0, end),
                 .end_seconds = end,
                 .first_place = line.first_place.bounds(),
                 .last_place = line.place.bounds()});
        }
        from.watch = {};
        return sightings;
    }

    /// The network does not detect an isolated digit, as in "3 WAYS" and "PART 2", so one
    /// is looked for next to the line, unless another line of `found` is there.
    line_reading read(
        const picture::view& frame, const rotated_box& place,
        const std::vector<rotated_box>& found) {
        auto reading = letters_.read(frame, place);
        if (reading.confidence < sure_confidence) return reading;
        rotated_box wider = place;
        wider.width += 2 * digit_heights * place.height;
        const auto touches = [&](const rotated_box& other) {
            return picture::intersection(wider.bounds(), other.bounds()).area() > 0;
        };
        if (std::ranges::count_if(found, touches) > 1) return reading;
        auto longer = letters_.read(frame, wider);
        const bool is_sure = longer.confidence >= sure_confidence;
        return is_sure && adds_digit(reading.text, longer.text) ? longer : reading;
    }

    line_detector detector_;
    recogniser letters_;
    picture::frame_history history_;
    int frame_count_ = 0;
    series frames_;
    /// Reads the means of four frames, in which text on a moving background is legible. The first
    /// mean that shows a line may still show the text before it.
    series averaged_{.read_from = 2};
};

/// One character a line, and the space.
result<alphabet> load_characters(const std::string& path) {
    std::ifstream file{path};
    std::vector<std::string> characters;
    for (std::string line; std::getline(file, line);) characters.push_back(line);
    if (characters.empty()) return error{errc::media_failed, "cannot read " + path};
    characters.emplace_back(" ");
    return alphabet{std::move(characters)};
}

}  // namespace

result<std::unique_ptr<text_reader>> text_reader::load(const std::string& models_dir) {
    auto detection =
        picture_model::load(models_dir + "/ch_PP-OCRv4_det_infer.onnx", "sigmoid_0.tmp_0");
    if (!detection) return detection.error();
    auto recognition =
        picture_model::load(models_dir + "/ch_PP-OCRv4_rec_infer.onnx", "softmax_11.tmp_0");
    if (!recognition) return recognition.error();
    auto characters = load_characters(models_dir + "/ppocr_keys_v1.txt");
    if (!characters) return characters.error();
    return std::unique_ptr<text_reader>{std::make_unique<frame_text_reader>(
        line_detector{std::move(*detection)},
        recogniser{std::move(*recognition), std::move(*characters)})};
}

}  // namespace reelsd::media::text
