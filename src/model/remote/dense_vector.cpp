#include <reelsd/base/invariant.hpp>
#include <reelsd/model/dense_embedder.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace reelsd::model {
namespace {

constexpr std::size_t factor_bytes = 4;
constexpr float level_max = 127;

std::array<std::byte, factor_bytes> bytes_of(float number) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    std::array<std::byte, factor_bytes> bytes{};
    for (std::size_t at = 0; at < factor_bytes; ++at)
        bytes.at(at) = static_cast<std::byte>((bits >> (8 * at)) & 0xFFU);
    return bytes;
}

float number_in(std::span<const std::byte> bytes) {
    std::uint32_t bits = 0;
    for (std::size_t at = 0; at < factor_bytes; ++at)
        bits |= std::to_integer<std::uint32_t>(bytes[at]) << (8 * at);
    return std::bit_cast<float>(bits);
}

}  // namespace

bool normalise(dense_vector& vector) {
    double sum = 0;
    for (const auto component : vector) sum += double{component} * double{component};
    const auto length = std::sqrt(sum);
    if (!std::isfinite(length) || length <= 0) return false;
    for (auto& component : vector) component = static_cast<float>(double{component} / length);
    return true;
}

std::vector<std::byte> quantised(const dense_vector& vector) {
    invariant(!vector.empty() && vector.size() <= dimensions_max);
    float largest = 0;
    for (const auto component : vector) largest = std::max(largest, std::fabs(component));
    const auto factor = largest > 0 ? largest / level_max : 1.0F;
    std::vector<std::byte> stored;
    stored.reserve(factor_bytes + vector.size());
    for (const auto byte : bytes_of(factor)) stored.push_back(byte);
    for (const auto component : vector) {
        const auto level = std::clamp(std::round(component / factor), -level_max, level_max);
        stored.push_back(static_cast<std::byte>(static_cast<std::int8_t>(level)));
    }
    return stored;
}

std::optional<double> similarity(const dense_vector& unit, std::span<const std::byte> stored) {
    if (stored.size() != unit.size() + factor_bytes) return std::nullopt;
    const auto levels = stored.subspan(factor_bytes);
    float sum = 0;
    for (std::size_t at = 0; at < unit.size(); ++at)
        sum += unit[at] * static_cast<float>(static_cast<std::int8_t>(levels[at]));
    return double{sum} * double{number_in(stored)};
}

}  // namespace reelsd::model
