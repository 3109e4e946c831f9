#pragma once

#include <string_view>

namespace reelsd::model {

/// src/model/question/instructions.txt, written by the build.
extern const std::string_view question_instructions;

}  // namespace reelsd::model
