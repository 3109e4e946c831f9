#include "../answer.hpp"
#include "../clean_text.hpp"
#include "../extraction/extract.hpp"
#include "../languages.hpp"
#include "../words.hpp"
#include "answer_values.hpp"
#include "repetition.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

namespace reelsd::model {

namespace {

using namespace result_bounds;

/// All text of an answer: twice the largest one of 32,768 tokens. The search for loops is linear,
/// but takes 0.1 s for 1 MiB of adversarial text.
constexpr std::size_t text_bytes_max = std::size_t{256} * 1024;

/// Ten times what a result may contain; later items of a model in a loop are ignored.
constexpr std::ptrdiff_t items_read_max = 500;
constexpr std::ptrdiff_t entries_read_max = 5'000;

// More would not help a model, and each costs tokens.
constexpr std::size_t violations_max = 10;

/// A text that is listed again within a second of its end has remained: models read one frame a
/// second.
constexpr double same_text_gap_seconds = 1;

/// Collects violations and warnings while an answer is read.
class answer_log {
public:
    explicit answer_log(double duration_seconds) : duration_{duration_seconds} {}

    /// "audio.segments is missing". Ignores repetitions and all after the tenth.
    void violation(const std::string& path, std::string_view what) {
        if (violations_.size() == violations_max) return;
        auto sentence = path + " " + std::string{what};
        if (std::ranges::find(violations_, sentence) != violations_.end()) return;
        violations_.push_back(std::move(sentence));
    }
    /// The answer as a whole is useless: inserted before all other violations.
    void useless() {
        violations_.insert(violations_.begin(), "the answer says nothing about the video");
        violations_.resize(std::min(violations_.size(), violations_max));
    }
    /// Repetitions in `path` were cut.
    void repeats_cut(const std::string& path) {
        violation(path, "repeats itself");
        repeats_cut_ = true;
    }
    /// Counts times that had to be moved.
    void time(const parsed_time& time) {
        if (time.past_end_seconds <= 0) return;
        times_moved_ = true;
        if (is_far_past_end(duration_ + time.past_end_seconds, duration_)) ++times_far_past_end_;
    }

    /// Counts text that is about to be cleaned and searched for loops. False, and a violation, when
    /// the total is more than any answer needs: the text must be left out.
    [[nodiscard]] bool take(std::size_t bytes) {
        if (bytes > bytes_left_) {
            violation("the answer", "has more text than a video needs");
            return false;
        }
        bytes_left_ -= bytes;
        return true;
    }

