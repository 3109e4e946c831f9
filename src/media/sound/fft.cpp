#include "fft.hpp"

#include <reelsd/base/invariant.hpp>

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace reelsd::media::sound {

fft::fft(std::size_t length) : reversed_(length), turns_(length / 2) {
    invariant(length >= 2 && std::has_single_bit(length));
    const auto bits = static_cast<std::size_t>(std::countr_zero(length));
    for (std::size_t i = 1; i < length; ++i) {
        reversed_[i] = (reversed_[i / 2] / 2) | ((i & 1U) << (bits - 1));
    }
    for (std::size_t k = 0; k < length / 2; ++k) {
        const double angle =
            -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
        turns_[k] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
}

void fft::transform(std::span<std::complex<float>> values) const {
    const std::size_t size = length();
    invariant(values.size() == size);
    for (std::size_t i = 0; i < size; ++i) {
        if (i < reversed_[i]) std::swap(values[i], values[reversed_[i]]);
    }
    for (std::size_t half = 1; half < size; half *= 2) {
        const std::size_t turn_step = size / (2 * half);
        for (std::size_t block = 0; block < size; block += 2 * half) {
            for (std::size_t k = 0; k < half; ++k) {
                const std::complex<float> turn = turns_[k * turn_step];
                const std::complex<float> odd = values[block + half + k];
                // Written out: the library's product checks for infinities.
                const std::complex<float> turned{
                    odd.real() * turn.real() - odd.imag() * turn.imag(),
                    odd.real() * turn.imag() + odd.imag() * turn.real()};
                values[block + half + k] = values[block + k] - turned;
                values[block + k] += turned;
            }
        }
    }
}

}  // namespace reelsd::media::sound
