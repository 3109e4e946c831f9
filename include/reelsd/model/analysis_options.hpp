#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// What a submission requests of its analysis. Empty members are not requested.
struct analysis_options {
    std::string language;      ///< Of the result: a BCP 47 tag in its usual case, "pt-BR".
    std::string instructions;  ///< What to pay attention to. Untrusted.
    std::string preset;        ///< The name of the schema, if it is a preset.
    std::string schema;        ///< JSON text of the schema of `extract`. Untrusted, but checked.
    std::string analyzer;      ///< The analyzer's name, such as "gemini".

    friend bool operator==(const analysis_options&, const analysis_options&) = default;
};

/// The analyzers that submissions may choose now.
struct offered_analyzers {
    std::vector<std::string> names;
    bool cost_money = false;  ///< One of them is a remote model, so that budgets apply.
};

/// A schema that submissions may name in `extract`.
struct extract_preset {
    std::string_view name;
    std::string_view schema;  ///< JSON text; its root has a description.
};

/// The files of src/model/extraction/presets, in the order of the documentation.
[[nodiscard]] std::span<const extract_preset> extract_presets();

/// Reads `language`, `instructions`, `extract` and `analyzer` of a submission's body; null is as
/// absent. Does not know which analyzers exist. Errors: invalid_argument, which names the field.
[[nodiscard]] result<analysis_options> analysis_options_in(const json& body);

/// The options as the text of a JSON object with the members that analysis_options_in() reads;
/// empty without options. Equal options have equal texts.
[[nodiscard]] std::string text_of(const analysis_options& options);

/// Reads such a text. Errors: as analysis_options_in().
[[nodiscard]] result<analysis_options> analysis_options_from(std::string_view text);

/// Identifies language, instructions and schema: 32 hexadecimal digits of a hash. Empty without
/// these three. Results of one analyzer are interchangeable only if their digests are equal.
[[nodiscard]] std::string digest_of(const analysis_options& options);

}  // namespace reelsd::model
