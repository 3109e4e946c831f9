#pragma once

#include <span>
#include <string_view>

namespace reelsd::model {

/// A schema that submissions may name in `extract`.
struct extract_preset {
    std::string_view name;
    std::string_view schema;  ///< JSON text; its root has a description.
};

/// The files of src/model/extraction/presets, in the order of the documentation.
[[nodiscard]] std::span<const extract_preset> extract_presets();

}  // namespace reelsd::model
