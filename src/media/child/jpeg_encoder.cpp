#include "jpeg_encoder.hpp"

#include "libav.hpp"

#include <array>
#include <new>
#include <stdexcept>
#include <string>

namespace reelsd::media {
namespace {

void must(int code, const char* what) {
    if (code < 0) throw std::runtime_error{std::string{what} + ": " + libav_message(code)};
}

/// JPEG's own colours: BT.601, all 256 levels.
frame_owner to_yuv(const picture::view& rgb, int quantizer) {
    auto frame = new_frame();
    frame->format = AV_PIX_FMT_YUVJ420P;
    frame->width = rgb.width;
    frame->height = rgb.height;
    frame->quality = quantizer * FF_QP2LAMBDA;
    frame->pts = 0;
    must(av_frame_get_buffer(frame.get(), 0), "no memory for a picture");
    const scaler_owner converter{sws_getContext(
        rgb.width,
        rgb.height,
        AV_PIX_FMT_RGB24,
        rgb.width,
        rgb.height,
        AV_PIX_FMT_YUVJ420P,
        SWS_AREA | SWS_ACCURATE_RND,
        nullptr,
        nullptr,
        nullptr)};
    if (!converter) throw std::runtime_error{"no way from RGB to a JPEG's colours"};
    const std::array<const std::uint8_t*, 4> planes{rgb.pixels, nullptr, nullptr, nullptr};
    const std::array<int, 4> strides{static_cast<int>(rgb.stride), 0, 0, 0};
    must(
        sws_scale(
            converter.get(),
            planes.data(),
            strides.data(),
            0,
            rgb.height,
            frame->data,
            frame->linesize),
        "a JPEG's colours");
    return frame;
}

codec_owner open_encoder(const AVFrame& frame, int quantizer) {
    const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG);
    if (codec == nullptr) throw std::runtime_error{"FFmpeg has no JPEG encoder"};
    codec_owner encoder{avcodec_alloc_context3(codec)};
    if (!encoder) throw std::bad_alloc{};
    encoder->width = frame.width;
    encoder->height = frame.height;
    encoder->pix_fmt = AV_PIX_FMT_YUVJ420P;
    encoder->color_range = AVCOL_RANGE_JPEG;
    // Named, so that the file says JFIF, which fixes its colours.
    encoder->sample_aspect_ratio = {1, 1};
    encoder->time_base = {1, 1};
    // Exact, or the encoder adds a comment with its name.
    encoder->flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT;
    encoder->global_quality = quantizer * FF_QP2LAMBDA;
    encoder->thread_count = 1;  // No threads can be started in the jail.
    must(avcodec_open2(encoder.get(), codec, nullptr), "the JPEG encoder");
    return encoder;
}

}  // namespace

std::vector<std::byte> encode_jpeg(const picture::view& rgb, int quantizer) {
    const auto frame = to_yuv(rgb, quantizer);
    const auto encoder = open_encoder(*frame, quantizer);
    must(avcodec_send_frame(encoder.get(), frame.get()), "encoding a JPEG");
    must(avcodec_send_frame(encoder.get(), nullptr), "encoding a JPEG");
    const auto packet = new_packet();
    must(avcodec_receive_packet(encoder.get(), packet.get()), "encoding a JPEG");
    const auto bytes =
        std::as_bytes(std::span{packet->data, static_cast<std::size_t>(packet->size)});
    return {bytes.begin(), bytes.end()};
}

std::optional<std::vector<std::byte>> encode_jpeg_within(
    const picture::view& rgb, std::span<const int> quantizers, std::size_t bytes_max) {
    for (const int quantizer : quantizers) {
        auto jpeg = encode_jpeg(rgb, quantizer);
        if (jpeg.size() <= bytes_max) return jpeg;
    }
    return std::nullopt;
}

}  // namespace reelsd::media
