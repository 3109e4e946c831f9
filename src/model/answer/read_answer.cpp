#include "../answer.hpp"
#include "../extraction/extract_reader.hpp"
#include "prompt_leak.hpp"
#include "section_reader.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>

namespace reelsd::model {

namespace {

/// The list under the schema's name, or under the name in the API's result if that is missing or
/// empty. Null when there is neither.
const answer_json* either(
    section_reader& section, std::string_view name, std::string_view result_name) {
    const auto* const other = section.member(result_name, false);
    const auto* const own = section.member(name, other == nullptr);
    return own == nullptr || own->is_null() || own->empty() ? other : own;
}

visual_findings visual_from(const answer_json& answer, answer_log& log) {
    section_reader section{answer, "visual", log};
    visual_findings visual;
    if (const auto* const texts = either(section, "text_segments", "text_on_screen")) {
        visual.texts = read_screen_texts(*texts, section.path_of("text_segments"), log);
    }
    visual.subjects = section.list("subjects");
    visual.setting = section.text("setting");
    visual.description = section.text("description");
    section.finish();
    return visual;
}

/// `Calm piano; "Title" by Artist`: the result has one field for all facts about the music.
std::string music_text(
    std::string description, const std::optional<std::string>& title,
    const std::optional<std::string>& artist) {
    std::string name;
    if (title) name = '"' + *title + '"';
    if (artist) name += (name.empty() ? "by " : " by ") + *artist;
    if (name.empty()) return description;
    if (!description.empty()) description += "; ";
    return description + name;
}

audio_findings audio_from(const answer_json& answer, answer_log& log) {
    section_reader section{answer, "audio", log};
    audio_findings audio;
    if (const auto* const segments = either(section, "segments", "transcript")) {
        audio.segments = read_segments(*segments, section.path_of("segments"), log);
    }
    const auto language = section.optional_text("language");
    if (language && !audio.segments.empty()) audio.language = language_code_from(*language);
    const auto has_music = section.flag("has_music");
    auto music = music_text(
        section.text("music_description"),
        section.optional_text("music_title"),
        section.optional_text("music_artist"));
    audio.music_description = logged_text(
        music, result_bounds::field_characters_max, section.path_of("music_description"), log);
    // A model that describes music has heard some.
    audio.has_music = has_music.value_or(!audio.music_description.empty());
    if (!audio.has_music) audio.music_description.clear();
    section.finish();
    return audio;
}

content_findings content_from(const answer_json& answer, answer_log& log) {
    section_reader section{answer, "content", log};
    content_findings content;
    content.hooks = section.list("hooks");
    if (const auto* const moments = section.member("key_moments")) {
        content.key_moments = read_moments(*moments, section.path_of("key_moments"), log);
    }
    content.call_to_action = section.optional_text("call_to_action");
    content.topics = section.list("topics");
    content.summary = section.text("summary");
    section.finish();
    return content;
}

std::string format_from(const std::optional<std::string>& text) {
    if (!text) return {};
    static const json::json_pointer enumeration{"/properties/metadata/properties/format/enum"};
    const auto& formats = answer_schema().at(enumeration);
    const auto word = ascii_lower(*text);
    const bool known = std::find(formats.begin(), formats.end(), word) != formats.end();
    return known ? word : "other";
}

metadata_findings metadata_from(const answer_json& answer, answer_log& log) {
    section_reader section{answer, "metadata", log};
    metadata_findings metadata;
    metadata.format = format_from(section.optional_text("format"));
    metadata.target_audience = section.text("target_audience");
    const auto mood = ascii_lower(section.text("sentiment"));
    metadata.mood = sentiment_from(mood).value_or(sentiment::neutral);
    section.finish();
    return metadata;
}

/// Whether a reader would learn anything: a format or a mood alone is a guess.
bool is_usable(const findings& reported) {
    const auto& visual = reported.visual;
    const auto& audio = reported.audio;
    const auto& content = reported.content;
    const bool seen = !visual.description.empty() || !visual.setting.empty() ||
                      !visual.subjects.empty() || !visual.texts.empty();
    const bool heard = !audio.segments.empty() || !audio.music_description.empty();
    const bool meant = !content.summary.empty() || !content.topics.empty() ||
                       !content.hooks.empty() || !content.key_moments.empty() ||
                       content.call_to_action.has_value() ||
                       !reported.metadata.target_audience.empty();
    return seen || heard || meant;
}

/// The object with the sections, which some models wrap into another object.
const answer_json& unwrapped(const answer_json& answer) {
    if (answer.size() != 1 || !answer.begin()->is_object()) return answer;
    const auto& inner = *answer.begin();
    const auto has_section = [](const answer_json& object) {
        const auto& sections = answer_schema().at("required");
        return std::any_of(sections.begin(), sections.end(), [&object](const json& name) {
            return object.contains(name.get_ref<const std::string&>());
        });
    };
    return !has_section(answer) && has_section(inner) ? inner : answer;
}

/// Reads `extract`, which is at the top level even if a model has wrapped its sections.
void read_extract_into(
    parsed_sections& sections, const answer_json& answer, const answer_context& context) {
    const auto found = answer.find("extract");
    if (found == answer.end()) {
        sections.extract_violations.emplace_back("extract is missing");
        return;
    }
    auto extract = read_extract(*found, *context.extract_schema);
    sections.extract = std::move(extract.text);
    sections.extract_violations = std::move(extract.violations);
}

}  // namespace

const json& answer_schema() {
    static const auto schema = json::parse(prompt_files::schema);
    return schema;
}

parsed_sections read_answer(std::string_view text, const answer_context& context) {
    const auto parsed = parse_answer(text);
    parsed_sections sections;
    if (!parsed.violation.empty()) sections.violations.push_back(parsed.violation);
    if (holds_tag(parsed.object, context.boundary))
        sections.violations.emplace_back("the answer holds the tag that must never be written");
    if (repeats_prompt(parsed.object, context.instructions, context.caller_instructions))
        sections.violations.emplace_back("the answer repeats its instructions");
    if (!sections.violations.empty()) return sections;

    answer_log log{usable_duration(context.duration_seconds)};
    const auto& answer = unwrapped(parsed.object);
    findings reported;
    reported.visual = visual_from(answer, log);
    reported.audio = audio_from(answer, log);
    reported.content = content_from(answer, log);
    reported.metadata = metadata_from(answer, log);
    if (context.extract_schema != nullptr) read_extract_into(sections, answer, context);
    if (is_usable(reported)) {
        sections.reported = std::move(reported);
        sections.warnings = log.warnings();
    } else {
        log.useless();
    }
    sections.violations = log.violations();
    return sections;
}

}  // namespace reelsd::model
