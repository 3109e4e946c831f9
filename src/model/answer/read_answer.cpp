#include "../answer.hpp"
#include "../prompt_files.hpp"
#include "answer_json.hpp"
#include "answer_log.hpp"
#include "language_code.hpp"
#include "repetition.hpp"
#include "section_reader.hpp"
#include "time_text.hpp"
#include "timed_entries.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>

namespace reelsd::model {

namespace {

/// The list under the schema's name; what stands under the contract's, where that is missing or
/// empty. Null when there is nothing.
const answer_json* either(
    section_reader& section, std::string_view name, std::string_view contract_name) {
    const auto* const other = section.member(contract_name, false);
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

/// `Calm piano; "Title" by Artist`: the result has one field for all that is known of the music.
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
    // Who describes music has heard some.
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

std::string format_from(const std::optional<std::string>& said) {
    if (!said) return {};
    static const json::json_pointer enumeration{"/properties/metadata/properties/format/enum"};
    const auto& formats = answer_schema().at(enumeration);
    const auto word = ascii_lower(*said);
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

/// Whether anything is said that a reader would learn from: a format or a mood alone is a guess.
bool is_usable(const findings& said) {
    const auto& visual = said.visual;
    const auto& audio = said.audio;
    const auto& content = said.content;
    const bool seen = !visual.description.empty() || !visual.setting.empty() ||
                      !visual.subjects.empty() || !visual.texts.empty();
    const bool heard = !audio.segments.empty() || !audio.music_description.empty();
    const bool meant = !content.summary.empty() || !content.topics.empty() ||
                       !content.hooks.empty() || !content.key_moments.empty() ||
                       content.call_to_action.has_value() || !said.metadata.target_audience.empty();
    return seen || heard || meant;
}

/// The object that has the sections: some models put theirs into another one of a single member.
const answer_json& unwrapped(const answer_json& answer) {
    if (answer.size() != 1 || !answer.begin()->is_object()) return answer;
    const auto& inner = *answer.begin();
    const auto in = [](const answer_json& object) {
        const auto& sections = answer_schema().at("required");
        return std::any_of(sections.begin(), sections.end(), [&object](const json& name) {
            return object.contains(name.get_ref<const std::string&>());
        });
    };
    return !in(answer) && in(inner) ? inner : answer;
}

}  // namespace

const json& answer_schema() {
    static const auto schema = json::parse(prompt_files::schema);
    return schema;
}

parsed_sections read_answer(std::string_view text, const answer_context& context) {
    const auto parsed = parse_answer(text);
    if (!parsed.violation.empty()) return {std::nullopt, {parsed.violation}, {}};
    if (holds_tag(parsed.object, context.boundary)) {
        return {std::nullopt, {"the answer holds the tag that must never be written"}, {}};
    }

    answer_log log{usable_duration(context.duration_seconds)};
    const auto& answer = unwrapped(parsed.object);
    findings said;
    said.visual = visual_from(answer, log);
    said.audio = audio_from(answer, log);
    said.content = content_from(answer, log);
    said.metadata = metadata_from(answer, log);
    if (is_usable(said)) return {std::move(said), log.violations(), log.warnings()};

    log.useless();
    return {std::nullopt, log.violations(), {}};
}

}  // namespace reelsd::model
