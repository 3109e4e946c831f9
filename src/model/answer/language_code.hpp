#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::model {

/// The ISO 639-1 code that a model means: of "pt-BR", "EN", "zh_Hans", "deu" or "Spanish". Nothing
/// when it names no language that has one ("und", "mul").
[[nodiscard]] std::optional<std::string> language_code_from(std::string_view said);

}  // namespace reelsd::model
