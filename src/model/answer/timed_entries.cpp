#include "../answer.hpp"
#include "../clean_text.hpp"
#include "repetition.hpp"
#include "section_reader.hpp"
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <unordered_map>

namespace reelsd::model {

namespace {

using namespace result_bounds;

/// A text that is listed again within a second of its end has remained: models read one frame a
/// second.
constexpr double same_text_gap_seconds = 1;

/// An entry as written.
struct raw_entry {
    std::string text;
    std::optional<double> start;
    std::optional<double> end;
};

std::optional<double> time_of(
    const answer_json& entry, std::initializer_list<std::string_view> names, answer_log& log) {
    const auto* const value = member_of(entry, names);
    if (value == nullptr) return std::nullopt;
    std::optional<parsed_time> time;
    if (value->is_number()) time = read_time(value->get<double>(), log.duration_seconds());
    if (value->is_string()) {
        time = read_time(value->get_ref<const std::string&>(), log.duration_seconds());
    }
    if (!time) return std::nullopt;
    log.time(*time);
    return time->seconds;
}

/// Ten times what a result may contain; later entries of a model in a loop are ignored.
constexpr std::ptrdiff_t entries_read_max = 5'000;

/// Calls `read` with each entry of a list, or with a value that is not a list.
template <class Read>
void for_each_entry(const answer_json& value, const Read& read) {
    if (value.is_null()) return;
    if (!value.is_array()) return read(value);
    const auto size = static_cast<std::ptrdiff_t>(value.size());
    const auto end = value.begin() + std::min(size, entries_read_max);
    std::for_each(value.begin(), end, [&read](const answer_json& entry) {
        if (!entry.is_null()) read(entry);
    });
}

/// Entries with a text of at most `characters_max`.
std::vector<raw_entry> raw_entries(
    const answer_json& value, std::size_t characters_max, const std::string& path,
    answer_log& log) {
    std::vector<raw_entry> entries;
    for_each_entry(value, [&](const answer_json& entry) {
        if (entry.is_string()) {
            entries.push_back({entry.get<std::string>(), std::nullopt, std::nullopt});
            return;
        }
        if (!entry.is_object()) {
            return log.violation(path, "is not a list of objects with start, end and text");
        }
        const auto member = entry.find("text");
        const auto text = member == entry.end() ? std::nullopt : text_from(*member);
        if (!text) return log.violation(path, "has an entry without text");
        entries.push_back(
            {*text,
             time_of(
                 entry,
                 {"start", "start_seconds", "start_time", "seconds", "timestamp", "time"},
                 log),
             time_of(entry, {"end", "end_seconds", "end_time"}, log)});
    });
    for (auto& entry : entries) entry.text = logged_text(entry.text, characters_max, path, log);
    std::erase_if(entries, [](const raw_entry& entry) { return entry.text.empty(); });
    return entries;
}

/// Gives every entry both times: an unknown start is the end of the previous entry, an unknown end
/// the start of the next one.
std::vector<timed_text> with_times(std::vector<raw_entry> entries, double duration) {
    const bool none = std::ranges::none_of(
        entries, [](const raw_entry& entry) { return entry.start || entry.end; });
    std::vector<timed_text> timed;
    timed.reserve(entries.size());
    double before = 0;
    for (std::size_t at = 0; at < entries.size(); ++at) {
        auto& entry = entries[at];
        auto start = entry.start.value_or(none ? 0 : before);
        // Where only the end is known, the start is not after it.
        if (!entry.start && entry.end) start = std::min(start, *entry.end);
        const auto next = at + 1 < entries.size() ? entries[at + 1].start : std::nullopt;
        const auto end =
            std::max(start, entry.end.value_or(none ? duration : next.value_or(start)));
        timed.push_back({std::move(entry.text), start, end});
        before = end;
    }
    return timed;
}

/// The bytes of `text` for one entry: at most item_characters_max characters, up to a space if
/// there is one in the second half.
std::size_t part_bytes(std::string_view text) {
    std::size_t bytes = 0;
    std::size_t after_blank = 0;
    for (std::size_t characters = 0; bytes < text.size(); ++characters) {
        if (characters == item_characters_max) {
            return after_blank > bytes / 2 ? after_blank : bytes;
        }
        bytes += code_point_at(text, bytes).bytes;
        if (text[bytes - 1] == ' ' || text[bytes - 1] == '\n') after_blank = bytes;
    }
    return bytes;
}

/// Merges an entry with the previous one if that has the same text and no gap follows. `entries`
/// are sorted.
void merge_equal_neighbours(std::vector<timed_text>& entries) {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < entries.size(); ++at) {
        auto& entry = entries[at];
        const bool continues =
            kept > 0 && entries[kept - 1].text == entry.text &&
            entry.start_seconds <= entries[kept - 1].end_seconds + same_text_gap_seconds;
        if (continues) {
            auto& end = entries[kept - 1].end_seconds;
            end = std::max(end, entry.end_seconds);
        } else {
            if (kept != at) entries[kept] = std::move(entry);
            ++kept;
        }
    }
    entries.resize(kept);
}

/// Returns whether entries were removed.
bool cut_entry_loops(std::vector<timed_text>& entries, const std::string& path, answer_log& log) {
    std::unordered_map<std::string_view, std::size_t> known;
    std::vector<std::size_t> ids;
    ids.reserve(entries.size());
    for (const auto& entry : entries) {
        ids.push_back(known.emplace(entry.text, known.size()).first->second);
    }
    const auto kept = entries_without_loops(ids);
    if (kept.size() == entries.size()) return false;
    log.repeats_cut(path);
    for (std::size_t at = 0; at < kept.size(); ++at) {
        if (kept[at] != at) entries[at] = std::move(entries[kept[at]]);
    }
    entries.resize(kept.size());
    return true;
}

void cut_to(
    std::vector<timed_text>& entries, std::size_t entries_max, const std::string& path,
    answer_log& log) {
    if (entries.size() <= entries_max) return;
    log.violation(path, "has more than " + std::to_string(entries_max) + " entries");
    entries.resize(entries_max);
}

}  // namespace

