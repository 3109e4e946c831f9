#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/post.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace reelsd::platform::test {

inline std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream{file, std::ios::binary}.rdbuf();
    return text.str();
}

inline std::filesystem::path golden_folder() {
    return std::filesystem::path{REELSD_SOURCE_DIR} / "tests/golden/platform";
}

inline const char* name_of(answer_media media) {
    constexpr const char* names[] = {
        "absent",
        "null_root",
        "other_post",
        "unreadable",
        "withheld",
        "gated",
        "photo",
        "video_without_url",
        "video"};
    return names[static_cast<std::size_t>(media)];
}

/// What every kind of answer is found to say.
inline json findings_of(
    answer_media media, const std::string& ruling, const std::optional<post>& subject) {
    json findings = {{"media", name_of(media)}, {"ruling", ruling}};
    if (!subject) return findings;
    findings["platform_meta"] = platform_meta_of(*subject);
    findings["media_url"] = std::get<remote_media>(subject->media).url;
    if (subject->carousel)
        findings["carousel"] = {
            {"index", subject->carousel->index}, {"count", subject->carousel->count}};
    return findings;
}

/// Reads each file of `folder` that ends in `extension`, and compares what `read` finds with the
/// .json beside it, or writes that anew (REELSD_UPDATE_GOLDEN=1). The number of files.
inline int check_golden(
    const std::filesystem::path& folder, const std::string& extension,
    const std::function<json(const std::string&)>& read) {
    const bool updates = std::getenv("REELSD_UPDATE_GOLDEN") != nullptr;
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
        if (entry.path().extension() != extension) continue;
        SCOPED_TRACE(entry.path().filename().string());
        ++files;
        const auto found = read(text_of(entry.path())).dump(2) + "\n";
        auto expected_file = entry.path();
        expected_file.replace_extension(".json");
        if (updates) std::ofstream{expected_file} << found;
        EXPECT_EQ(found, text_of(expected_file));
    }
    return files;
}

}  // namespace reelsd::platform::test
