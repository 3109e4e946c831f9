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
    std::string violation = {};
    /// Whether the reader found a post, a link or a value.
    bool accepted = false;
};

/// One reader of untrusted bytes and its corpus.
struct reader_check {
    const char* name;
    std::vector<std::string> corpus;  ///< Not empty; some of it is accepted.
    std::function<reading(std::string_view)> read;
};

/// The files of a folder, in order of name. With `extension` (including the dot) only those that
/// end with it. Throws when there is no such file.
[[nodiscard]] std::vector<std::string> files_of(
    const std::filesystem::path& folder, std::string_view extension = {});

/// The lines of a file. Throws when the file is missing or empty.
[[nodiscard]] std::vector<std::string> lines_of(const std::filesystem::path& file);

/// Number of inputs and seed, from the command line: PROGRAM [INPUTS [SEED]].
struct fuzz_run {
    std::size_t inputs = 0;  ///< For each reader, in addition to its corpus.
    unsigned long long seed = 1;
};
[[nodiscard]] fuzz_run run_from(int count, char** values, std::size_t inputs_usual);

/// Passes `found` and its corpus to each reader unchanged, then inputs made from the corpus.
/// Returns the exit status of the program. It is 1, with the bytes and the seed printed, when a
/// guarantee is violated or an exception is thrown. It is also 1 when a reader accepts nothing,
/// because the inputs then never reach the code behind the first checks. The same seed gives the
/// same inputs.
[[nodiscard]] int fuzz_readers(
    const std::vector<reader_check>& checks, const std::vector<std::string>& found,
    const fuzz_run& options);

}  // namespace reelsd::fuzz
