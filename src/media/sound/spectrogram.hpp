#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct AVTXContext;

namespace reelsd::media::sound {

/// Discrete Fourier transform of real samples, unscaled, by libavutil.
class fft {
public:
    /// `length`: a power of two, at least 8. Throws std::bad_alloc.
    explicit fft(std::size_t length);

    /// The bins 0 to length / 2, valid until the next call. `samples`: `length` of them, which it
    /// may overwrite.
    [[nodiscard]] std::span<const std::complex<float>> transform(std::span<float> samples);

private:
    struct deleter {
        void operator()(AVTXContext* context) const;
    };

    std::size_t length_;
    std::vector<std::complex<float>> bins_;
    std::unique_ptr<AVTXContext, deleter> context_;
    void (*run_)(AVTXContext* context, void* out, void* in, std::ptrdiff_t stride) = nullptr;
};

/// For each value the mean of it and up to `neighbours` values on either side.
[[nodiscard]] std::vector<double> moving_means(
    std::span<const float> values, std::size_t neighbours);

/// Periodic Hann window.
[[nodiscard]] std::vector<float> hann_window(std::size_t length);

/// 93 ms every 23 ms at 11,025 Hz. Bins of 10.8 Hz separate neighbouring notes from 200 Hz on.
inline constexpr std::size_t spectrum_samples = 1024;
inline constexpr std::size_t spectrum_step = 256;
inline constexpr std::size_t spectrum_bins = spectrum_samples / 2;
inline constexpr double spectra_per_second = 11'025.0 / 256.0;
inline constexpr double bin_hz = 11'025.0 / 1024.0;

/// Features of one short spectrum for the music detector: 0.5 KB, so 90 s are 2 MB.
struct spectrum {
    float level_db = 0;  ///< Below full scale; -100 in digital silence.
    /// Rises of loudness since the last spectrum, at least 0: summed over all bands; between 32 and
    /// 65 Hz, where drums sound but no voice; and above 4 kHz, where cymbals sound.
    float onset = 0;
    float low_onset = 0;
    float high_onset = 0;
    float centroid_hz = 0;             ///< Spectral centroid; 0 in silence.
    std::vector<std::uint8_t> active;  ///< 1 for each bin that exceeds its neighbourhood.
};

/// `samples`: mono, 11,025 Hz, -1 to 1. One entry for each whole window.
[[nodiscard]] std::vector<spectrum> spectra_of(std::span<const float> samples);

}  // namespace reelsd::media::sound
