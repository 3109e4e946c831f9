#include "prompt.hpp"

#include "../answer.hpp"
#include "../clean_text.hpp"
#include <reelsd/base/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace reelsd::model {
namespace {

/// As long as the platform lets a caption be.
constexpr std::size_t caption_characters_max = 2200;
constexpr std::size_t violations_max = 10;
constexpr std::size_t violation_characters_max = 200;

using placeholder = std::pair<std::string_view, std::string_view>;

/// `text` with each {name} replaced; what is put in is not looked at again.
std::string filled(std::string_view text, std::initializer_list<placeholder> values) {
    std::string made;
    while (!text.empty()) {
        const auto brace = std::min(text.find('{'), text.size());
        made.append(text.substr(0, brace));
        text.remove_prefix(brace);
        const auto* const match =
            std::find_if(values.begin(), values.end(), [&](const placeholder& one) {
                return text.starts_with(fmt::format("{{{}}}", one.first));
            });
        if (match != values.end()) {
            made.append(match->second);
            text.remove_prefix(match->first.size() + 2);
        } else if (!text.empty()) {
            made.push_back(text.front());
            text.remove_prefix(1);
        }
    }
    while (made.ends_with('\n')) made.pop_back();
    return made;
}

/// From the start each time: what stood around one may be the next.
std::string without(std::string text, std::string_view unwanted) {
    for (auto at = text.find(unwanted); at != std::string::npos; at = text.find(unwanted)) {
        text.erase(at, unwanted.size());
    }
    return text;
}

std::string caption_block(const video_input& video, std::string_view boundary) {
    auto text = video.caption;
    for (const auto& tag : video.hashtags) {
        if (text.find(tag) == std::string::npos) text.append(" #").append(tag);
    }
    const auto clean = without(clean_text(text, caption_characters_max), boundary);
    if (clean.empty()) return "The post has no caption.";
    return fmt::format("Caption {0}\n{1}\nEnd of caption {0}", boundary, clean);
}

/// "01:05"
std::string minutes_of(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
}

}  // namespace

prompt make_prompt(const prompt_request& about) {
    const auto duration = about.video.probe.duration_seconds;
    const auto seconds = fmt::format("{:.1f}", duration);
    const auto minutes = minutes_of(duration);
    const auto caption = caption_block(about.video, about.boundary);
    return {
        .instructions = filled(
            prompt_files::instructions,
            {{"output_language", about.output_language}, {"boundary", about.boundary}}),
        .task = filled(
            prompt_files::task,
            {{"duration", minutes},
             {"duration_seconds", seconds},
             {"media_note", about.media_note},
             {"caption_block", caption},
             {"output_language", about.output_language}}),
        .boundary = std::string{about.boundary}};
}

std::string new_boundary() {
    return fmt::format("{:016x}", random_bits());
}

std::string schema_note() {
    return "The answer is one JSON object that fits this JSON Schema:\n" + answer_schema().dump();
}

std::string repair_note(std::span<const std::string> violations) {
    std::string listed;
    for (const auto& one : violations.first(std::min(violations.size(), violations_max))) {
        if (!listed.empty()) listed.push_back('\n');
        listed.append("- ").append(clean_text(one, violation_characters_max));
    }
    return filled(prompt_files::repair, {{"violations", listed}});
}

}  // namespace reelsd::model
