#include <reelsd/base/error.hpp>

namespace reelsd {

std::string error::to_string() const {
    std::string text{name_of(code_)};
    if (!detail_.empty()) text.append(": ").append(detail_);
    return text;
}

}  // namespace reelsd
