#pragma once

#include <cstdio>
#include <memory>

namespace reelsd::cli {

struct file_closer {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

/// An open file, closed at the end. Null: none.
using owned_file = std::unique_ptr<std::FILE, file_closer>;

}  // namespace reelsd::cli
