#include "images.hpp"

extern "C" {
#include <libavutil/display.h>
}

#include <reelsd/media/report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace reelsd::media {
namespace {

/// A larger ratio of a pixel's sides is a broken header, not an anamorphic film.
constexpr double aspect_max = 10.0;

double sample_aspect(const AVStream& stream, const AVFrame& frame) {
    for (const AVRational ratio : {stream.sample_aspect_ratio, frame.sample_aspect_ratio}) {
        const double aspect = ratio.den == 0 ? 0 : av_q2d(ratio);
        if (aspect >= 1 / aspect_max && aspect <= aspect_max) return aspect;
    }
    return 1;
}

struct side_data {
    const std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
};

side_data matrix_of_container(const AVStream& stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 0)  // FFmpeg 6.1.
    const AVCodecParameters& codec = *stream.codecpar;
    const AVPacketSideData* data = av_packet_side_data_get(
        codec.coded_side_data, codec.nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data == nullptr ? side_data{} : side_data{data->data, data->size};
#else
    side_data data;
    data.bytes = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &data.size);
    return data;
#endif
}

/// The picture's matrix has precedence over the container's.
picture::orientation orientation_of(const AVStream& stream, const AVFrame& frame) {
    auto data = matrix_of_container(stream);
    const AVFrameSideData* own = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
    if (own != nullptr) data = {own->data, own->size};
    std::array<std::int32_t, 9> matrix{};
    if (data.bytes == nullptr || data.size < sizeof matrix) return {};
    std::memcpy(matrix.data(), data.bytes, sizeof matrix);
    // Selfies are often stored mirrored: the determinant is then negative.
    const bool is_mirrored = double{1} * matrix[0] * matrix[4] < double{1} * matrix[1] * matrix[3];
    if (is_mirrored) av_display_matrix_flip(matrix.data(), 1, 0);
    const double left = av_display_rotation_get(matrix.data());
    return {.turns = picture::quarter_turns_of(-left), .is_mirrored = is_mirrored};
}

int side(double pixels) {
    return static_cast<int>(
        std::clamp(std::round(pixels), 1.0, double{report_bounds::side_pixels_max}));
}

/// Rows start at multiples of the widest vector register, as FFmpeg recommends.
constexpr std::ptrdiff_t alignment = 64;

std::ptrdiff_t aligned(std::ptrdiff_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

std::optional<picture::hdr_transfer> hdr_transfer_of(const AVFrame& frame) {
    if (frame.color_trc == AVCOL_TRC_SMPTE2084) return picture::hdr_transfer::perceptual_quantizer;
    if (frame.color_trc == AVCOL_TRC_ARIB_STD_B67) return picture::hdr_transfer::hybrid_log_gamma;
    return std::nullopt;
}

/// The matrix from YUV to RGB by swscale's numbers, which are those of AVColorSpace. Untagged video
/// is BT.709 from 720 lines on in either orientation, as in most players.
int matrix_of(const AVFrame& frame) {
    constexpr int high_definition_side_min = 720;
    if (frame.colorspace != AVCOL_SPC_UNSPECIFIED) return frame.colorspace;
    if (hdr_transfer_of(frame)) return SWS_CS_BT2020;
    return std::min(frame.width, frame.height) >= high_definition_side_min ? SWS_CS_ITU709
                                                                           : SWS_CS_ITU601;
}

/// 9:22.5, higher than any phone. Higher pictures are scaled to less width.
constexpr int height_max = text::frame_width * 5 / 2;

/// Three lines: glyphs are at least 9 px high (text_reader).
constexpr int side_min = 32;

void must(int code, const char* what) {
    if (code < 0) throw std::runtime_error{std::string{what} + ": " + libav_message(code)};
}

/// JPEG's colours: BT.601, full range.
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
    if (!converter) throw std::runtime_error{"FFmpeg cannot convert RGB to the colours of JPEG"};
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
        "converting to the colours of JPEG");
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
    // Makes the encoder write JFIF, which defines the colours.
    encoder->sample_aspect_ratio = {1, 1};
    encoder->time_base = {1, 1};
    // Without AV_CODEC_FLAG_BITEXACT the encoder adds a comment with its name.
    encoder->flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT;
    encoder->global_quality = quantizer * FF_QP2LAMBDA;
    encoder->thread_count = 1;  // No threads can be started in the jail.
    must(avcodec_open2(encoder.get(), codec, nullptr), "the JPEG encoder");
    return encoder;
}

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

}  // namespace

picture_size geometry::fitted(int width, int height_max) const noexcept {
    const double scale = std::min(
        static_cast<double>(width) / displayed.width,
        static_cast<double>(height_max) / displayed.height);
    return {.width = side(displayed.width * scale), .height = side(displayed.height * scale)};
}

