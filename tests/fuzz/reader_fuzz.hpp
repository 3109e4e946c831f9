#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::fuzz {

/// Outcome of one input.
struct reading {
    /// The violated guarantee; empty for none.
    std::string broken_promise = {};
    /// Whether the reader found a post, a link or a value.
    bool accepted = false;
};

/// One reader of untrusted bytes and its corpus.
struct reader_check {
    const char* name;
    std::vector<std::string> corpus;  ///< Not empty; some of it is accepted.
    std::function<reading(std::string_view)> read;
};

/// Whole files of a folder, by name: their order is the same everywhere. With `extension` only
/// those that end so, dot included. Throws when there is none.
[[nodiscard]] std::vector<std::string> files_of(
    const std::filesystem::path& folder, std::string_view extension = {});

/// The lines of a file. Throws when there is none.
[[nodiscard]] std::vector<std::string> lines_of(const std::filesystem::path& file);

/// Number of inputs and seed, from the command line: PROGRAM [INPUTS [SEED]].
struct fuzz_run {
    std::size_t inputs = 0;  ///< For each reader, besides its corpus.
    unsigned long long seed = 1;
};
[[nodiscard]] fuzz_run run_from(int count, char** values, std::size_t inputs_usual);

/// Gives each reader all of `found` and of its corpus as they are, then inputs made from its
/// corpus. The program's status: 1, with the bytes and the seed shown, when a promise was broken or
/// something was thrown, and when a reader accepts nothing at all, for then the inputs never get
/// through. The same seed gives the same inputs.
[[nodiscard]] int fuzz_readers(
    const std::vector<reader_check>& checks, const std::vector<std::string>& found,
    const fuzz_run& wanted);

}  // namespace reelsd::fuzz
