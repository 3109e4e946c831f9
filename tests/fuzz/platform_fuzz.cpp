// Random and mutated answers of the platform through all of their readers: pages, queries, embed
// pages, yt-dlp's output and errors, manifests, links, redirects and ids. They come from the
// golden files (tests/golden/platform) and from tests/fuzz/platform_corpus.
//
//   platform_fuzz [ANSWERS [SEED]]      200 answers for each reader and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when a result violates a guarantee of the reader's
// header, or when a sanitizer finds an error. The same seed gives the same answers.
#include "platform_checks.hpp"
#include "reader_fuzz.hpp"
#include "support/paths.hpp"

int main(int count, char** values) {
    using namespace reelsd::fuzz;
    constexpr std::size_t answers_usual = 200;
    // Inputs that once failed; every reader gets all of them.
    const auto found = files_of(REELSD_SOURCE_DIR "/tests/fuzz/platform_corpus/found", ".txt");
    return fuzz_readers(platform_checks(), found, run_from(count, values, answers_usual));
}
