#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::fuzz {

/// What became of one answer.
struct reading {
    /// Empty, or which promise was broken.
    std::string broken_promise = {};
    /// Something was found in it: a post, a link, an id.
    bool has_post = false;
};

/// One reader of what the platform sends, and where its corpus stands.
struct reader_check {
    const char* name;
    /// Below tests/golden/platform; no files if the extension is a null pointer.
    const char* golden_folder;
    const char* golden_extension;
    /// File of tests/fuzz/platform_corpus whose lines are the corpus, or a null pointer.
    const char* lines;
    /// Whether some answers must have a post.
    bool has_posts;
    std::function<reading(std::string_view)> read;
};

[[nodiscard]] std::vector<reader_check> reader_checks();

}  // namespace reelsd::fuzz