picture_size geometry::before_turning(picture_size size) const noexcept {
    if (picture::swaps_sides(orientation.turns)) std::swap(size.width, size.height);
    return size;
}

geometry geometry_of(const AVStream& stream, const AVFrame& first) {
    geometry shape;
    shape.orientation = orientation_of(stream, first);
    shape.displayed = {
        .width = side(first.width * sample_aspect(stream, first)), .height = side(first.height)};
    if (picture::swaps_sides(shape.orientation.turns)) {
        std::swap(shape.displayed.width, shape.displayed.height);
    }
    return shape;
}

SwsContext* prepare_scaler(
    scaler_owner& context, const AVFrame& frame, picture_size size, AVPixelFormat format,
    int flags) {
    // A stream may change its size; only then a new context is created.
    context.reset(sws_getCachedContext(
        context.release(),
        frame.width,
        frame.height,
        static_cast<AVPixelFormat>(frame.format),
        size.width,
        size.height,
        format,
        flags,
        nullptr,
        nullptr,
        nullptr));
    return context.get();
}

scaler::scaler(picture_size size, AVPixelFormat format, colours reading)
    : size_{size},
      format_{format},
      reading_{reading},
      stride_{aligned(std::ptrdiff_t{format == AV_PIX_FMT_RGB24 ? 3 : 1} * size.width)},
      // Vector code may write past the end of the last row.
      pixels_(static_cast<std::size_t>(stride_ * size.height + alignment)) {}

scaler scaler::upright(const geometry& shape, picture_size size, colours reading) {
    scaler to_rgb{shape.before_turning(size), AV_PIX_FMT_RGB24, reading};
    to_rgb.orientation_ = shape.orientation;
    return to_rgb;
}

picture::view scaler::scale(const AVFrame& frame) {
    const auto hdr = format_ == AV_PIX_FMT_RGB24 ? hdr_transfer_of(frame) : std::nullopt;
    // The conversion of high dynamic range amplifies errors of rounding.
    const int flags = hdr ? SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT : SWS_AREA;
    const auto* context = prepare_scaler(context_, frame, size_, format_, flags);
    if (context == nullptr) return {};
    if ((hdr || reading_ == colours::as_tagged) && !read_colours_of(frame)) return {};
    // FFmpeg reads four entries; both formats have one plane.
    const std::array<std::uint8_t*, 4> planes{pixels_.data(), nullptr, nullptr, nullptr};
    const std::array<int, 4> strides{static_cast<int>(stride_), 0, 0, 0};
    const int rows = sws_scale(
        context_.get(), frame.data, frame.linesize, 0, frame.height, planes.data(), strides.data());
    if (rows != size_.height) return {};
    if (hdr) convert_to_sdr(*hdr);
    const picture::view scaled{
        .pixels = pixels_.data(), .width = size_.width, .height = size_.height, .stride = stride_};
    if (orientation_ == picture::orientation{}) return scaled;
    return picture::turn_rgb(scaled, orientation_, turned_);
}

void scaler::convert_to_sdr(picture::hdr_transfer transfer) {
    const auto width = std::size_t{3} * static_cast<std::size_t>(size_.width);
    for (int y = 0; y < size_.height; ++y) {
        picture::convert_to_sdr({pixels_.data() + y * stride_, width}, transfer);
    }
}

bool scaler::read_colours_of(const AVFrame& frame) {
    int* source = nullptr;
    int* target = nullptr;
    int source_full = 0;
    int target_full = 0;
    int brightness = 0;
    int contrast = 0;
    int saturation = 0;
    // Changes only the matrix and the range.
    const int read = sws_getColorspaceDetails(
        context_.get(),
        &source,
        &source_full,
        &target,
        &target_full,
        &brightness,
        &contrast,
        &saturation);
    if (read < 0) return false;
    if (frame.color_range == AVCOL_RANGE_JPEG) source_full = 1;
    return sws_setColorspaceDetails(
               context_.get(),
               sws_getCoefficients(matrix_of(frame)),
               source_full,
               target,
               target_full,
               brightness,
               contrast,
               saturation) >= 0;
}

text_picture::text_picture(const geometry& shape)
    : size_{shape.fitted(text::frame_width, height_max)},
      scaler_{scaler::upright(shape, size_, scaler::colours::as_one)} {}

picture::view text_picture::scale(const AVFrame& frame) {
    if (size_.width < side_min || size_.height < side_min) return {};
    const auto rgb = scaler_.scale(frame);
    return {.pixels = rgb.pixels, .width = rgb.width, .height = rgb.height, .stride = rgb.stride};
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
