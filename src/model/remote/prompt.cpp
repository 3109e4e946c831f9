#include "prompt.hpp"

#include "../answer.hpp"
#include "../clean_text.hpp"
#include "../extraction/extract.hpp"
#include "../languages.hpp"
#include <reelsd/base/random.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <boost/algorithm/string/erase.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reelsd::model {
namespace {

/// About 4,000 tokens. Only captions of uploads can be longer: the platform's have at most 2,200.
constexpr std::size_t caption_characters_max = 16'000;
/// Half an hour of fast speech.
constexpr std::size_t speech_bytes_max = 32'000;
constexpr std::size_t violations_max = 10;
constexpr std::size_t violation_characters_max = 200;

/// `text` with its placeholders replaced, without the newline at its end.
template <class... Arguments>
std::string filled(std::string_view text, const Arguments&... arguments) {
    auto result = fmt::format(fmt::runtime(text), arguments...);
    while (result.ends_with('\n')) result.pop_back();
    return result;
}

/// Repeats until there is none: the text around a removed one may form another.
std::string without(std::string text, std::string_view unwanted) {
    while (contains(text, unwanted)) boost::algorithm::erase_first(text, unwanted);
    return text;
}

/// The caption and the hashtags that it lacks.
std::string whole_caption(const video_input& video) {
    auto text = video.caption;
    for (const auto& tag : video.hashtags) {
        if (text.find(tag) == std::string::npos) text.append(" #").append(tag);
    }
    return clean_text(text, text.size());
}

std::string caption_block(std::string_view caption, std::string_view boundary) {
    const auto clean = without(clean_text(caption, caption_characters_max), boundary);
    if (clean.empty()) return "The post has no caption.";
    return fmt::format("Caption {0}\n{1}\nEnd of caption {0}", boundary, clean);
}

/// A text from outside between two lines with the boundary.
std::string quoted_block(std::string_view title, std::string_view text, std::string_view boundary) {
    return fmt::format(
        "\n\n{0} {1}\n{2}\nEnd of {0} {1}", title, boundary, without(std::string{text}, boundary));
}

/// The speech with its times, as far as it fits.
std::string speech_text(std::span<const timed_text> speech) {
    std::string text;
    for (const auto& segment : speech) {
        auto line = fmt::format("{} {}\n", timestamp_of(segment.start_seconds), segment.text);
        if (text.size() + line.size() > speech_bytes_max) break;
        text += line;
    }
    return clean_text(text, speech_bytes_max);
}

/// Adds the caller's request to the prompt of an analysis. The bounds of the schema are only in its
/// text, because not every provider enforces them.
void add_request(prompt& prompt, const analysis_options& options) {
    const std::string_view boundary{prompt.boundary};
    if (options.instructions.empty() && options.schema.empty()) return;
    prompt.instructions += "\n" + filled(prompt_files::request, fmt::arg("boundary", boundary));
    if (!options.instructions.empty())
        prompt.task += quoted_block("user's instructions", options.instructions, boundary);
    if (options.schema.empty()) return;
    prompt.task += quoted_block("user's schema of `extract`", options.schema, boundary);
    const auto schema = json::parse(options.schema);
    prompt.schema["properties"]["extract"] = strict_schema(schema);
    prompt.schema["required"].push_back("extract");
    prompt.is_schema_enforceable = has_strict_form(schema);
}

}  // namespace

prompt make_prompt(const prompt_request& request) {
    const auto duration = request.video.probe.duration_seconds;
    const auto& options = request.video.options;
    const auto language_name = options.language.empty() ? std::string{request.output_language}
                                                        : language_phrase(options.language);
    const auto caption = whole_caption(request.video);
    const auto language = fmt::arg("output_language", language_name);
    prompt prompt{
        .instructions =
            filled(prompt_files::instructions, language, fmt::arg("boundary", request.boundary)),
        .task = filled(
            prompt_files::task,
            language,
            fmt::arg("duration", timestamp_of(std::ceil(duration))),
            fmt::arg("duration_seconds", fmt::format("{:.1f}", duration)),
            fmt::arg("media_note", request.media_note),
            fmt::arg("caption_block", caption_block(caption, request.boundary))),
        .boundary = std::string{request.boundary},
        .schema = answer_schema(),
        .schema_name = "reel_analysis"};
    if (code_point_count(caption) > caption_characters_max)
        prompt.warnings.push_back(fmt::format(
            "the model received only the first {} characters of the caption",
            grouped(caption_characters_max)));
    if (!request.speech.empty())
        prompt.task +=
            quoted_block("speech in the video", speech_text(request.speech), request.boundary);
    add_request(prompt, options);
    return prompt;
}

std::string new_boundary() {
    return fmt::format("{:016x}", random_bits());
}

std::string schema_note(const json& schema) {
    return "The answer is one JSON object that conforms to this JSON Schema:\n" + schema.dump();
}

std::string repair_note(std::span<const std::string> violations) {
    std::string listed;
    for (const auto& violation : violations.first(std::min(violations.size(), violations_max))) {
        if (!listed.empty()) listed.push_back('\n');
        listed.append("- ").append(clean_text(violation, violation_characters_max));
    }
    return filled(prompt_files::repair, fmt::arg("violations", listed));
}

}  // namespace reelsd::model
