#pragma once

#include "support/paths.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/platform/answer_record.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

namespace reelsd::platform::test {

inline std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream{file, std::ios::binary}.rdbuf();
    return text.str();
}

inline std::filesystem::path golden_folder() {
    return std::filesystem::path{REELSD_SOURCE_DIR} / "tests/golden/platform";
}

/// Reads each file of `folder` with this extension, and compares the findings of `read` with the
/// .json next to it, or rewrites that (REELSD_UPDATE_GOLDEN=1). Returns the number of files.
inline int check_golden(
    const std::filesystem::path& folder, const std::string& extension,
    const std::function<json(const std::string&)>& read) {
    const bool updates = std::getenv("REELSD_UPDATE_GOLDEN") != nullptr;
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
        if (entry.path().extension() != extension) continue;
        SCOPED_TRACE(entry.path().filename().string());
        ++files;
        const auto findings = read(text_of(entry.path())).dump(2) + "\n";
        auto expected_file = entry.path();
        expected_file.replace_extension(".json");
        if (updates) std::ofstream{expected_file} << findings;
        EXPECT_EQ(findings, text_of(expected_file));
    }
    return files;
}

}  // namespace reelsd::platform::test
