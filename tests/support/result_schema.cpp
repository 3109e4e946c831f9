#include "result_schema.hpp"

#include "model/utf8.hpp"
#include <reelsd/model/result_document.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <set>
#include <span>
#include <string_view>

namespace reelsd::model {

namespace {

enum class kind : std::uint8_t {
    text,
    text_list,
    boolean,
    number,
    integer,
    timed_texts,
    key_moments,
    model_name,
};

struct member {
    std::string_view name;
    kind type = kind::text;
    bool nullable = false;
};

constexpr auto visual_members = std::to_array<member>({
    {"description"},
    {"setting"},
    {"subjects", kind::text_list},
    {"text_on_screen", kind::text_list},
    {"text_segments", kind::timed_texts},
});

constexpr auto audio_members = std::to_array<member>({
    {"transcript"},
    {"language", kind::text, true},
    {"has_music", kind::boolean},
    {"music_description"},
    {"segments", kind::timed_texts},
});

constexpr auto content_members = std::to_array<member>({
    {"summary"},
    {"topics", kind::text_list},
    {"hooks", kind::text_list},
    {"call_to_action", kind::text, true},
    {"key_moments", kind::key_moments},
});

constexpr auto metadata_members = std::to_array<member>({
    {"format"},
    {"sentiment"},
    {"target_audience"},
    {"duration_seconds", kind::number},
    {"width", kind::integer},
    {"height", kind::integer},
    {"frame_rate", kind::number},
    {"video_codec"},
    {"audio_codec", kind::text, true},
    {"size_bytes", kind::integer},
    {"sha256"},
    {"model", kind::model_name},
    {"warnings", kind::text_list},
});

constexpr auto platform_members = std::to_array<member>({
    {"platform"},
    {"code"},
    {"url"},
    {"author"},
    {"author_name", kind::text, true},
    {"author_verified", kind::boolean, true},
    {"caption", kind::text, true},
    {"hashtags", kind::text_list},
    {"mentions", kind::text_list},
    {"like_count", kind::integer, true},
    {"comment_count", kind::integer, true},
    {"view_count", kind::integer, true},
    {"posted_at", kind::text, true},
    {"thumbnail_url", kind::text, true},
    {"location", kind::text, true},
    {"music_title", kind::text, true},
    {"music_artist", kind::text, true},
});

constexpr auto timed_text_members = std::to_array<member>(
    {{"text"}, {"start_seconds", kind::number}, {"end_seconds", kind::number}});
constexpr auto key_moment_members =
    std::to_array<member>({{"timestamp"}, {"seconds", kind::number}, {"description"}});
constexpr auto model_members = std::to_array<member>({{"provider"}, {"name"}});

struct section {
    std::string_view name;
    std::span<const member> members;
};

constexpr auto sections = std::to_array<section>({
    {"visual", visual_members},
    {"audio", audio_members},
    {"content", content_members},
    {"metadata", metadata_members},
    {"platform_meta", platform_members},
});

/// Walks a document and writes down what it finds. First the shape alone; the rules that read
/// values run only over a document whose shape is right.
class checker {
public:
    std::vector<std::string> run(const json& document) {
        if (!document.is_object()) return {"the document is not an object"};
        for (const auto& expected : sections) check_section(document, expected);
        for (const auto& [name, value] : document.items()) {
            const auto is_it = [&name = name](const section& known) { return known.name == name; };
            if (std::none_of(sections.begin(), sections.end(), is_it)) {
                add(name, "is no section");
            }
        }
        if (found_.empty()) check_values(document);
        return std::move(found_);
    }

private:
    void add(std::string_view where, std::string_view what) {
        found_.push_back(std::string{where} + " " + std::string{what});
    }

    void check_section(const json& document, const section& expected) {
        const auto found = document.find(std::string{expected.name});
        if (found == document.end()) return add(expected.name, "is missing");
        check_object(std::string{expected.name}, *found, expected.members);
    }

