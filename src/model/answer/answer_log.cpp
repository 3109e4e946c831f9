#include "answer_log.hpp"

#include "../time_signs.hpp"

#include <algorithm>

namespace reelsd::model {

namespace {

// More would not help a model, and each costs tokens.
constexpr std::size_t violations_max = 10;

}  // namespace

void answer_log::violation(const std::string& path, std::string_view what) {
    if (violations_.size() == violations_max) return;
    auto sentence = path + " " + std::string{what};
    if (std::find(violations_.begin(), violations_.end(), sentence) != violations_.end()) return;
    violations_.push_back(std::move(sentence));
}

void answer_log::useless() {
    violations_.insert(violations_.begin(), "the answer says nothing about the video");
    violations_.resize(std::min(violations_.size(), violations_max));
}

void answer_log::repeats_cut(const std::string& path) {
    violation(path, "repeats itself");
    repeats_cut_ = true;
}

void answer_log::time(const parsed_time& reading) {
    if (reading.past_end_seconds <= 0) return;
    times_moved_ = true;
    if (is_far_past_end(duration_ + reading.past_end_seconds, duration_)) ++times_far_past_end_;
}

bool answer_log::take(std::size_t bytes) {
    if (bytes > bytes_left_) {
        violation("the answer", "has more text than a video needs");
        return false;
    }
    bytes_left_ -= bytes;
    return true;
}

std::vector<std::string> answer_log::warnings() const {
    std::vector<std::string> said;
    if (times_moved_) said.emplace_back(times_moved_warning);
    if (times_far_past_end_ >= far_times_min) said.emplace_back(far_times_warning);
    if (repeats_cut_) said.emplace_back("the model repeated itself: the repeats were left out");
    return said;
}

}  // namespace reelsd::model
