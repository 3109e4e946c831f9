#include "section_reader.hpp"

#include "repetition.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace reelsd::model {

namespace {

/// Ten times what a result may contain; later items of a model in a loop are ignored.
constexpr std::ptrdiff_t items_read_max = 500;

// More would not help a model, and each costs tokens.
constexpr std::size_t violations_max = 10;

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

/// The longest text that `characters_max` characters can be, cut before a whole character.
std::string_view text_start(std::string_view text, std::size_t characters_max) {
    constexpr std::size_t character_bytes_max = 4;
    auto bytes = characters_max * character_bytes_max;
    if (text.size() <= bytes) return text;
    const auto inside = [&] { return (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U; };
    while (bytes > 0 && inside()) --bytes;
    return text.substr(0, bytes);
}

bool means_nothing(std::string_view text) {
    constexpr auto words = std::to_array<std::string_view>(
        {"", "null", "none", "n/a", "na", "unknown", "undefined", "-"});
    return std::ranges::find(words, ascii_lower(text)) != words.end();
}

}  // namespace

void answer_log::violation(const std::string& path, std::string_view what) {
    if (violations_.size() == violations_max) return;
    auto sentence = path + " " + std::string{what};
    if (std::ranges::find(violations_, sentence) != violations_.end()) return;
    violations_.push_back(std::move(sentence));
}

void answer_log::useless() {
    violations_.insert(violations_.begin(), "the answer says nothing about the video");
    violations_.resize(std::min(violations_.size(), violations_max));
}

void answer_log::repeats_cut(const std::string& path) {
    violation(path, "repeats itself");
    repeats_cut_ = true;
}

void answer_log::time(const parsed_time& time) {
    if (time.past_end_seconds <= 0) return;
    times_moved_ = true;
    if (is_far_past_end(duration_ + time.past_end_seconds, duration_)) ++times_far_past_end_;
}

bool answer_log::take(std::size_t bytes) {
    if (bytes > bytes_left_) {
        violation("the answer", "has more text than a video needs");
        return false;
    }
    bytes_left_ -= bytes;
    return true;
}

std::vector<std::string> answer_log::warnings() const {
    std::vector<std::string> warnings;
    if (times_moved_) warnings.emplace_back(times_moved_warning);
    if (times_far_past_end_ >= far_times_min) warnings.emplace_back(far_times_warning);
    if (repeats_cut_) warnings.emplace_back("the model repeated itself: the repeats were left out");
    return warnings;
}

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

const answer_json* member_of(
    const answer_json& object, std::initializer_list<std::string_view> names) {
    for (const auto name : names) {
        const auto member = object.find(name);
        if (member != object.end() && !member->is_null()) return &*member;
    }
    return nullptr;
}

std::string logged_text(
    std::string_view text, std::size_t characters_max, const std::string& path, answer_log& log) {
    text = text_start(text, characters_max);
    if (!log.take(text.size())) return {};
    bool cut = false;
    auto clean = clean_without_loops(text, characters_max, cut);
    if (cut) log.repeats_cut(path);
    return clean;
}

section_reader::section_reader(const answer_json& answer, std::string_view name, answer_log& log)
    : source_{section_of(answer, name)}, name_{name}, log_{log} {
    const bool is_malformed = member_of(answer, {name}) != nullptr && &source_ == &answer;
    if (is_malformed) log_.violation(name_, "is not an object");
}

std::string section_reader::path_of(std::string_view name) const {
    return name_ + "." + std::string{name};
}

const answer_json* section_reader::member(std::string_view name, bool required) {
    if (const auto value = source_.find(name); value != source_.end()) {
        ++found_;
        return &*value;
    }
    if (required) missing_.push_back(path_of(name));
    return nullptr;
}

std::string section_reader::text(std::string_view name) {
    const auto* const value = member(name);
    if (value == nullptr) return {};
    const auto text = text_from(*value);
    if (!text) {
        log_.violation(path_of(name), "is not a string");
        return {};
    }
    return logged_text(*text, result_bounds::field_characters_max, path_of(name), log_);
}

std::optional<std::string> section_reader::optional_text(std::string_view name) {
    auto value = text(name);
    if (means_nothing(value)) return std::nullopt;
    return value;
}

std::vector<std::string> section_reader::list(std::string_view name) {
    const auto* const value = member(name);
    if (value == nullptr || value->is_null()) return {};
    const auto path = path_of(name);
    std::vector<std::string> items;
    const auto add = [&](const answer_json& raw) {
        const auto text = item_from(raw);
        if (!text) return log_.violation(path, "is not a list of strings");
        auto item = logged_text(*text, result_bounds::item_characters_max, path, log_);
        if (!item.empty()) items.push_back(std::move(item));
    };
    if (value->is_array()) {
        const auto size = static_cast<std::ptrdiff_t>(value->size());
        std::for_each(value->begin(), value->begin() + std::min(size, items_read_max), add);
    } else {
        add(*value);
    }
    if (is_filled_by_one(items)) log_.repeats_cut(path);

    std::set<std::string> seen;
    std::erase_if(items, [&seen](const std::string& item) { return !seen.insert(item).second; });
    items.resize(std::min(items.size(), result_bounds::list_items_max));
    return items;
}

std::optional<bool> section_reader::flag(std::string_view name) {
    const auto* const value = member(name);
    if (value == nullptr) return std::nullopt;
    const auto flag = flag_from(*value);
    if (!flag) log_.violation(path_of(name), "is neither true nor false");
    return flag;
}

void section_reader::finish() {
    if (found_ == 0 && !missing_.empty()) return log_.violation(name_, "is missing");
    for (const auto& path : missing_) log_.violation(path, "is missing");
}

}  // namespace reelsd::model
