#include "reader_fuzz.hpp"

#include "answer_maker.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace reelsd::fuzz {
namespace {

namespace fs = std::filesystem;

struct reader_run {
    std::size_t accepted = 0;
    double slowest_seconds = 0;
    std::size_t slowest_number = 0;
};

reading read_caught(const reader_check& check, std::string_view input) {
    try {
        return check.read(input);
    } catch (const std::exception& thrown) {
        return {.violation = std::string{"thrown: "} + thrown.what()};
    }
}

/// False, with the reason printed, when a guarantee was violated.
bool run_one(
    const reader_check& check, const std::vector<std::string>& found, const fuzz_run& run,
    reader_run& done) {
    using clock = std::chrono::steady_clock;
    answer_maker maker{run.seed, check.corpus};
    const auto inputs = run.inputs + found.size() + maker.corpus_size();
    for (std::size_t number = 0; number < inputs; ++number) {
        const auto input =
            number < found.size() ? found[number] : maker.make(number - found.size());
        const auto start = clock::now();
        const auto outcome = read_caught(check, input);
        const std::chrono::duration<double> took = clock::now() - start;
        if (took.count() > done.slowest_seconds) {
            done.slowest_seconds = took.count();
            done.slowest_number = number;
        }
        if (outcome.accepted) ++done.accepted;
        if (outcome.violation.empty()) continue;
        std::fprintf(
            stderr,
            "%s: %s\ninput %zu of seed %llu:\n",
            check.name,
            outcome.violation.c_str(),
            number,
            run.seed);
        std::fwrite(input.data(), 1, input.size(), stderr);
        return false;
    }
    return true;
}

}  // namespace

std::vector<std::string> files_of(const fs::path& folder, std::string_view extension) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator{folder}) {
        const auto& path = entry.path();
        if (entry.is_regular_file() && (extension.empty() || path.extension() == extension))
            files.push_back(path);
    }
    if (files.empty()) throw std::runtime_error{"no corpus in " + folder.string()};
    std::sort(files.begin(), files.end());
    std::vector<std::string> texts;
    for (const auto& file : files) {
        std::ostringstream text;
        text << std::ifstream{file, std::ios::binary}.rdbuf();
        texts.push_back(text.str());
    }
    return texts;
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream in{file};
    if (!in) throw std::runtime_error{"missing: " + file.string()};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

fuzz_run run_from(int count, char** values, std::size_t inputs_usual) {
    fuzz_run run{.inputs = inputs_usual};
    if (count > 1) run.inputs = std::strtoull(values[1], nullptr, 10);
    if (count > 2) run.seed = std::strtoull(values[2], nullptr, 10);
    return run;
}

int fuzz_readers(
    const std::vector<reader_check>& checks, const std::vector<std::string>& found,
    const fuzz_run& run) {
    bool is_well = true;
    for (const auto& check : checks) {
        reader_run done;
        const bool holds = run_one(check, found, run, done);
        std::printf(
            "%-16s %zu inputs of seed %llu: %zu accepted; slowest %.1f ms (input %zu)\n",
            check.name,
            run.inputs,
            run.seed,
            done.accepted,
            done.slowest_seconds * 1000,
            done.slowest_number);
        std::fflush(stdout);  // Shows the progress of long runs.
        is_well = is_well && holds && done.accepted > 0;
    }
    return is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace reelsd::fuzz
