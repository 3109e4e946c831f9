#include "clean_text.hpp"
#include "word_sharing.hpp"
#include "words.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace reelsd::model {

namespace {

using namespace result_bounds;

constexpr std::size_t name_characters_max = 200;  // An account, a codec, a song: one line.

/// Milliseconds: finer than a frame of any reel.
double rounded(double number) {
    return std::round(number * 1000) / 1000;
}

std::string field(std::string_view text) {
    return clean_text(text, field_characters_max);
}
std::string item(std::string_view text) {
    return clean_text(text, item_characters_max);
}
std::string name(std::string_view text) {
    return clean_text(text, name_characters_max);
}

json nullable(const std::optional<std::string>& text) {
    if (!text) return nullptr;
    return field(*text);
}

/// Cleaned items in their order, without empty and repeated ones.
std::vector<std::string> unique_items(
    const std::vector<std::string>& items, std::size_t items_max) {
    std::vector<std::string> kept;
    std::set<std::string> seen;
    for (const auto& raw : items) {
        if (kept.size() == items_max) break;
        auto clean = item(raw);
        if (!clean.empty() && seen.insert(clean).second) kept.push_back(std::move(clean));
    }
    return kept;
}

/// The same for names with a sign before them, which is removed.
std::vector<std::string> unique_names(
    const std::vector<std::string>& names, std::string_view signs) {
    std::vector<std::string> bare;
    bare.reserve(names.size());
    for (const auto& raw : names) {
        const auto clean = item(raw);
        bare.push_back(clean.substr(std::min(clean.find_first_not_of(signs), clean.size())));
    }
    return unique_items(bare, list_items_max);
}

/// `if_unknown` for infinities and NaN.
double clamped(double seconds, double if_unknown, double duration) {
    if (!std::isfinite(seconds)) return if_unknown;
    return std::clamp(rounded(seconds), 0.0, duration);
}

/// Cleaned, clamped and in order of time; entries without text are dropped.
std::vector<timed_text> in_order(
    const std::vector<timed_text>& entries, std::size_t entries_max, double duration) {
    std::vector<timed_text> kept;
    for (const auto& entry : entries) {
        auto text = item(entry.text);
        if (text.empty()) continue;
        const auto start = clamped(entry.start_seconds, 0, duration);
        const auto end = std::max(start, clamped(entry.end_seconds, duration, duration));
        kept.push_back({std::move(text), start, end});
    }
    std::ranges::stable_sort(kept, {}, &timed_text::start_seconds);
    kept.resize(std::min(kept.size(), entries_max));
    return kept;
}

json to_json(const std::vector<timed_text>& entries) {
    auto list = json::array();
    for (const auto& entry : entries) {
        list.push_back(
            {{"text", entry.text},
             {"start_seconds", entry.start_seconds},
             {"end_seconds", entry.end_seconds}});
    }
    return list;
}

/// Each word is within the segment that it belongs to.
json with_words(
    const std::vector<timed_text>& segments, const std::vector<timed_text>& words,
    double duration) {
    auto list = to_json(segments);
    const auto shared = share_words(segments, words);
    for (std::size_t at = 0; at < segments.size(); ++at) {
        const auto end = segments[at].end_seconds;
        auto own = in_order(shared[at], words_max, duration);
        for (auto& word : own) {
            word.start_seconds = std::clamp(word.start_seconds, segments[at].start_seconds, end);
            word.end_seconds = std::clamp(word.end_seconds, word.start_seconds, end);
        }
        if (!own.empty()) list[at]["words"] = to_json(own);
    }
    return list;
}

json visual_section(const visual_findings& visual, double duration) {
    const auto texts = in_order(visual.texts, texts_max, duration);
    std::vector<std::string> on_screen;
    on_screen.reserve(texts.size());
    for (const auto& text : texts) on_screen.push_back(text.text);
    return {
        {"description", field(visual.description)},
        {"setting", field(visual.setting)},
        {"subjects", unique_items(visual.subjects, list_items_max)},
        {"text_on_screen", unique_items(on_screen, texts_max)},
        {"text_segments", to_json(texts)}};
}

/// "en" of "en-US"; null for what is not an ISO 639-1 code ("und", "English").
json language_code(const std::optional<std::string>& language) {
    if (!language) return nullptr;
    const auto primary = language->substr(0, language->find_first_of("-_"));
    const bool letters =
        std::ranges::all_of(primary, [](char byte) { return byte >= 'a' && byte <= 'z'; });
    if (primary.size() != 2 || !letters) return nullptr;
    return primary;
}

json audio_section(const audio_findings& audio, double duration) {
    const auto segments = in_order(audio.segments, segments_max, duration);
    return {
        {"transcript", clean_text(transcript_of(segments), transcript_characters_max)},
        {"language", segments.empty() ? json(nullptr) : language_code(audio.language)},
        {"has_music", audio.has_music},
        {"music_description", audio.has_music ? field(audio.music_description) : std::string{}},
        {"segments", with_words(segments, audio.words, duration)}};
}

json key_moment_list(const std::vector<key_moment>& moments, double duration) {
    std::vector<key_moment> kept;
    for (const auto& moment : moments) {
        auto description = item(moment.description);
        if (description.empty() || !std::isfinite(moment.seconds)) continue;
        kept.push_back({clamped(moment.seconds, 0, duration), std::move(description)});
    }
    std::ranges::stable_sort(kept, {}, &key_moment::seconds);
    const auto same = [](const key_moment& left, const key_moment& right) {
        return left.seconds == right.seconds &&
               folded_text{left.description}.letters() == folded_text{right.description}.letters();
    };
    kept.erase(std::unique(kept.begin(), kept.end(), same), kept.end());
    kept.resize(std::min(kept.size(), key_moments_max));

    auto list = json::array();
    for (const auto& moment : kept) {
        list.push_back(
            {{"timestamp", timestamp_of(moment.seconds)},
             {"seconds", moment.seconds},
             {"description", moment.description}});
    }
    return list;
}

json content_section(const content_findings& content, double duration) {
    auto call_to_action = nullable(content.call_to_action);
    if (call_to_action == "") call_to_action = nullptr;
    return {
        {"summary", field(content.summary)},
        {"topics", unique_names(content.topics, "# ")},
        {"hooks", unique_items(content.hooks, list_items_max)},
        {"call_to_action", call_to_action},
        {"key_moments", key_moment_list(content.key_moments, duration)}};
}

json metadata_section(const findings& reported, const file_facts& file) {
    const auto& probe = file.probe;
    return {
        {"format", field(reported.metadata.format)},
        {"sentiment", name_of(reported.metadata.mood)},
        {"target_audience", field(reported.metadata.target_audience)},
        {"duration_seconds", rounded(probe.duration_seconds)},
        {"width", probe.width},
        {"height", probe.height},
        {"frame_rate", rounded(probe.frame_rate)},
        {"video_codec", name(probe.video_codec)},
        {"audio_codec", probe.audio_codec ? json(name(*probe.audio_codec)) : json(nullptr)},
        {"size_bytes", file.size_bytes},
        {"sha256", file.sha256},
        {"model", {{"provider", name(reported.provider)}, {"name", name(reported.model_name)}}},
        {"warnings", unique_items(reported.warnings, list_items_max)}};
}

json platform_section(json section) {
    for (auto& [key, value] : section.items()) {
        const bool is_name = key == "platform" || key == "code" || key == "author";
        // A link must not be cut.
        const auto text = value.is_string() ? value.get<std::string>() : std::string{};
        const bool is_long_link =
            key == "thumbnail_url" && code_point_count(text) > field_characters_max;
        if (is_long_link || (value.is_number() && value < 0)) value = nullptr;
        const bool is_caption = key == "caption";
        if (value.is_string() && is_caption) value = clean_text(text, caption_characters_max);
        if (value.is_string() && !is_caption) value = is_name ? name(text) : field(text);
        if (value.is_array()) value = unique_names(value.get<std::vector<std::string>>(), "#@ ");
    }
    return section;
}

bool is_sha256(std::string_view text) {
    return text.size() == 64 &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Names a fact that only a bug can produce; empty if there is none.
std::string_view impossible_fact(
    const findings& reported, const file_facts& file, const json& post) {
    const auto& probe = file.probe;
    // Comparisons that also fail for NaN.
    if (!(rounded(probe.duration_seconds) > 0)) return "duration";
    if (!std::isfinite(probe.duration_seconds)) return "duration";
    if (!std::isfinite(probe.frame_rate) || probe.frame_rate < 0) return "frame rate";
    if (probe.width <= 0 || probe.height <= 0) return "width or height";
    if (name(probe.video_codec).empty()) return "video codec";
    if (file.size_bytes <= 0) return "size";
    if (!is_sha256(file.sha256)) return "sha256";
    if (name(reported.provider).empty() || name(reported.model_name).empty()) return "model";
    const auto url = post.value("url", "");
    if (name(post.value("platform", "")).empty() || name(post.value("code", "")).empty())
        return "platform or code";
    if (field(url).empty() || code_point_count(url) > bounds::url_characters_max) return "url";
    return {};
}

}  // namespace

result<json> assemble_result(const findings& reported, const file_facts& file, const json& post) {
    const auto impossible = impossible_fact(reported, file, post);
    if (!impossible.empty()) {
        return error{errc::internal, "impossible in a result: " + std::string{impossible}};
    }

    const auto duration = rounded(file.probe.duration_seconds);
    json document{
        {"visual", visual_section(reported.visual, duration)},
        {"audio", audio_section(reported.audio, duration)},
        {"content", content_section(reported.content, duration)},
        {"metadata", metadata_section(reported, file)},
        {"platform_meta", platform_section(post)}};
    return result<json>{boost::system::in_place_value, std::move(document)};
}

result<std::string> result_text(const json& document) {
    auto text = document.dump();
    if (text.size() > bounds::result_bytes_max) {
        return error{errc::model_refused, "analysis too large: " + std::to_string(text.size())};
    }
    return text;
}

}  // namespace reelsd::model
