// Goal: a whole export is told from a cut one, wherever it was cut and however it came.
#include <cli/export_lines.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::cli {
namespace {

const std::string account = R"({"type":"account","id":1})"
                            "\n";
const std::string end_of_one = R"({"type":"end","lines":1})"
                               "\n";

std::optional<std::int64_t> lines_of(std::string_view text, std::size_t piece) {
    export_lines lines;
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
        lines.take(text.substr(0, piece));
    }
    return lines.whole();
}

TEST(ExportLines, AWholeExportIsWholeInWhateverPieces) {
    for (const std::size_t piece : {1U, 2U, 7U, 1000U}) {
        EXPECT_EQ(lines_of(account + end_of_one, piece), 1) << piece;
    }
}

TEST(ExportLines, ACutOneIsNot) {
    const auto whole = account + end_of_one;
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        EXPECT_FALSE(lines_of(whole.substr(0, bytes), 5)) << bytes;
    }
}

TEST(ExportLines, LinesThatAreMissingAreMissed) {
    EXPECT_FALSE(lines_of(end_of_one, 100));
    EXPECT_FALSE(lines_of(account + account + end_of_one, 100));
}

TEST(ExportLines, OnlyTheLastLineEndsIt) {
    EXPECT_FALSE(lines_of(account + end_of_one + account, 100));
    EXPECT_FALSE(lines_of("end\n", 100));
    EXPECT_FALSE(lines_of("{\"type\":\"end\"}\n", 100));
    EXPECT_FALSE(lines_of("{\"type\":1,\"lines\":0}\n", 100));
}

TEST(ExportLines, LongLinesAreCountedAndNotKept) {
    const auto reel = R"({"type":"reel","x":")" + std::string(1'000'000, 'x') + "\"}\n";
    EXPECT_EQ(lines_of(reel + end_of_one, 4096), 1);
}

}  // namespace
}  // namespace reelsd::cli
