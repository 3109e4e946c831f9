// Random and mutated answers of the platform through all that reads them: pages, queries, embed
// pages, yt-dlp's output and complaints, links, redirects and ids. They come from the golden files
// (tests/golden/platform) and from tests/fuzz/platform_corpus.
//
//   platform_fuzz [ANSWERS [SEED]]      200 answers for each reader and seed 1 by default
//
// Ends with 1 and shows the bytes and the seed when what was read breaks a promise of the reader's
// header; the sanitizers end it for what they find. The same seed makes the same answers.
#include "answer_maker.hpp"
#include "platform_checks.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace reelsd::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t answers_usual = 200;

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream{file, std::ios::binary}.rdbuf();
    return text.str();
}

/// Whole files of a folder, by name: their order is to be the same everywhere.
void add_files(std::vector<std::string>& corpus, const fs::path& folder, const char* extension) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator{folder}) {
        if (entry.path().extension() == extension) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) corpus.push_back(text_of(file));
}

/// The lines of a file.
void add_lines(std::vector<std::string>& corpus, const fs::path& file) {
    std::ifstream lines{file};
    if (!lines) throw std::runtime_error{"missing: " + file.string()};
    for (std::string line; std::getline(lines, line);) corpus.push_back(line);
}

std::vector<std::string> corpus_of(const reader_check& check) {
    const fs::path source{REELSD_SOURCE_DIR};
    const auto golden = source / "tests/golden/platform";
    const auto own = source / "tests/fuzz/platform_corpus";
    std::vector<std::string> corpus;
    if (check.golden_extension != nullptr)
        add_files(corpus, golden / check.golden_folder, check.golden_extension);
    if (check.lines != nullptr) add_lines(corpus, own / check.lines);
    return corpus;
}

/// What was found once; every reader gets all of it, as it is.
std::vector<std::string> found_answers() {
    std::vector<std::string> found;
    add_files(found, fs::path{REELSD_SOURCE_DIR} / "tests/fuzz/platform_corpus/found", ".txt");
    return found;
}

struct reader_run {
    std::size_t posts = 0;
    double slowest_seconds = 0;
    std::size_t slowest_number = 0;
};

/// False, with the reason shown, when a promise was broken.
bool run_one(const reader_check& check, std::size_t answers, std::uint64_t seed, reader_run& done) {
    using clock = std::chrono::steady_clock;
    const auto found = found_answers();
    answer_maker maker{seed, corpus_of(check)};
    answers += found.size() + maker.corpus_size();
    for (std::size_t number = 0; number < answers; ++number) {
        const auto answer =
            number < found.size() ? found[number] : maker.make(number - found.size());
        const auto start = clock::now();
        const auto said = check.read(answer);
        const std::chrono::duration<double> took = clock::now() - start;
        if (took.count() > done.slowest_seconds) {
            done.slowest_seconds = took.count();
            done.slowest_number = number;
        }
        if (said.has_post) ++done.posts;
        if (said.broken_promise.empty()) continue;
        std::fprintf(
            stderr,
            "%s: %s\nanswer %zu of seed %llu:\n",
            check.name,
            said.broken_promise.c_str(),
            number,
            static_cast<unsigned long long>(seed));
        std::fwrite(answer.data(), 1, answer.size(), stderr);
        return false;
    }
    return true;
}

int run(std::size_t answers, std::uint64_t seed) {
    bool is_well = true;
    for (const auto& check : reader_checks()) {
        reader_run done;
        const bool holds = run_one(check, answers, seed, done);
        std::printf(
            "%-12s %zu answers of seed %llu: %zu posts or links; slowest %.1f ms (answer %zu)\n",
            check.name,
            answers,
            static_cast<unsigned long long>(seed),
            done.posts,
            done.slowest_seconds * 1000,
            done.slowest_number);
        std::fflush(stdout);  // A long run is to be watched.
        // A maker whose answers never get through would find nothing.
        is_well = is_well && holds && (done.posts > 0 || !check.has_posts);
    }
    return is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    const auto answers =
        count > 1 ? std::strtoull(values[1], nullptr, 10) : reelsd::fuzz::answers_usual;
    const auto seed = count > 2 ? std::strtoull(values[2], nullptr, 10) : 1;
    return reelsd::fuzz::run(answers, seed);
}
