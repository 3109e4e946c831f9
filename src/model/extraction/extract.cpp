#include "extract.hpp"

#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json_schema.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <utility>

namespace reelsd::model {
namespace {

constexpr auto type_names = std::to_array<std::string_view>(
    {"string", "number", "integer", "boolean", "object", "array", "null"});

/// Formats that OpenAI accepts in strict schemas. Source: its guide on structured outputs.
constexpr auto provider_formats = std::to_array<std::string_view>(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"});

template <class List, class Item>
bool is_in(const List& list, const Item& item) {
    // JSON values do not model the ranges of libstdc++ 14.
    return std::find(list.begin(), list.end(), item) != list.end();
}

bool has_type(const json& schema, std::string_view type) {
    return is_in(types_of(schema), type);
}

bool is_count(const json& value) {
    if (value.is_number_unsigned()) return true;
    if (!value.is_number()) return false;
    constexpr double exact_max = 9007199254740992;  // 2^53: a double has gaps above.
    const auto number = value.get<double>();
    return number >= 0 && number <= exact_max && number == std::floor(number);
}

bool is_type_name(const json& value) {
    return value.is_string() && is_in(type_names, value.get_ref<const std::string&>());
}

/// One type and null, in any order.
bool is_nullable_type(const json& value) {
    if (!value.is_array() || value.size() != 2) return false;
    if (!is_type_name(value[0]) || !is_type_name(value[1]) || value[0] == value[1]) return false;
    return value[0] == "null" || value[1] == "null";
}

bool is_list_of_names(const json& value) {
    if (!value.is_array()) return false;
    for (auto name = value.begin(); name != value.end(); ++name) {
        if (!name->is_string() || std::find(value.begin(), name, *name) != name) return false;
    }
    return true;
}

/// Whether the keyword's value is a text, or has names or items, with a NUL character, which
/// databases refuse.
bool has_nul(const json& value) {
    const auto is_text_with_nul = [](const json& text) {
        return text.is_string() && contains(text.get_ref<const std::string&>(), {"\0", 1});
    };
    for (const auto& [name, item] : value.items()) {
        if (value.is_object() ? contains(name, {"\0", 1}) : is_text_with_nul(item)) return true;
    }
    return is_text_with_nul(value);
}

/// What a keyword's value must be; empty if it is.
std::string_view objection_to(std::string_view name, const json& value) {
    const auto unless = [](bool holds, std::string_view rule) {
        return holds ? std::string_view{} : rule;
    };
    if (name == "type")
        return unless(
            is_type_name(value) || is_nullable_type(value),
            "must be the name of a type, or a list of one type and null");
    if (name == "properties") return unless(value.is_object(), "must be an object");
    if (name == "items") return unless(value.is_object(), "must be a schema");
    if (name == "required")
        return unless(is_list_of_names(value), "must be a list of different names");
    if (name == "enum")
        return unless(
            value.is_array() && !value.empty() &&
                std::all_of(
                    value.begin(),
                    value.end(),
                    [](const json& each) { return !each.is_structured(); }),
            "must be a list of strings, numbers, booleans or null");
    if (name == "description" || name == "format")
        return unless(value.is_string(), "must be a string");
    if (name == "minimum" || name == "maximum")
        return unless(value.is_number(), "must be a number");
    if (name == "minItems" || name == "maxItems" || name == "minLength" || name == "maxLength")
        return unless(is_count(value), "must be a whole number, 0 or more");
    if (name == "additionalProperties") return unless(value == false, "must be false");
    return "is not supported";
}

using pointer = json::json_pointer;

error objection(std::string_view what, const pointer& at) {
    return error{
        errc::invalid_argument,
        fmt::format("extract: {}, at {}", what, at.empty() ? "/" : at.to_string())};
}

/// Refuses keywords that contradict each other: the answers to them would never be valid.
result<void> check_consistency(const json& schema, const pointer& at) {
    constexpr auto ranges = std::to_array<std::pair<const char*, const char*>>(
        {{"minimum", "maximum"}, {"minItems", "maxItems"}, {"minLength", "maxLength"}});
    for (const auto& [min, max] : ranges) {
        if (!schema.contains(min) || !schema.contains(max)) continue;
        // Exact for all integers of 64 bits, which the library compares as signed ones.
        if (schema.at(min).get<long double>() > schema.at(max).get<long double>())
            return objection(fmt::format("\"{}\" is larger than \"{}\"", min, max), at / min);
    }
    const auto& values = member(schema, "enum");
    if (schema.contains("type") && values.is_array()) {
        const json typed{{"type", schema.at("type")}};
        const auto fits = [&](const json& value) {
            return schema_violations(value, typed).empty();
        };
        if (std::none_of(values.begin(), values.end(), fits))
            return objection("\"enum\" has no value of the schema's type", at / "enum");
    }
    if (!schema.contains("additionalProperties")) return {};
    for (const auto& name : member(schema, "required")) {
        const auto& text = name.get_ref<const std::string&>();
        if (!member(schema, "properties").contains(text))
            return objection(
                fmt::format("\"required\" names \"{}\", which is not in \"properties\"", text),
                at / "required");
    }
    return {};
}

class schema_checker {
public:
    /// `depth`: of objects and lists, including this schema.
    result<void> check(const json& schema, const pointer& at, int depth) {
        if (!schema.is_object()) return objection("a schema must be an object", at);
        for (const auto& [name, value] : schema.items()) {
            auto rule = objection_to(name, value);
            if (rule.empty() && has_nul(value)) rule = "must not contain a NUL character";
            if (!rule.empty()) return objection(fmt::format("\"{}\" {}", name, rule), at / name);
        }
        if (member(schema, "enum").size() > extract_enum_values_max)
            return objection(
                fmt::format("\"enum\" has more than {} values", extract_enum_values_max),
                at / "enum");
        auto consistent = check_consistency(schema, at);
        if (!consistent) return consistent;
        const bool nests = has_type(schema, "object") || has_type(schema, "array") ||
                           schema.contains("properties") || schema.contains("items");
        if (nests && depth > extract_schema_depth_max)
            return objection(
                fmt::format("the schema is deeper than {} levels", extract_schema_depth_max), at);
        return check_parts(schema, at, depth);
    }

private:
    result<void> check_parts(const json& schema, const pointer& at, int depth) {
        const auto& properties = member(schema, "properties");
        properties_ += properties.size();
        if (properties_ > extract_properties_max)
            return objection(
                fmt::format("the schema has more than {} properties", extract_properties_max),
                at / "properties");
        for (const auto& [name, property] : properties.items()) {
            auto checked = check(property, at / "properties" / name, depth + 1);
            if (!checked) return checked;
        }
        if (!schema.contains("items")) return {};
        return check(schema.at("items"), at / "items", depth + 1);
    }

    std::size_t properties_ = 0;
};

json nullable(json schema) {
    const auto type = schema.find("type");
    if (type != schema.end() && type->is_string() && *type != "null")
        *type = json::array({*type, "null"});
    const auto values = schema.find("enum");
    if (values != schema.end() && !is_in(*values, nullptr)) values->push_back(nullptr);
    return schema;
}

json strict_object(const json& schema) {
    json members = json::object();
    auto names = json::array();
    for (const auto& [name, property] : member(schema, "properties").items()) {
        auto strict = strict_schema(property);
        members[name] = is_required(schema, name) ? std::move(strict) : nullable(std::move(strict));
        names.push_back(name);
    }
    return {
        {"properties", std::move(members)},
        {"required", std::move(names)},
        {"additionalProperties", false}};
}

std::string_view type_of(const json& value) {
    if (value.is_string()) return "string";
    if (value.is_boolean()) return "boolean";
    if (value.is_number_integer()) return "integer";
    return value.is_number() ? "number" : "null";
}

/// Source: RFC 3339 section 5.6. Longer texts are refused, because the match recurses for each
/// character.
bool is_time(std::string_view text) {
    constexpr std::size_t characters_max = 64;
    static const std::regex time{
        R"(([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d))"};
    return text.size() <= characters_max && std::regex_match(text.begin(), text.end(), time);
}

bool is_date_and_time(std::string_view text) {
    constexpr std::size_t date_characters = 10;
    return text.size() > date_characters && parse_day(text.substr(0, date_characters)) &&
           ascii_lower(text[date_characters]) == 't' && is_time(text.substr(date_characters + 1));
}

/// The characters of RFC 3986, after a scheme and a colon.
bool is_uri(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_alpha(text.front())) return false;
    const auto scheme = text.substr(0, colon);
    const auto rest = text.substr(colon + 1);
    const auto is_of_scheme = [](char byte) {
        return is_alphanumeric(byte) || contains("+-.", std::string_view{&byte, 1});
    };
    if (rest.empty() || !std::ranges::all_of(scheme, is_of_scheme)) return false;
    if (std::ranges::count(rest, '#') > 1) return false;
    for (std::size_t at = 0; at < rest.size(); ++at) {
        if (rest[at] == '%') {
            if (at + 2 >= rest.size() || !hex_value(rest[at + 1]) || !hex_value(rest[at + 2]))
                return false;
        } else if (
            !is_alphanumeric(rest[at]) && !contains("-._~:/?#[]@!$&'()*+,;=", rest.substr(at, 1))) {
            return false;
        }
    }
    return true;
}

std::string without_nul(const std::string& text) {
    auto clean = text;
    clean.erase(std::remove(clean.begin(), clean.end(), '\0'), clean.end());
    return clean;
}

/// Copies an answer into the order of its schema. The recursion is as deep as the answer, which
/// parse_answer() bounds.
class arranger {
public:
    json arranged(const answer_json& value, const json& schema, const pointer& at) {
        if (value.is_string()) {
            auto text = without_nul(value.get_ref<const std::string&>());
            if (schema.contains("format")) check_format(text, schema.at("format"), at);
            return text;
        }
        if (value.is_object()) return arranged_object(value, schema, at);
        if (!value.is_array()) return value;
        static const json anything = json::object();
        const auto& items = schema.contains("items") ? schema.at("items") : anything;
        auto list = json::array();
        for (std::size_t index = 0; index < value.size(); ++index)
            list.push_back(arranged(value[index], items, at / index));
        return list;
    }