void add_in_parts(std::vector<timed_text>& parts, const timed_text& entry) {
    const std::string_view text = entry.text;
    const auto seconds_a_byte = (entry.end_seconds - entry.start_seconds) /
                                static_cast<double>(std::max<std::size_t>(text.size(), 1));
    const auto time_at = [&](std::size_t byte) {
        if (byte == text.size()) return entry.end_seconds;
        return entry.start_seconds + seconds_a_byte * static_cast<double>(byte);
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto end = at + part_bytes(text.substr(at));
        auto part = clean_text(text.substr(at, end - at), item_characters_max);
        if (!part.empty()) parts.push_back({std::move(part), time_at(at), time_at(end)});
        at = end;
    }
}

std::vector<timed_text> read_segments(
    const answer_json& value, const std::string& path, answer_log& log) {
    auto raw = raw_entries(value, transcript_characters_max, path, log);
    std::vector<timed_text> segments;
    for (const auto& entry : with_times(std::move(raw), log.duration_seconds())) {
        add_in_parts(segments, entry);
    }
    std::ranges::stable_sort(segments, {}, &timed_text::start_seconds);
    cut_entry_loops(segments, path, log);
    cut_to(segments, segments_max, path, log);
    return segments;
}

std::vector<timed_text> read_screen_texts(
    const answer_json& value, const std::string& path, answer_log& log) {
    auto raw = raw_entries(value, item_characters_max, path, log);
    auto texts = with_times(std::move(raw), log.duration_seconds());
    std::ranges::stable_sort(texts, {}, &timed_text::start_seconds);
    do {
        merge_equal_neighbours(texts);
    } while (cut_entry_loops(texts, path, log));  // A cut makes other entries neighbours.
    cut_to(texts, texts_max, path, log);
    return texts;
}

std::vector<key_moment> read_moments(
    const answer_json& list, const std::string& path, answer_log& log) {
    std::vector<key_moment> moments;
    for_each_entry(list, [&](const answer_json& entry) {
        if (!entry.is_object()) {
            return log.violation(path, "is not a list of objects with time and description");
        }
        const auto* const value = member_of(entry, {"description", "title", "text"});
        if (value == nullptr && entry.contains("description")) return;  // An explicit null.
        const auto text = value == nullptr ? std::nullopt : text_from(*value);
        if (!text) return log.violation(path, "has an entry without description");
        const auto seconds = time_of(
            entry, {"seconds", "time", "timestamp", "start", "start_seconds", "start_time"}, log);
        auto description = logged_text(*text, item_characters_max, path, log);
        if (seconds && !description.empty()) {
            moments.push_back({*seconds, std::move(description)});
        }
    });
    std::ranges::stable_sort(moments, {}, &key_moment::seconds);
    moments.resize(std::min(moments.size(), key_moments_max));
    return moments;
}

}  // namespace reelsd::model
