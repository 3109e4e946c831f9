#include "prompt.hpp"

#include "../answer.hpp"
#include "../clean_text.hpp"
#include <reelsd/base/random.hpp>
#include <reelsd/base/text.hpp>

#include <boost/algorithm/string/erase.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace reelsd::model {
namespace {

/// The platform's limit.
constexpr std::size_t caption_characters_max = 2200;
constexpr std::size_t violations_max = 10;
constexpr std::size_t violation_characters_max = 200;

using placeholder = std::pair<std::string_view, std::string_view>;

/// `text` with each {name} replaced. Values are not searched for names.
std::string filled(std::string_view text, std::initializer_list<placeholder> values) {
    std::string filled_text;
    while (!text.empty()) {
        const auto brace = std::min(text.find('{'), text.size());
        filled_text.append(text.substr(0, brace));
        text.remove_prefix(brace);
        const auto* const match = std::ranges::find_if(values, [&](const placeholder& value) {
            return text.starts_with(fmt::format("{{{}}}", value.first));
        });
        if (match != values.end()) {
            filled_text.append(match->second);
            text.remove_prefix(match->first.size() + 2);
        } else if (!text.empty()) {
            filled_text.push_back(text.front());
            text.remove_prefix(1);
        }
    }
    while (filled_text.ends_with('\n')) filled_text.pop_back();
    return filled_text;
}

/// Repeats until there is none: the text around a removed one may form another.
std::string without(std::string text, std::string_view unwanted) {
    while (contains(text, unwanted)) boost::algorithm::erase_first(text, unwanted);
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

}  // namespace

prompt make_prompt(const prompt_request& request) {
    const auto duration = request.video.probe.duration_seconds;
    const auto seconds = fmt::format("{:.1f}", duration);
    const auto minutes = timestamp_of(std::ceil(duration));
    const auto caption = caption_block(request.video, request.boundary);
    return {
        .instructions = filled(
            prompt_files::instructions,
            {{"output_language", request.output_language}, {"boundary", request.boundary}}),
        .task = filled(
            prompt_files::task,
            {{"duration", minutes},
             {"duration_seconds", seconds},
             {"media_note", request.media_note},
             {"caption_block", caption},
             {"output_language", request.output_language}}),
        .boundary = std::string{request.boundary}};
}

std::string new_boundary() {
    return fmt::format("{:016x}", random_bits());
}

std::string schema_note() {
    return "The answer is one JSON object that fits this JSON Schema:\n" + answer_schema().dump();
}

std::string repair_note(std::span<const std::string> violations) {
    std::string listed;
    for (const auto& violation : violations.first(std::min(violations.size(), violations_max))) {
        if (!listed.empty()) listed.push_back('\n');
        listed.append("- ").append(clean_text(violation, violation_characters_max));
    }
    return filled(prompt_files::repair, {{"violations", listed}});
}

}  // namespace reelsd::model
