#include "lexicon_builder.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>

namespace reelsd::model {
namespace {

result<std::vector<std::uint32_t>> compile_lexicon(
    const std::filesystem::path& folder, const std::filesystem::path& topics) {
    const auto base = read_wordnet(folder);
    if (!base) return base.error();
    const auto added = read_topics(topics);
    if (!added) return added.error();
    auto draft = build_lexicon(*base, *added);
    if (!draft) return draft.error();
    measure_rarity(*draft, *base);
    // The definitions are read with the dictionary itself, which has no vectors yet.
    const auto words = lexicon::from(lexicon_image(*draft, {}));
    if (!words) return words.error();
    const auto vectors = build_vectors(*base, *added, *words);
    if (!vectors) return vectors.error();
    return lexicon_image(*draft, *vectors);
}

result<void> write(const std::vector<std::uint32_t>& image, const std::filesystem::path& file) {
    std::ofstream out{file, std::ios::binary | std::ios::trunc};
    const auto bytes = std::as_bytes(std::span{image});
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): a stream takes characters
    out.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    out.close();
    if (!out) return error{errc::storage_failed, file.string() + " cannot be written"};
    return {};
}

}  // namespace
}  // namespace reelsd::model

/// Writes the dictionary of the local embedder. Exits with 0, or with 1 and a line on standard
/// error.
int main(int count, char** arguments) {
    if (count != 4) {
        std::fputs("usage: wordnet_compiler WORDNET_FOLDER TOPICS_FILE OUTPUT_FILE\n", stderr);
        return 1;
    }
    const auto image = reelsd::model::compile_lexicon(arguments[1], arguments[2]);
    const auto written = image ? reelsd::model::write(*image, arguments[3]) : image.error();
    if (!written) std::fprintf(stderr, "%s\n", written.error().to_string().c_str());
    return written ? 0 : 1;
}