    [[nodiscard]] double duration_seconds() const noexcept { return duration_; }
    [[nodiscard]] const std::vector<std::string>& violations() const noexcept {
        return violations_;
    }
    /// A sentence for people about each kind of correction.
    [[nodiscard]] std::vector<std::string> warnings() const {
        std::vector<std::string> warnings;
        if (times_moved_) warnings.emplace_back(times_moved_warning);
        if (times_far_past_end_ >= far_times_min) warnings.emplace_back(far_times_warning);
        if (repeats_cut_)
            warnings.emplace_back("the model repeated itself: the repeats were left out");
        return warnings;
    }

private:
    double duration_;
    std::size_t bytes_left_ = text_bytes_max;
    std::vector<std::string> violations_;
    bool repeats_cut_ = false;
    bool times_moved_ = false;
    std::ptrdiff_t times_far_past_end_ = 0;
};

/// A value as text: strings, numbers and booleans as written, null as an empty text, a list of
/// these separated by spaces. Empty for other values.
std::optional<std::string> text_from(const answer_json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_null()) return std::string{};
    if (value.is_number() || value.is_boolean()) return value.dump();
    if (!value.is_array()) return std::nullopt;
    std::string joined;
    for (const auto& item : value) {
        const auto text = item.is_structured() ? std::nullopt : text_from(item);
        if (!text) return std::nullopt;
        if (!joined.empty() && !text->empty()) joined += ' ';
        joined += *text;
    }
    return joined;
}

/// The first of `names` that is a member of the object and not null; null if there is none.
const answer_json* member_of(
    const answer_json& object, std::initializer_list<std::string_view> names) {
    for (const auto name : names) {
        const auto member = object.find(name);
        if (member != object.end() && !member->is_null()) return &*member;
    }
    return nullptr;
}

/// Clean text of at most `characters_max`, without loops, which are logged under `path`.
std::string logged_text(
    std::string_view text, std::size_t characters_max, const std::string& path, answer_log& log) {
    constexpr std::size_t character_bytes_max = 4;
    text = utf8_prefix(text, characters_max * character_bytes_max);
    if (!log.take(text.size())) return {};
    bool cut = false;
    auto clean = clean_without_loops(text, characters_max, cut);
    if (cut) log.repeats_cut(path);
    return clean;
}

/// Calls `read` with each of the first `entries_max` entries of a list that are not null, or with a
/// value that is not a list.
template <class Read>
void for_each_entry(const answer_json& value, std::ptrdiff_t entries_max, const Read& read) {
    if (value.is_null()) return;
    if (!value.is_array()) return read(value);
    const auto size = static_cast<std::ptrdiff_t>(value.size());
    const auto end = value.begin() + std::min(size, entries_max);
    std::for_each(value.begin(), end, [&read](const answer_json& entry) {
        if (!entry.is_null()) read(entry);
    });
}

/// A section's value, or the first object of a list.
const answer_json* object_of(const answer_json& value) {
    if (value.is_object()) return &value;
    if (!value.is_array()) return nullptr;
    const auto object = std::find_if(
        value.begin(), value.end(), [](const answer_json& item) { return item.is_object(); });
    return object == value.end() ? nullptr : &*object;
}

const answer_json& section_of(const answer_json& answer, std::string_view name) {
    const auto* const value = member_of(answer, {name});
    const auto* const section = value == nullptr ? nullptr : object_of(*value);
    return section != nullptr ? *section : answer;
}

/// An item of a list may be an object that names it.
std::optional<std::string> item_from(const answer_json& value) {
    if (!value.is_object()) return value.is_array() ? std::nullopt : text_from(value);
    const auto* const name = member_of(value, {"text", "name", "title", "label", "description"});
    return name != nullptr ? text_from(*name) : std::nullopt;
}

std::optional<bool> flag_from(const answer_json& value) {
    if (value.is_boolean()) return value.get<bool>();
    const auto text = value.is_array() ? std::nullopt : text_from(value);
    if (!text) return std::nullopt;
    const auto word = ascii_lower(*text);
    if (word == "true" || word == "yes" || word == "1") return true;
    if (word == "false" || word == "no" || word == "0") return false;
    return std::nullopt;
}

bool means_nothing(std::string_view text) {
    constexpr auto words = std::to_array<std::string_view>(
        {"", "null", "none", "n/a", "na", "unknown", "undefined", "-"});
    return std::ranges::find(words, ascii_lower(text)) != words.end();
}

/// Reads one section of an answer, leniently: other spellings of a value are accepted silently; a
/// missing or meaningless value is its type's empty value, and a violation. If the section itself
/// is missing, its members are read from the top level.
class section_reader {
public:
    /// `answer` is an object; it and `log` outlive the reader.
    section_reader(const answer_json& answer, std::string_view name, answer_log& log)
        : source_{section_of(answer, name)}, name_{name}, log_{log} {
        const bool is_malformed = member_of(answer, {name}) != nullptr && &source_ == &answer;
        if (is_malformed) log_.violation(name_, "is not an object");
    }

    [[nodiscard]] std::string text(std::string_view name) {
        const auto* const value = member(name);
        if (value == nullptr) return {};
        const auto text = text_from(*value);
        if (!text) {
            log_.violation(path_of(name), "is not a string");
            return {};
        }
        return logged_text(*text, field_characters_max, path_of(name), log_);
    }

    /// Empty for an empty text and words for it ("null", "none", "n/a").
    [[nodiscard]] std::optional<std::string> optional_text(std::string_view name) {
        auto value = text(name);
        if (means_nothing(value)) return std::nullopt;
        return value;
    }

    [[nodiscard]] std::vector<std::string> list(std::string_view name) {
        const auto* const value = member(name);
        if (value == nullptr) return {};
        const auto path = path_of(name);
        std::vector<std::string> items;
        for_each_entry(*value, items_read_max, [&](const answer_json& raw) {
            const auto text = item_from(raw);
            if (!text) return log_.violation(path, "is not a list of strings");
            auto item = logged_text(*text, item_characters_max, path, log_);
            if (!item.empty()) items.push_back(std::move(item));
        });
        if (is_filled_by_one(items)) log_.repeats_cut(path);
        std::set<std::u32string> seen;  // Items that differ in case are repetitions.
        std::erase_if(items, [&seen](const std::string& item) {
            return !seen.insert(casefolded(code_points_of(item))).second;
        });
        items.resize(std::min(items.size(), list_items_max));
        return items;
    }

    /// Empty when it is missing or neither true nor false.
    [[nodiscard]] std::optional<bool> flag(std::string_view name) {
        const auto* const value = member(name);
        if (value == nullptr) return std::nullopt;
        const auto flag = flag_from(*value);
        if (!flag) log_.violation(path_of(name), "is neither true nor false");
        return flag;
    }

