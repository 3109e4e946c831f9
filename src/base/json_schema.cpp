#include <reelsd/base/json_schema.hpp>
#include <reelsd/base/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace reelsd {
namespace {

/// Also 3.0, which JSON does not distinguish from 3.
bool is_whole_number(const json& value) {
    if (value.is_number_integer()) return true;
    if (!value.is_number_float()) return false;
    constexpr double exact_max = 9007199254740992;  // 2^53: a double has gaps above.
    const auto number = value.get<double>();
    return std::abs(number) <= exact_max && number == std::floor(number);
}

bool has_type(const json& value, std::string_view type) {
    if (type == "string") return value.is_string();
    if (type == "integer") return is_whole_number(value);
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    return type == "null" && value.is_null();
}

std::string_view phrase_of(std::string_view type) {
    constexpr auto phrases = std::to_array<std::pair<std::string_view, std::string_view>>(
        {{"string", "a string"},
         {"integer", "a whole number"},
         {"number", "a number"},
         {"boolean", "true or false"},
         {"object", "an object"},
         {"array", "a list"}});
    const auto* const known =
        std::ranges::find_if(phrases, [type](const auto& phrase) { return phrase.first == type; });
    return known == phrases.end() ? type : known->second;
}

/// Null when the schema does not have the keyword.
const json& keyword(const json& schema, const char* name) {
    static const json absent;
    const auto found = schema.find(name);
    return found == schema.end() ? absent : *found;
}

/// Exact for all integers of 64 bits, which the library compares as signed ones.
bool is_between(const json& value, const json& min, const json& max) {
    const auto number = value.get<long double>();
    return (min.is_null() || number >= min.get<long double>()) &&
           (max.is_null() || number <= max.get<long double>());
}

std::string range_of(const json& min, const json& max) {
    if (min.is_null() && max.is_null()) return {};
    if (max.is_null()) return fmt::format(", at least {}", min.dump());
    if (min.is_null()) return fmt::format(", at most {}", max.dump());
    return fmt::format(" from {} to {}", min.dump(), max.dump());
}

std::string joined(const json& values) {
    std::string text;
    for (const auto& value : values) {
        if (!text.empty()) text += ", ";
        text += value.is_string() ? value.get<std::string>() : value.dump();
    }
    return text;
}

/// RFC 6901 section 3.
std::string escaped(std::string_view name) {
    std::string text;
    for (const char byte : name) {
        if (byte == '~') {
            text += "~0";
        } else if (byte == '/') {
            text += "~1";
        } else {
            text += byte;
        }
    }
    return text;
}

class validator {
public:
    void check(const json& value, const json& schema, const std::string& at) {
        if (!check_type(value, schema, at)) return;
        const auto& choices = keyword(schema, "enum");
        // JSON values do not model the ranges of libstdc++ 14.
        if (choices.is_array() &&
            std::find(choices.begin(), choices.end(), value) == choices.end()) {
            add(at, "must be one of " + joined(choices));
        }
        if (value.is_string()) check_length(value.get_ref<const std::string&>(), schema, at);
        if (value.is_object()) check_members(value, schema, at);
        if (value.is_array()) check_items(value, schema, at);
    }

    std::vector<schema_violation> take() { return std::move(violations_); }

private:
    void add(const std::string& at, std::string what) {
        if (violations_.size() < schema_violations_max)
            violations_.push_back({at, std::move(what)});
    }

    /// Type and range are one expectation to a reader: "must be a whole number from 0 to 600".
    bool check_type(const json& value, const json& schema, const std::string& at) {
        const auto& type = keyword(schema, "type");
        const auto types = type.is_string() ? json::array({type}) : type;
        const auto& min = keyword(schema, "minimum");
        const auto& max = keyword(schema, "maximum");
        const bool typed =
            types.empty() || std::any_of(types.begin(), types.end(), [&value](const json& name) {
                return has_type(value, name.get_ref<const std::string&>());
            });
        if (typed && (!value.is_number() || is_between(value, min, max))) return true;
        std::string expected = types.empty() ? "a number" : "";
        for (const auto& name : types) {
            if (!expected.empty()) expected += " or ";
            expected += phrase_of(name.get_ref<const std::string&>());
        }
        add(at, fmt::format("must be {}{}", expected, range_of(min, max)));
        return false;
    }

    static std::string counted(const json& number, std::string_view unit) {
        return fmt::format("{} {}{}", number.dump(), unit, number == 1 ? "" : "s");
    }

    void check_size(
        std::size_t size, const json& min, const json& max, std::string_view unit,
        const std::string& at) {
        if (!min.is_null() && size < min.get<std::size_t>()) {
            add(at, fmt::format("must have at least {}", counted(min, unit)));
        }
        if (!max.is_null() && size > max.get<std::size_t>()) {
            add(at, fmt::format("must have at most {}", counted(max, unit)));
        }
    }

    void check_length(const std::string& text, const json& schema, const std::string& at) {
        const auto& min = keyword(schema, "minLength");
        const auto& max = keyword(schema, "maxLength");
        if (min.is_null() && max.is_null()) return;
        check_size(code_point_count(text), min, max, "character", at);
    }

    void check_members(const json& object, const json& schema, const std::string& at) {
        for (const auto& required : keyword(schema, "required")) {
            const auto& name = required.get_ref<const std::string&>();
            if (!object.contains(name)) add(at + "/" + escaped(name), "is required");
        }
        const auto& members = keyword(schema, "properties");
        const bool closed = keyword(schema, "additionalProperties") == false;
        for (const auto& [name, value] : object.items()) {
            const auto described = members.find(name);
            if (described != members.end()) {
                check(value, *described, at + "/" + escaped(name));
            } else if (closed) {
                auto names = json::array();
                for (const auto& member : members.items()) names.push_back(member.key());
                add(at + "/" + escaped(name), "is not allowed; allowed are " + joined(names));
            }
        }
    }

    void check_items(const json& list, const json& schema, const std::string& at) {
        check_size(
            list.size(), keyword(schema, "minItems"), keyword(schema, "maxItems"), "item", at);
        if (keyword(schema, "uniqueItems") == true) check_unique(list, at);
        const auto& items = keyword(schema, "items");
        if (!items.is_object()) return;
        for (std::size_t index = 0; index < list.size(); ++index) {
            check(list[index], items, fmt::format("{}/{}", at, index));
        }
    }

    void check_unique(const json& list, const std::string& at) {
        for (auto item = list.begin(); item != list.end(); ++item) {
            if (std::find(list.begin(), item, *item) == item) continue;
            return add(at, "must not have an item twice");
        }
    }

    std::vector<schema_violation> violations_;
};

}  // namespace

std::vector<schema_violation> schema_violations(const json& value, const json& schema) {
    validator checked;
    checked.check(value, schema, "");
    return checked.take();
}

}  // namespace reelsd
