#include "result_check.hpp"

#include "model/clean_text.hpp"
#include <reelsd/base/json_schema.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string_view>

namespace reelsd::model {

namespace {

/// Valid UTF-8 without anything that clean_text() removes but whitespace at the ends.
bool is_clean(std::string_view text) {
    return is_utf8(text) && clean_text(text, text.size()) == trimmed(text, " \n\t");
}

class checker {
public:
    std::vector<std::string> run(const json& document) {
        const auto& schema = api_schemas().at("Job").at("properties").at("result");
        for (const auto& violation : schema_violations(document, schema)) {
            add(violation.at, violation.what);
        }
        check_texts(document, "");
        // Rules between values are for documents of the right shape.
        if (found_.empty()) check_values(document);
        return std::move(found_);
    }

private:
    void add(std::string_view where, std::string_view what) {
        found_.push_back(std::string{where} + " " + std::string{what});
    }

    void check_texts(const json& value, const std::string& path) {
        if (value.is_string()) return check_text(path, value.get_ref<const std::string&>());
        if (value.is_array() && !value.empty() && value.front().is_string()) {
            check_text_list(path, value);
        }
        if (!value.is_structured()) return;
        for (const auto& [name, member] : value.items()) check_texts(member, path + "/" + name);
    }

    void check_text(const std::string& path, const std::string& text) {
        if (!is_clean(text)) add(path, "holds control characters or is not UTF-8");
        const auto characters_max = path == "/audio/transcript"
                                        ? result_bounds::transcript_characters_max
                                        : result_bounds::field_characters_max;
        if (code_point_count(text) > characters_max) add(path, "is too long");
    }

    void check_text_list(const std::string& path, const json& list) {
        const auto items_max = path == "/visual/text_on_screen" ? result_bounds::texts_max
                                                                : result_bounds::list_items_max;
        if (list.size() > items_max) add(path, "has too many items");
        std::set<json> seen;
        for (const auto& item : list) {
            if (item == "") add(path, "has an empty item");
            if (!seen.insert(item).second) add(path, "has an item twice");
        }
    }

    void check_values(const json& document) {
        const auto& metadata = document["metadata"];
        check_metadata(metadata);
        const auto duration = metadata["duration_seconds"].get<double>();
        check_times("visual.text_segments", document["visual"]["text_segments"], duration);
        check_times("audio.segments", document["audio"]["segments"], duration);
        for (const auto& segment : document["audio"]["segments"]) {
            if (!segment.contains("words")) continue;
            check_times("words", segment["words"], segment["end_seconds"].get<double>());
            if (segment["words"].front()["start_seconds"] < segment["start_seconds"])
                add("words", "begin before their segment");
        }
        check_moments(document["content"]["key_moments"], duration);
        check_bounds(document);
        check_on_screen(document["visual"]);
        check_audio(document["audio"]);
        check_platform(document["platform_meta"]);
    }

    void check_metadata(const json& metadata) {
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
            if (start < before) add(path, "are not in order of time");
            if (start > end) add(path, "has an entry that ends before it starts");
            if (end > duration) add(path, "has a time outside the video");
            before = start;
        }
    }

    void check_moments(const json& moments, double duration) {
        double before = 0;
        for (const auto& moment : moments) {
            const auto seconds = moment["seconds"].get<double>();
            if (seconds < before) add("content.key_moments", "are not ascending");
            if (seconds > duration) add("content.key_moments", "has a time outside the video");
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
        if (post["url"] == "") add("platform_meta.url", "is empty");
        check_signs("platform_meta.hashtags", post["hashtags"], '#');
        check_signs("platform_meta.mentions", post["mentions"], '@');
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
        return std::equal(text.begin(), text.end(), shape.begin(), [](char byte, char pattern) {
            return pattern == 'd' ? byte >= '0' && byte <= '9' : byte == pattern;
        });
    }

    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> result_violations(const json& document) {
    return checker{}.run(document);
}

}  // namespace reelsd::model
