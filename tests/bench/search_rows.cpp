// Generates the rows and the searches of tests/bench/search.py:
//   search_rows REELS SEARCHES FOLDER
// FOLDER/reels has a line of JSON for each reel, with the data that searches use: {"words": [4
// texts of decreasing weight], "concepts": [...], "weights": [...], "passages": "...", "summary":
// "..."}. FOLDER/searches has a line for each search.

#include "search_writer.hpp"
#include "support/paths.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/model/embedder.hpp>
#include <reelsd/model/search_document.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace reelsd {
namespace {

json line_of(const json& result, const model::embedder& with) {
    const auto document = model::search_document_of(result.dump(), with).value();
    json concepts = json::array();
    json weights = json::array();
    for (const auto& part : document.concepts) {
        concepts.push_back(part.concept_id);
        weights.push_back(part.weight);
    }
    return {
        {"words", document.words},
        {"concepts", concepts},
        {"weights", weights},
        {"passages", model::passages_text(document.passages)},
        {"summary", result["content"]["summary"]}};
}

bool write(int reels, int searches, const std::string& folder) {
    const auto opened =
        model::local_embedder::open(std::string{REELSD_BINARY_DIR} + "/share/reelsd/wordnet.bin");
    if (!opened) {
        std::fprintf(stderr, "%s\n", opened.error().to_string().c_str());
        return false;
    }
    bench::writer pen{7};
    std::ofstream rows{folder + "/reels"};
    for (int i = 0; i < reels; ++i) rows << line_of(pen.result(), **opened).dump() << '\n';
    std::ofstream queries{folder + "/searches"};
    for (int i = 0; i < searches; ++i) queries << pen.query() << '\n';
    rows.close();
    queries.close();
    return rows.good() && queries.good();
}

}  // namespace
}  // namespace reelsd

int main(int count, char** arguments) {
    const int reels = count > 1 ? std::atoi(arguments[1]) : 0;
    const int searches = count > 2 ? std::atoi(arguments[2]) : 0;
    if (count != 4 || reels <= 0 || searches <= 0) {
        std::fprintf(stderr, "usage: search_rows REELS SEARCHES FOLDER\n");
        return EXIT_FAILURE;
    }
    return reelsd::write(reels, searches, arguments[3]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
