#include "../neural/neural_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media::text {
namespace {

struct network {
    const char* file;
    const char* output_name;
    int height;
    int width;
};

class JoinedOperations : public testing::TestWithParam<network> {};
INSTANTIATE_TEST_SUITE_P(
    Networks, JoinedOperations,
    testing::Values(
        network{"/ch_PP-OCRv4_det_infer.onnx", "sigmoid_0.tmp_0", 160, 224},
        network{"/ch_PP-OCRv4_rec_infer.onnx", "softmax_11.tmp_0", 48, 224}));

constexpr std::array<std::string_view, 7> word{
    "#   # ##### #     #      ### ",  //
    "#   # #     #     #     #   #",  //
    "#   # #     #     #     #   #",  //
    "##### ####  #     #     #   #",  //
    "#   # #     #     #     #   #",  //
    "#   # #     #     #     #   #",  //
    "#   # ##### ##### #####  ### "};
constexpr int stroke = 4;

/// The word on dark noise, in the range of normalised pictures.
std::vector<float> picture(int height, int width) {
    const int top = (height - stroke * static_cast<int>(word.size())) / 2;
    const int left = (width - stroke * static_cast<int>(word[0].size())) / 2;
    std::vector<float> values;
    std::uint32_t noise = 1;
    for (int at = 0; at < 3 * height * width; ++at) {
        noise = noise * 1664525 + 1013904223;
        const int down = at / width % height - top;
        const int across = at % width - left;
        const auto row = static_cast<std::size_t>(down / stroke);
        const auto column = static_cast<std::size_t>(across / stroke);
        const bool is_inside =
            down >= 0 && across >= 0 && row < word.size() && column < word[0].size();
        const float base = is_inside && word[row][column] == '#' ? 2.0F : -1.0F;
        values.push_back(base + static_cast<float>(noise >> 16) / 65536.0F);
    }
    return values;
}

// Goal: joining the operations of a network does not change what it computes.
TEST_P(JoinedOperations, ComputeTheSame) {
    const network& given = GetParam();
    auto original =
        picture_model::load(ORIGINAL_MODELS + std::string{given.file}, given.output_name);
    auto joined =
        picture_model::load(INSTALLED_MODELS + std::string{given.file}, given.output_name);
    ASSERT_TRUE(original.has_value());
    ASSERT_TRUE(joined.has_value());
    auto input = picture(given.height, given.width);

    const auto expected = original->run(input, given.height, given.width);
    const auto computed = joined->run(input, given.height, given.width);

    ASSERT_EQ(computed.values.size(), expected.values.size());
    float largest = 0;
    for (std::size_t at = 0; at < expected.values.size(); ++at) {
        ASSERT_NEAR(computed.values[at], expected.values[at], 1e-4) << at;
        largest = std::max(largest, expected.values[at]);
    }
    EXPECT_GT(largest, 0.5);  // Otherwise all values would be about zero.
}

}  // namespace
}  // namespace reelsd::media::text
