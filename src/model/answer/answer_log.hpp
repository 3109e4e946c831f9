#pragma once

#include "time_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// All text of an answer: twice what the largest one of 32,768 tokens has. Searching for loops is
/// linear, but 1 MiB that was made to be searched takes 0.1 s.
inline constexpr std::size_t text_bytes_max = std::size_t{256} * 1024;

/// What is noticed while an answer is read.
class answer_log {
public:
    explicit answer_log(double duration_seconds) : duration_{duration_seconds} {}

    /// "audio.segments is missing". What is said already, or comes after ten others, is left out.
    void violation(const std::string& path, std::string_view what);
    /// The answer as a whole is of no use: comes before all others.
    void useless();
    /// Something in `path` was said over and over, and the repeats were cut.
    void repeats_cut(const std::string& path);
    /// A time was read; how it was moved is remembered.
    void time(const parsed_time& reading);

    /// Counts text that is about to be cleaned and searched for loops. False, and a violation, when
    /// it is more than any answer needs: then it is left out.
    [[nodiscard]] bool take(std::size_t bytes);

    [[nodiscard]] double duration_seconds() const noexcept { return duration_; }
    [[nodiscard]] const std::vector<std::string>& violations() const noexcept {
        return violations_;
    }
    /// A sentence for people about each thing that was put right.
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    double duration_;
    std::size_t bytes_left_ = text_bytes_max;
    std::vector<std::string> violations_;
    bool repeats_cut_ = false;
    bool times_moved_ = false;
    std::size_t times_far_past_end_ = 0;
};

}  // namespace reelsd::model
