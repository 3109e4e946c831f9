#include "../clean_text.hpp"
#include "../languages.hpp"
#include "extract.hpp"
#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/analysis_options.hpp>

#include <boost/algorithm/string/join.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace reelsd::model {
namespace {

constexpr std::size_t instructions_characters_max = 2000;
/// Longer than any name in the settings.
constexpr std::size_t analyzer_bytes_max = 64;

error invalid(std::string text) {
    return error{errc::invalid_argument, std::move(text)};
}

result<std::string> language_from(const json& value) {
    if (value.is_null()) return std::string{};
    auto tag = value.is_string() ? language_tag_from(value.get_ref<const std::string&>())
                                 : std::optional<std::string>{};
    if (!tag) return invalid("language must be a BCP 47 tag, such as de or pt-BR");
    return *std::move(tag);
}

result<std::string> instructions_from(const json& value) {
    if (value.is_null()) return std::string{};
    const auto rule = fmt::format(
        "instructions must be a text of 1 to {} characters", instructions_characters_max);
    if (!value.is_string()) return invalid(rule);
    const auto& text = value.get_ref<const std::string&>();
    if (code_point_count(text) > instructions_characters_max) return invalid(rule);
    auto clean = clean_text(text, instructions_characters_max);
    if (clean.empty()) return invalid(rule);
    return clean;
}

result<std::string> analyzer_from(const json& value) {
    if (value.is_null()) return std::string{};
    if (!value.is_string() || value.get_ref<const std::string&>().empty() ||
        value.get_ref<const std::string&>().size() > analyzer_bytes_max)
        return invalid("analyzer must be the name of an analyzer");
    return value.get<std::string>();
}

std::string preset_names() {
    std::vector<std::string> names;
    for (const auto& preset : extract_presets()) names.emplace_back(preset.name);
    return boost::algorithm::join(names, ", ");
}

result<void> read_schema(const json& value, analysis_options& options) {
    if (value.is_null()) return {};
    if (value.is_object()) {
        auto checked = check_extract_schema(value);
        if (checked) options.schema = dumped(value);
        return checked;
    }
    const auto presets = extract_presets();
    const auto known = std::find_if(presets.begin(), presets.end(), [&value](const auto& preset) {
        return value == preset.name;
    });
    if (known == presets.end())
        return invalid(fmt::format(
            "extract must be a JSON Schema object or the name of a preset: {}", preset_names()));
    options.preset = known->name;
    options.schema = dumped(json::parse(known->schema));
    return {};
}

}  // namespace

result<analysis_options> analysis_options_in(const json& body) {
    analysis_options options;
    auto language = language_from(member(body, "language"));
    if (!language) return language.error();
    options.language = *std::move(language);
    auto instructions = instructions_from(member(body, "instructions"));
    if (!instructions) return instructions.error();
    options.instructions = *std::move(instructions);
    auto analyzer = analyzer_from(member(body, "analyzer"));
    if (!analyzer) return analyzer.error();
    options.analyzer = *std::move(analyzer);
    const auto read = read_schema(member(body, "extract"), options);
    if (!read) return read.error();
    return options;
}

std::string text_of(const analysis_options& options) {
    auto members = json::object();
    if (!options.language.empty()) members["language"] = options.language;
    if (!options.instructions.empty()) members["instructions"] = options.instructions;
    if (!options.preset.empty()) {
        members["extract"] = options.preset;
    } else if (!options.schema.empty()) {
        members["extract"] = json::parse(options.schema);
    }
    if (!options.analyzer.empty()) members["analyzer"] = options.analyzer;
    return members.empty() ? std::string{} : dumped(members);
}

result<analysis_options> analysis_options_from(std::string_view text) {
    if (text.empty()) return analysis_options{};
    const auto members = parse_foreign_json(text);
    if (!members.is_object()) return invalid("the options of the submission cannot be read");
    return analysis_options_in(members);
}

std::string digest_of(const analysis_options& options) {
    if (options.language.empty() && options.instructions.empty() && options.schema.empty())
        return {};
    file_digest digest;
    digest.add(dumped(json{options.language, options.instructions, options.schema}));
    constexpr std::size_t digits = 32;
    return digest.hex().substr(0, digits);
}

}  // namespace reelsd::model
