#include "section_reader.hpp"

#include "repetition.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace reelsd::model {

namespace {

/// Ten times what a result may hold; what a model in a loop writes after that is not even looked
/// at.
constexpr std::ptrdiff_t items_read_max = 500;

/// The object that a section's value means: itself, or the first one of a list.
const answer_json* object_of(const answer_json& value) {
    if (value.is_object()) return &value;
    if (!value.is_array()) return nullptr;
    const auto found = std::find_if(
        value.begin(), value.end(), [](const answer_json& item) { return item.is_object(); });
    return found == value.end() ? nullptr : &*found;
}

const answer_json& section_of(const answer_json& answer, std::string_view name) {
    const auto found = answer.find(name);
    const auto* const section = found == answer.end() ? nullptr : object_of(*found);
    return section != nullptr ? *section : answer;
}

/// A list's item may be an object that names it.
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

/// As many bytes as that many characters may have, up to a whole one: the rest costs nothing.
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
    return std::find(words.begin(), words.end(), ascii_lower(text)) != words.end();
}

}  // namespace

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
        const auto found = object.find(name);
        if (found != object.end() && !found->is_null()) return &*found;
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
    const auto found = answer.find(name);
    const bool strange = found != answer.end() && !found->is_null() && &source_ == &answer;
    if (strange) log_.violation(name_, "is not an object");
}

std::string section_reader::path_of(std::string_view name) const {
    return name_ + "." + std::string{name};
}

const answer_json* section_reader::member(std::string_view name, bool required) {
    const auto found = source_.find(name);
    if (found != source_.end()) {
        ++found_;
        return &*found;
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
    auto said = text(name);
    if (means_nothing(said)) return std::nullopt;
    return said;
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
    const auto said = flag_from(*value);
    if (!said) log_.violation(path_of(name), "is neither true nor false");
    return said;
}

void section_reader::finish() {
    if (found_ == 0 && !missing_.empty()) return log_.violation(name_, "is missing");
    for (const auto& path : missing_) log_.violation(path, "is missing");
}

}  // namespace reelsd::model
