#pragma once

#include "../picture/high_dynamic_range.hpp"
#include "../picture/image.hpp"
#include "../text/text_reader.hpp"
#include "libav.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Geometry of decoded pictures, scaling and JPEG.
namespace reelsd::media {

struct picture_size {
    int width = 0;
    int height = 0;
};

/// Relation of the coded pictures of a video to displayed ones.
struct geometry {
    picture_size displayed;  ///< After sample aspect ratio and rotation.
    picture::orientation orientation;

    /// The largest size of the displayed shape within `width` and `height_max`. Both sides are at
    /// least 1.
    [[nodiscard]] picture_size fitted(int width, int height_max) const noexcept;
    /// `size` before rotation, to which a coded picture is scaled.
    [[nodiscard]] picture_size before_turning(picture_size size) const noexcept;
};

/// From the first decoded picture, which is more reliable than the container's header.
[[nodiscard]] geometry geometry_of(const AVStream& stream, const AVFrame& first);

/// Prepares `context` to scale `frame`. `flags`: those of swscale. Returns null when FFmpeg cannot.
SwsContext* prepare_scaler(
    scaler_owner& context, const AVFrame& frame, picture_size size, AVPixelFormat format,
    int flags = SWS_AREA);

/// Scales decoded pictures to one size and pixel format, in its own buffers.
class scaler {
public:
    /// Interpretation of a picture's colours: all as BT.601 with black at 16, which is sufficient
    /// for measurements, or as tagged (untagged pictures by their size, as players do). RGB of high
    /// dynamic range is always read as tagged and converted to SDR.
    enum class colours : std::uint8_t { as_one, as_tagged };

    /// `format`: AV_PIX_FMT_GRAY8 or AV_PIX_FMT_RGB24.
    scaler(picture_size size, AVPixelFormat format, colours reading = colours::as_one);

    /// Scales to RGB and turns pictures upright as players do. `size`: as displayed.
    static scaler upright(const geometry& shape, picture_size size, colours reading);

    /// The scaled picture, valid until the next call. `pixels` is null when FFmpeg fails.
    [[nodiscard]] picture::view scale(const AVFrame& frame);

private:
    [[nodiscard]] bool read_colours_of(const AVFrame& frame);
    void convert_to_sdr(picture::hdr_transfer transfer);

    picture_size size_;
    AVPixelFormat format_;
    colours reading_;
    picture::orientation orientation_;
    std::ptrdiff_t stride_;
    scaler_owner context_;
    std::vector<std::uint8_t> pixels_;
    std::vector<std::uint8_t> turned_;
};

/// Scales pictures of a video for the text reader.
class text_picture {
public:
    explicit text_picture(const geometry& shape);

    /// Valid until the next call. Its `pixels` are null when FFmpeg cannot convert the picture, or
    /// when it is too small for text.
    [[nodiscard]] picture::view scale(const AVFrame& frame);

private:
    picture_size size_;
    scaler scaler_;
};

/// Quantizer scale of FFmpeg's JPEG encoder, from 2 on; files get smaller as it rises.
inline constexpr int coarsest_quantizer = 31;

/// Encodes packed RGB as baseline JPEG (JFIF, 4:2:0, square pixels) without metadata, with the
/// first of `quantizers` that gives at most `bytes_max`; empty when none does. Throws
/// std::runtime_error when FFmpeg fails.
[[nodiscard]] std::optional<std::vector<std::byte>> encode_jpeg_within(
    const picture::view& rgb, std::span<const int> quantizers, std::size_t bytes_max);

}  // namespace reelsd::media