    std::vector<std::string> take() { return std::move(violations_); }

private:
    json arranged_object(const answer_json& value, const json& schema, const pointer& at) {
        static const json none = json::object();
        const auto& properties = schema.contains("properties") ? schema.at("properties") : none;
        auto object = json::object();
        for (const auto& [name, property] : properties.items()) {
            const auto found = value.find(name);
            if (found == value.end()) continue;
            const bool is_absent =
                found->is_null() && !is_required(schema, name) && !allows_null(property);
            if (!is_absent) object[name] = arranged(*found, property, at / name);
        }
        std::size_t others = 0;
        for (const auto& [name, member] : value.items()) {
            if (properties.contains(name)) continue;
            if (++others > extract_other_members_max) break;
            if (!schema.contains("additionalProperties"))
                object[without_nul(name)] = arranged(member, none, at);
        }
        if (others > extract_other_members_max)
            add(at, "has too many members");
        else if (others > 0 && schema.contains("additionalProperties"))
            add(at, "has members that its schema does not allow");
        return object;
    }

    void check_format(const std::string& text, const json& format, const pointer& at) {
        const auto& name = format.get_ref<const std::string&>();
        if (!has_format(text, name)) add(at, fmt::format("must have the format \"{}\"", name));
    }

    void add(const pointer& at, std::string_view what) {
        if (violations_.size() < schema_violations_max)
            violations_.push_back(fmt::format("extract{} {}", at.to_string(), what));
    }

