#include "signature.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace reelsd::media::picture {
namespace {

/// Variances and covariance.
struct comparison {
    double a = 0;
    double b = 0;
    double both = 0;

    /// Uniform pictures, within a grey level, are not amplified.
    [[nodiscard]] double correlation() const {
        return both / std::sqrt(std::max(1.0, a) * std::max(1.0, b));
    }
};

comparison compare_cells(std::span<const float> a, std::span<const float> b) {
    const auto mean = [](std::span<const float> cells) {
        return std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size());
    };
    const auto product = [](std::span<const float> x, std::span<const float> y) {
        return std::inner_product(x.begin(), x.end(), y.begin(), 0.0) /
               static_cast<double>(x.size());
    };
    const double mean_a = mean(a);
    const double mean_b = mean(b);
    return {
        product(a, a) - mean_a * mean_a,
        product(b, b) - mean_b * mean_b,
        product(a, b) - mean_a * mean_b};
}

}  // namespace

signature signature_of(const view& frame, const rotated_box& area) {
    std::vector<float> colours;
    sample(
        frame, {.area = area, .width = signature_columns, .height = signature_rows}, {}, colours);
    signature cells{};
    // Green is close to luma.
    for (std::size_t at = 0; at < cells.size(); ++at)
        cells[at] =
            colours[cells.size() + at % signature_rows * signature_columns + at / signature_rows];
    return cells;
}

double correlation(const signature& a, const signature& b) {
    return compare_cells(a, b).correlation();
}

double least_correlation(const signature& a, const signature& b) {
    const auto whole = compare_cells(a, b);
    double least = whole.correlation();
    constexpr std::size_t width = std::size_t{8} * signature_rows;  // About a letter.
    for (std::size_t at = 0; at + width <= a.size(); at += width / 2) {
        const auto part =
            compare_cells(std::span{a}.subspan(at, width), std::span{b}.subspan(at, width));
        if (part.a + part.b > (whole.a + whole.b) / 4) least = std::min(least, part.correlation());
    }
    return least;
}

}  // namespace reelsd::media::picture
