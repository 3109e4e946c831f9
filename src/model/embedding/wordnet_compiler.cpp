#include "lexicon_builder.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>

namespace reelsd::model {
namespace {

std::vector<std::uint32_t> compile_lexicon(
    const std::filesystem::path& folder, const std::filesystem::path& topics) {
    const auto base = read_wordnet(folder);
    const auto added = read_topics(topics);
    auto draft = build_lexicon(base, added);
    measure_rarity(draft, base);
    // The definitions are read with the dictionary itself, which has no vectors yet.
    const auto words = lexicon::from(lexicon_image(draft, {})).value();
    return lexicon_image(draft, build_vectors(base, added, words));
}

void write(const std::vector<std::uint32_t>& image, const std::filesystem::path& file) {
    std::ofstream out{file, std::ios::binary | std::ios::trunc};
    const auto bytes = std::as_bytes(std::span{image});
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): a stream takes characters
    out.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    out.close();
    if (!out) throw std::runtime_error{file.string() + " cannot be written"};
}

}  // namespace
}  // namespace reelsd::model

/// Writes the dictionary of the local embedder. Exits with 0, or 1 and a line on standard error.
int main(int count, char** arguments) {
    if (count != 4) {
        std::fputs("usage: wordnet_compiler WORDNET_FOLDER TOPICS_FILE OUTPUT_FILE\n", stderr);
        return 1;
    }
    try {
        reelsd::model::write(
            reelsd::model::compile_lexicon(arguments[1], arguments[2]), arguments[3]);
        return 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
}
