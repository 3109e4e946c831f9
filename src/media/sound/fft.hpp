#pragma once

#include <complex>
#include <cstddef>
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

    /// The bins 0 to length / 2, valid until the next call. Takes `length` samples, and may
    /// overwrite them.
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

}  // namespace reelsd::media::sound
