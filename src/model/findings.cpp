#include <reelsd/model/analyzer.hpp>

namespace reelsd::model {

std::string transcript_of(const std::vector<timed_text>& segments) {
    std::string transcript;
    for (const auto& segment : segments) {
        if (segment.text.empty()) continue;
        if (!transcript.empty()) transcript += ' ';
        transcript += segment.text;
    }
    return transcript;
}

std::string timestamp_of(double seconds) {
    const auto whole = static_cast<std::int64_t>(seconds);
    const auto two_digits = [](std::int64_t number) {
        return (number < 10 ? "0" : "") + std::to_string(number);
    };
    return two_digits(whole / 60) + ':' + two_digits(whole % 60);
}

}  // namespace reelsd::model
