#pragma once

#include <string_view>

/// The files of src/model/prompt, as they are; written by the build.
namespace reelsd::model::prompt_files {

extern const std::string_view instructions;
extern const std::string_view task;
extern const std::string_view repair;
extern const std::string_view schema;

}  // namespace reelsd::model::prompt_files
