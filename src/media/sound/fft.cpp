#include "fft.hpp"

#include <reelsd/base/invariant.hpp>

#include <bit>
#include <new>

extern "C" {
#include <libavutil/tx.h>
}

namespace reelsd::media::sound {

fft::fft(std::size_t length) : length_{length}, bins_(length / 2 + 1) {
    invariant(length >= 8 && std::has_single_bit(length));
    constexpr float scale = 1;
    AVTXContext* context = nullptr;
    const int failure = av_tx_init(
        &context,
        &run_,
        AV_TX_FLOAT_RDFT,
        /*inv=*/0,
        static_cast<int>(length),
        &scale,
        AV_TX_UNALIGNED);
    if (failure < 0) throw std::bad_alloc{};
    context_.reset(context);
}

std::span<const std::complex<float>> fft::transform(std::span<float> samples) {
    invariant(samples.size() == length_);
    run_(context_.get(), bins_.data(), samples.data(), sizeof(float));
    return bins_;
}

void fft::deleter::operator()(AVTXContext* context) const {
    av_tx_uninit(&context);
}

}  // namespace reelsd::media::sound