    void check_object(
        const std::string& where, const json& object, std::span<const member> members) {
        if (!object.is_object()) return add(where, "is not an object");
        for (const auto& expected : members) {
            const auto path = where + "." + std::string{expected.name};
            const auto found = object.find(std::string{expected.name});
            if (found == object.end()) {
                add(path, "is missing");
            } else if (!(expected.nullable && found->is_null())) {
                check_type(path, *found, expected.type);
            }
        }
        if (object.size() > members.size()) add(where, "has unknown members");
    }

    void check_type(const std::string& path, const json& value, kind type) {
        switch (type) {
            case kind::text: return check_text(path, value);
            case kind::text_list: return check_text_list(path, value);
            case kind::boolean:
                if (!value.is_boolean()) add(path, "is not a boolean");
                return;
            case kind::number:
                if (!value.is_number()) add(path, "is not a number");
                return;
            case kind::integer:
                if (!value.is_number_integer()) add(path, "is not an integer");
                return;
            case kind::timed_texts: return check_objects(path, value, timed_text_members);
            case kind::key_moments: return check_objects(path, value, key_moment_members);
            case kind::model_name: return check_object(path, value, model_members);
        }
    }

    void check_text(const std::string& path, const json& value) {
        if (!value.is_string()) return add(path, "is not a string");
        const auto& text = value.get_ref<const std::string&>();
        if (!is_clean(text)) add(path, "holds control characters or is not UTF-8");
        const auto characters_max = path == "audio.transcript"
                                        ? result_bounds::transcript_characters_max
                                        : result_bounds::field_characters_max;
        if (character_count(text) > characters_max) add(path, "is too long");
    }

    void check_text_list(const std::string& path, const json& value) {
        if (!value.is_array()) return add(path, "is not an array");
        const auto items_max = path == "visual.text_on_screen" ? result_bounds::texts_max
                                                               : result_bounds::list_items_max;
        if (value.size() > items_max) add(path, "has too many items");
        std::set<std::string> seen;
        for (const auto& item : value) {
            check_text(path, item);
            if (!item.is_string()) continue;
            const auto& text = item.get_ref<const std::string&>();
            if (text.empty()) add(path, "has an empty item");
            if (!seen.insert(text).second) add(path, "has an item twice");
        }
    }

    void check_objects(
        const std::string& path, const json& value, std::span<const member> members) {
        if (!value.is_array()) return add(path, "is not an array");
        for (const auto& item : value) check_object(path, item, members);
    }

    void check_values(const json& document) {
        const auto& metadata = document["metadata"];
        check_metadata(metadata);
        const auto duration = metadata["duration_seconds"].get<double>();
        check_times("visual.text_segments", document["visual"]["text_segments"], duration);
        check_times("audio.segments", document["audio"]["segments"], duration);
        check_moments(document["content"]["key_moments"], duration);
        check_bounds(document);
        check_on_screen(document["visual"]);
        check_audio(document["audio"]);
        check_platform(document["platform_meta"]);
    }

    void check_metadata(const json& metadata) {
        if (!sentiment_from(metadata["sentiment"].get<std::string>())) {
            add("metadata.sentiment", "is not positive, neutral, negative or mixed");
        }
        for (const auto* name : {"duration_seconds", "width", "height", "size_bytes"}) {
            if (metadata[name].get<double>() <= 0) {
                add(std::string{"metadata."} + name, "is not above zero");
            }
        }
        if (metadata["frame_rate"].get<double>() < 0) add("metadata.frame_rate", "is negative");
        const auto sha256 = metadata["sha256"].get<std::string>();
        if (sha256.size() != 64 ||
            sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
            add("metadata.sha256", "is not 64 lower-case hexadecimal digits");
        }
    }

    void check_times(std::string_view path, const json& entries, double duration) {
        double before = 0;
        for (const auto& entry : entries) {
            const auto start = entry["start_seconds"].get<double>();
            const auto end = entry["end_seconds"].get<double>();
            if (entry["text"] == "") add(path, "has an entry without text");
            if (start < before) add(path, "are not in order of time");
            if (start > end) add(path, "has an entry that ends before it starts");
            if (start < 0 || end > duration) add(path, "has a time outside the video");
            before = start;
        }
    }

