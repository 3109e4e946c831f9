#include "extract_reader.hpp"

#include "extract_schema.hpp"
#include <reelsd/base/json_schema.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace reelsd::model {
namespace {

using pointer = json::json_pointer;

std::string place_of(const pointer& at) {
    return "extract" + at.to_string();
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
            violations_.push_back(fmt::format("{} {}", place_of(at), what));
    }

    std::vector<std::string> violations_;
};

}  // namespace

extract_answer read_extract(const answer_json& value, const json& schema) {
    arranger order;
    const auto extract = order.arranged(value, schema, pointer{});
    extract_answer answer{.text = {}, .violations = order.take()};
    for (const auto& violation : schema_violations(extract, schema))
        answer.violations.push_back(fmt::format("extract{} {}", violation.at, violation.what));
    if (!answer.violations.empty()) return answer;
    answer.text = extract.dump(-1, ' ', false, json::error_handler_t::replace);
    if (answer.text.size() <= extract_bytes_max) return answer;
    return {
        .text = {},
        .violations = {fmt::format("extract is larger than {} KiB", extract_bytes_max / 1024)}};
}

}  // namespace reelsd::model