    /// The member; null when it is missing, which is a violation if `required`.
    [[nodiscard]] const answer_json* member(std::string_view name, bool required = true) {
        if (const auto value = source_.find(name); value != source_.end()) {
            ++found_;
            return &*value;
        }
        if (required) missing_.push_back(path_of(name));
        return nullptr;
    }

    /// The list under the schema's name, or under the name in the API's result if that is missing
    /// or empty. Null when there is neither.
    [[nodiscard]] const answer_json* either(std::string_view name, std::string_view result_name) {
        const auto* const other = member(result_name, false);
        const auto* const own = member(name, other == nullptr);
        return own == nullptr || own->is_null() || own->empty() ? other : own;
    }

    [[nodiscard]] std::string path_of(std::string_view name) const {
        return name_ + "." + std::string{name};
    }

    /// Logs the whole section, or else each member, as missing. Called once, at the end.
    void finish() {
        if (found_ == 0 && !missing_.empty()) return log_.violation(name_, "is missing");
        for (const auto& path : missing_) log_.violation(path, "is missing");
    }

private:
    const answer_json& source_;  ///< The section, or the whole answer in its place.
    std::string name_;
    answer_log& log_;
    std::vector<std::string> missing_;
    std::size_t found_ = 0;
};

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

/// Entries with a text of at most `characters_max`.
std::vector<raw_entry> raw_entries(
    const answer_json& value, std::size_t characters_max, const std::string& path,
    answer_log& log) {
    std::vector<raw_entry> entries;
    for_each_entry(value, entries_read_max, [&](const answer_json& entry) {
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

void cut_to(
    std::vector<timed_text>& entries, std::size_t entries_max, const std::string& path,
    answer_log& log) {
    if (entries.size() <= entries_max) return;
    log.violation(path, "has more than " + std::to_string(entries_max) + " entries");
    entries.resize(entries_max);
}

/// Speech in order of time. Entries that are too long are split, and the parts share the time by
/// their length. Unreadable times are those of the neighbours, or the whole video if no entry has
/// one; a bare text is an entry without times. Malformed entries are violations under `path`, and
/// so are loops, which are cut.
std::vector<timed_text> read_segments(
    const answer_json& value, const std::string& path, answer_log& log) {
    auto raw = raw_entries(value, transcript_characters_max, path, log);
    std::vector<timed_text> segments;
    for (const auto& entry : with_times(std::move(raw), log.duration_seconds())) {
        add_in_parts(segments, entry);
    }
    std::ranges::stable_sort(segments, {}, &timed_text::start_seconds);
    if (cut_entry_loops(segments, &timed_text::text)) log.repeats_cut(path);
    cut_to(segments, segments_max, path, log);
    return segments;
}

/// On-screen texts, likewise. Equal texts that follow each other without a gap are merged.
std::vector<timed_text> read_screen_texts(
    const answer_json& value, const std::string& path, answer_log& log) {
    auto raw = raw_entries(value, item_characters_max, path, log);
    auto texts = with_times(std::move(raw), log.duration_seconds());
    std::ranges::stable_sort(texts, {}, &timed_text::start_seconds);
    merge_equal_neighbours(texts);
    while (cut_entry_loops(texts, &timed_text::text)) {
        log.repeats_cut(path);
        merge_equal_neighbours(texts);  // The cut makes other entries neighbours.
    }
    cut_to(texts, texts_max, path, log);
    return texts;
}

/// In order of time. Moments without a readable time are dropped.
std::vector<key_moment> read_moments(
    const answer_json& list, const std::string& path, answer_log& log) {
    std::vector<key_moment> moments;
    for_each_entry(list, entries_read_max, [&](const answer_json& entry) {
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

visual_findings visual_from(const answer_json& answer, answer_log& log) {
    section_reader section{answer, "visual", log};
    visual_findings visual;
    if (const auto* const texts = section.either("text_segments", "text_on_screen")) {
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
    if (const auto* const segments = section.either("segments", "transcript")) {
        audio.segments = read_segments(*segments, section.path_of("segments"), log);
    }
    const auto language = section.optional_text("language");
    if (language && !audio.segments.empty()) audio.language = language_code_from(*language);
    const auto has_music = section.flag("has_music");
    auto music = music_text(
        section.text("music_description"),
        section.optional_text("music_title"),
        section.optional_text("music_artist"));
    audio.music_description =
        logged_text(music, field_characters_max, section.path_of("music_description"), log);
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
    metadata.mood = enum_from<sentiment>(mood).value_or(sentiment::neutral);
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
    if (repeats_prompt(parsed.object, context.instructions))
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