    void check_moments(const json& moments, double duration) {
        double before = 0;
        for (const auto& moment : moments) {
            const auto seconds = moment["seconds"].get<double>();
            if (seconds < before) add("content.key_moments", "are not ascending");
            if (seconds < 0 || seconds > duration) {
                add("content.key_moments", "has a time outside the video");
            }
            if (!agrees(moment["timestamp"].get<std::string>(), seconds)) {
                add("content.key_moments", "has a timestamp that is not its seconds as MM:SS");
            }
            before = seconds;
        }
    }

    static bool agrees(const std::string& timestamp, double seconds) {
        const auto whole = static_cast<int>(std::clamp(seconds, 0.0, 1e6));
        std::array<char, 16> expected{};
        std::snprintf(expected.data(), expected.size(), "%02d:%02d", whole / 60, whole % 60);
        return timestamp == expected.data();
    }

    void check_bounds(const json& document) {
        if (document["visual"]["text_segments"].size() > result_bounds::texts_max) {
            add("visual.text_segments", "has too many items");
        }
        if (document["audio"]["segments"].size() > result_bounds::segments_max) {
            add("audio.segments", "has too many items");
        }
        if (document["content"]["key_moments"].size() > result_bounds::key_moments_max) {
            add("content.key_moments", "has too many items");
        }
    }

    void check_on_screen(const json& visual) {
        std::vector<std::string> by_appearance;
        for (const auto& entry : visual["text_segments"]) {
            auto text = entry["text"].get<std::string>();
            const auto known = std::find(by_appearance.begin(), by_appearance.end(), text);
            if (known == by_appearance.end()) by_appearance.push_back(std::move(text));
        }
        if (visual["text_on_screen"].get<std::vector<std::string>>() != by_appearance) {
            add("visual.text_on_screen", "are not the texts of text_segments, each once");
        }
    }

    void check_audio(const json& audio) {
        const bool spoken = audio["transcript"] != "";
        if (spoken == audio["segments"].empty()) {
            add("audio.transcript", "and segments do not agree");
        }
        if (audio["has_music"] == false && audio["music_description"] != "") {
            add("audio.music_description", "describes music that is not there");
        }
        const auto& language = audio["language"];
        if (language.is_null()) return;
        const auto code = language.get<std::string>();
        const auto is_letter = [](char byte) { return byte >= 'a' && byte <= 'z'; };
        if (code.size() != 2 || !std::all_of(code.begin(), code.end(), is_letter)) {
            add("audio.language", "is not an ISO 639-1 code");
        }
    }

    void check_platform(const json& post) {
        for (const auto* name : {"platform", "code", "url"}) {
            if (post[name] == "") add(std::string{"platform_meta."} + name, "is empty");
        }
        check_signs("platform_meta.hashtags", post["hashtags"], '#');
        check_signs("platform_meta.mentions", post["mentions"], '@');
        for (const auto* name : {"like_count", "comment_count", "view_count"}) {
            if (post[name].is_number() && post[name].get<std::int64_t>() < 0) {
                add(std::string{"platform_meta."} + name, "is negative");
            }
        }
        const auto& posted_at = post["posted_at"];
        if (posted_at.is_string() && !is_rfc3339(posted_at.get<std::string>())) {
            add("platform_meta.posted_at", "is not RFC 3339 in UTC");
        }
    }

    void check_signs(std::string_view path, const json& names, char sign) {
        for (const auto& name : names) {
            if (name.get<std::string>().front() == sign) add(path, "has a name with its sign");
        }
    }

    static bool is_rfc3339(std::string_view text) {
        constexpr std::string_view shape = "dddd-dd-ddTdd:dd:ddZ";
        if (text.size() != shape.size()) return false;
        return std::equal(text.begin(), text.end(), shape.begin(), [](char byte, char wanted) {
            return wanted == 'd' ? byte >= '0' && byte <= '9' : byte == wanted;
        });
    }

    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> schema_violations(const json& document) {
    return checker{}.run(document);
}

}  // namespace reelsd::model
