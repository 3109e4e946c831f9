#include <reelsd/base/invariant.hpp>
#include <reelsd/model/analyzer.hpp>

namespace reelsd::model {

std::string_view name_of(sentiment mood) noexcept {
    switch (mood) {
        case sentiment::positive: return "positive";
        case sentiment::neutral: return "neutral";
        case sentiment::negative: return "negative";
        case sentiment::mixed: return "mixed";
    }
    invariant(false);
    return {};
}

std::string_view name_of(modality kind) noexcept {
    switch (kind) {
        case modality::text: return "text";
        case modality::image: return "image";
        case modality::video: return "video";
        case modality::audio: return "audio";
        case modality::document: return "document";
        case modality::other: return "other";
    }
    invariant(false);
    return {};
}

std::optional<sentiment> sentiment_from(std::string_view name) noexcept {
    for (const auto mood :
         {sentiment::positive, sentiment::neutral, sentiment::negative, sentiment::mixed}) {
        if (name == name_of(mood)) return mood;
    }
    return std::nullopt;
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
