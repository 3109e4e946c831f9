#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// Discrete Fourier transform of a fixed length, in place, forwards and without scaling.
class fft {
public:
    /// `length`: a power of two, at least 2.
    explicit fft(std::size_t length);

    [[nodiscard]] std::size_t length() const noexcept { return reversed_.size(); }

    /// `values.size()` is `length()`.
    void transform(std::span<std::complex<float>> values) const;

private:
    std::vector<std::size_t> reversed_;       ///< Each index with its bits reversed.
    std::vector<std::complex<float>> turns_;  ///< exp(-2 pi i k / length) for the first half.
};

}  // namespace reelsd::media::sound
