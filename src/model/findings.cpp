#include <reelsd/model/analyzer.hpp>

#include <algorithm>
#include <array>

namespace reelsd::model {

namespace {

constexpr std::array<std::string_view, 4> sentiments{"positive", "neutral", "negative", "mixed"};
constexpr std::array<std::string_view, 6> modalities{
    "text", "image", "video", "audio", "document", "other"};

}  // namespace

std::string_view name_of(sentiment mood) noexcept {
    return sentiments.at(static_cast<std::size_t>(mood));
}

std::string_view name_of(modality kind) noexcept {
    return modalities.at(static_cast<std::size_t>(kind));
}

std::optional<sentiment> sentiment_from(std::string_view name) noexcept {
    const auto* const known = std::ranges::find(sentiments, name);
    if (known == sentiments.end()) return std::nullopt;
    return static_cast<sentiment>(known - sentiments.begin());
}

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