    std::vector<std::string> violations_;
};

}  // namespace

result<void> check_extract_schema(const json& schema) {
    schema_checker checker;
    auto checked = checker.check(schema, pointer{}, 1);
    if (!checked) return checked;
    if (member(schema, "type") != "object") {
        const pointer root;
        return schema.contains("type")
                   ? objection("the type of the root must be \"object\"", root / "type")
                   : objection("the root needs \"type\": \"object\"", root);
    }
    // The nesting is bounded by now, so that writing the text is safe.
    const auto bytes = dumped(schema).size();
    if (bytes <= extract_schema_bytes_max) return {};
    return objection(
        fmt::format("the schema is larger than {} KiB", extract_schema_bytes_max / 1024),
        pointer{});
}

json types_of(const json& schema) {
    const auto& type = member(schema, "type");
    if (type.is_array()) return type;
    if (type.is_string()) return json::array({type});
    if (schema.contains("properties")) return json::array({"object"});
    if (schema.contains("items")) return json::array({"array"});
    auto types = json::array();
    for (const auto& value : member(schema, "enum")) {
        if (!is_in(types, type_of(value))) types.push_back(type_of(value));
    }
    if (is_in(types, "number"))
        types.erase(std::remove(types.begin(), types.end(), "integer"), types.end());
    return types;
}

bool allows_null(const json& schema) {
    const auto& type = member(schema, "type");
    const auto& values = member(schema, "enum");
    const bool by_type = type.is_null() || has_type(schema, "null");
    return by_type && (values.is_null() || is_in(values, nullptr));
}

bool is_required(const json& schema, std::string_view name) {
    return is_in(member(schema, "required"), name);
}

bool has_strict_form(const json& schema) {
    const auto types = types_of(schema);
    const auto values =
        std::count_if(types.begin(), types.end(), [](const json& name) { return name != "null"; });
    if (values > 1 || types.empty()) return false;
    if (has_type(schema, "object")) {
        const auto& properties = member(schema, "properties");
        for (const auto& name : member(schema, "required")) {
            if (!properties.contains(name.get_ref<const std::string&>())) return false;
        }
        return !properties.empty() &&
               std::all_of(properties.begin(), properties.end(), &has_strict_form);
    }
    if (!has_type(schema, "array")) return true;
    return schema.contains("items") && has_strict_form(schema.at("items"));
}

json strict_schema(const json& schema) {
    json strict;
    const auto types = types_of(schema);
    if (!types.empty()) strict["type"] = types.size() == 1 ? types.front() : types;
    for (const auto* const name : {"description", "enum"}) {
        if (schema.contains(name)) strict[name] = schema.at(name);
    }
    const auto& format = member(schema, "format");
    if (format.is_string() && is_in(provider_formats, format.get_ref<const std::string&>()))
        strict["format"] = format;
    if (has_type(schema, "object")) strict.update(strict_object(schema));
    if (schema.contains("items")) strict["items"] = strict_schema(schema.at("items"));
    return strict;
}

bool has_format(std::string_view text, std::string_view format) {
    if (format == "date") return parse_day(text).has_value();
    if (format == "time") return is_time(text);
    if (format == "date-time") return is_date_and_time(text);
    return format != "uri" || is_uri(text);
}

extract_answer read_extract(const answer_json& value, const json& schema) {
    arranger order;
    const auto extract = order.arranged(value, schema, pointer{});
    extract_answer answer{.text = {}, .violations = order.take()};
    for (const auto& violation : schema_violations(extract, schema))
        answer.violations.push_back(fmt::format("extract{} {}", violation.at, violation.what));
    // Schemas that were submitted to an older release may contain NUL characters.
    for (auto& violation : answer.violations) violation = without_nul(violation);
    if (!answer.violations.empty()) return answer;
    answer.text = dumped(extract);
    if (answer.text.size() <= extract_bytes_max) return answer;
    return {
        .text = {},
        .violations = {fmt::format("extract is larger than {} KiB", extract_bytes_max / 1024)}};
}

}  // namespace reelsd::model
