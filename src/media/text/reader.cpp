#include "../picture/picture_watch.hpp"
#include "detector.hpp"
#include "recogniser.hpp"
#include "text_normalizer.hpp"
#include "text_reader.hpp"
#include "timeline.hpp"
#include "tracker.hpp"

#include <algorithm>
#include <filesystem>
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
        tracker_.compare(frame);
        const bool all_rows = frame_count_++ % all_rows_every == 0;
        auto changed = all_rows ? watch_.changed_rows(frame)
                                : std::vector<bool>(static_cast<std::size_t>(frame.height));
        std::vector<rotated_box> found;
        for (const rows& area : tracker_.changed_rows(std::move(changed))) {
            const auto boxes = detector_.find(frame, area);
            found.insert(found.end(), boxes.begin(), boxes.end());
        }
        picture::view before = frame;
        before.pixels = all_rows && !before_.empty() ? before_.data() : nullptr;
        tracker_.update(found, frame, before, seconds);
        for (track* line : tracker_.due()) {
            auto reading = read(frame, line->place, found);
            reading.text = tidied(reading);
            tracker_.take(*line, std::move(reading), frame, seconds);
        }
        const auto last_row = frame.pixels + frame.stride * (frame.height - 1);
        before_.assign(frame.pixels, last_row + std::ptrdiff_t{3} * frame.width);
    }

    std::vector<timed_text> finish(double duration_seconds) override {
        std::vector<sighting> sightings;
        for (const track& line : tracker_.release()) {
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
        frame_count_ = 0;
        watch_ = {};
        before_.clear();
        return merge_sightings(std::move(sightings));
    }

private:
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
    picture::picture_watch watch_;
    line_tracker tracker_;
    int frame_count_ = 0;
    std::vector<std::uint8_t> before_;  ///< The frame before this one.
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

std::string text_reader::installed_models() {
    std::error_code failure;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
    // Built: bin/reelsd-media; installed: libexec/reelsd/reelsd-media.
    auto prefix = program.parent_path().parent_path();
    if (prefix.filename() == "libexec") prefix = prefix.parent_path();
    return prefix / "share" / "reelsd" / "text-models";
}

result<std::unique_ptr<text_reader>> text_reader::load(const std::string& models_dir) {
    const auto folder = models_dir.empty() ? installed_models() : models_dir;
    auto detection = neural_model::load(folder + "/ch_PP-OCRv4_det_infer.onnx", "sigmoid_0.tmp_0");
    if (!detection) return detection.error();
    auto recognition =
        neural_model::load(folder + "/ch_PP-OCRv4_rec_infer.onnx", "softmax_11.tmp_0");
    if (!recognition) return recognition.error();
    auto characters = load_characters(folder + "/ppocr_keys_v1.txt");
    if (!characters) return characters.error();
    return std::unique_ptr<text_reader>{std::make_unique<frame_text_reader>(
        line_detector{std::move(*detection)},
        recogniser{std::move(*recognition), std::move(*characters)})};
}

}  // namespace reelsd::media::text
