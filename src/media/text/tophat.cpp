#include "tophat.hpp"

#include <array>
#include <cstring>

namespace reelsd::media::text {

namespace {

constexpr std::size_t reach = tophat_pixels / 2;
static_assert(tophat_pixels == 31, "the doubling below combines windows of 1, 2, 4, 8, 16 into 31");

// Plain loops over bytes: the compiler turns them into vector instructions (this file is compiled
// with -O3 for that).
struct smaller {
    static constexpr std::uint8_t neutral = 255;
    static std::uint8_t of(std::uint8_t a, std::uint8_t b) { return a < b ? a : b; }
};
struct larger {
    static constexpr std::uint8_t neutral = 0;
    static std::uint8_t of(std::uint8_t a, std::uint8_t b) { return a > b ? a : b; }
};

/// target[i] = of(a[i], b[i]). `target` may be `a`.
template <class Op>
void combine(
    const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* target, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) target[i] = Op::of(a[i], b[i]);
}

/// In place: line[i] = of(line[i], line[i + shift]), in ascending order, so that it reads old
/// values.
template <class Op>
void fold(std::uint8_t* line, std::size_t shift, std::size_t count) {
    // Blocks of up to `shift` bytes never read what they have written.
    constexpr std::size_t block = 64;
    std::array<std::uint8_t, block> old{};
    for (std::size_t start = 0; start < count; start += block) {
        const std::size_t size = std::min(block, count - start);
        std::memcpy(old.data(), line + start + shift, size);
        combine<Op>(line + start, old.data(), line + start, size);
    }
}

/// Extreme over 31 pixels along each row.
template <class Op>
void along_rows(const plane& source, plane& result, std::vector<std::uint8_t>& scratch) {
    result.resize(source.width, source.height);
    const auto width = static_cast<std::size_t>(source.width);
    const std::size_t padding = 2 * reach + 32;
    scratch.assign(width + 2 * padding, Op::neutral);
    for (int y = 0; y < source.height; ++y) {
        std::uint8_t* line = scratch.data();
        std::memset(line, Op::neutral, reach);
        std::memcpy(line + reach, source.row(y), width);
        std::memset(line + reach + width, Op::neutral, padding);
        const std::size_t count = width + reach + 32;
        fold<Op>(line, 1, count);
        fold<Op>(line, 2, count);
        fold<Op>(line, 4, count);
        fold<Op>(line, 8, count);
        combine<Op>(line, line + 15, result.row(y), width);
    }
}

/// Extreme over 31 pixels along each column. In place; rows are combined as wholes.
template <class Op>
void along_columns(plane& image, std::vector<std::uint8_t>& scratch) {
    const auto width = static_cast<std::size_t>(image.width);
    const auto rows = static_cast<std::size_t>(image.height) + 2 * reach;
    scratch.resize((rows + 1) * width);
    std::uint8_t* padded = scratch.data();
    std::memset(padded, Op::neutral, reach * width);
    std::memcpy(padded + reach * width, image.pixels.data(), image.pixels.size());
    std::memset(padded + (rows - reach) * width, Op::neutral, (reach + 1) * width);
    std::size_t valid = rows;
    for (const std::size_t shift : {1U, 2U, 4U, 8U}) {
        if (valid <= shift) break;
        valid -= shift;
        for (std::size_t y = 0; y < valid; ++y) {
            std::uint8_t* row = padded + y * width;
            combine<Op>(row, row + shift * width, row, width);
        }
    }
    for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
        const std::uint8_t* row = padded + y * width;
        combine<Op>(row, row + 15 * width, image.pixels.data() + y * width, width);
    }
}

}  // namespace

void white_tophat::apply(const plane& source, plane& result) {
    along_rows<smaller>(source, eroded_, scratch_);
    along_columns<smaller>(eroded_, scratch_);
    along_rows<larger>(eroded_, opened_, scratch_);
    along_columns<larger>(opened_, scratch_);
    result.resize(source.width, source.height);
    for (std::size_t i = 0; i < source.pixels.size(); ++i) {
        // An opening never exceeds its source, so this does not wrap.
        result.pixels[i] = static_cast<std::uint8_t>(source.pixels[i] - opened_.pixels[i]);
    }
}

}  // namespace reelsd::media::text
