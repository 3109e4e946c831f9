#include "upright_yuv.hpp"

#include <array>
#include <new>

namespace reelsd::media {
namespace {

frame_owner new_picture(picture_size size) {
    auto frame = new_frame();
    frame->format = AV_PIX_FMT_YUV420P;
    frame->width = size.width;
    frame->height = size.height;
    if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc{};
    return frame;
}

/// The same matrix on both sides, and the range that the frame names.
void keep_colours(SwsContext& context, const AVFrame& frame) {
    constexpr int unchanged = 1 << 16;
    const int* matrix = sws_getCoefficients(frame.colorspace);
    const int full = frame.color_range == AVCOL_RANGE_JPEG ? 1 : 0;
    // A picture in RGB has neither, and FFmpeg says so.
    static_cast<void>(
        sws_setColorspaceDetails(&context, matrix, full, matrix, 0, 0, unchanged, unchanged));
}

}  // namespace

upright_yuv::upright_yuv(const geometry& shape, picture_size size)
    : turns_{shape.turns},
      lying_{new_picture(shape.before_turning(size))},
      upright_{new_picture(size)} {}

AVFrame* upright_yuv::scale(const AVFrame& frame) {
    context_.reset(sws_getCachedContext(
        context_.release(),
        frame.width,
        frame.height,
        static_cast<AVPixelFormat>(frame.format),
        lying_->width,
        lying_->height,
        AV_PIX_FMT_YUV420P,
        SWS_AREA,
        nullptr,
        nullptr,
        nullptr));
    if (!context_) return nullptr;
    keep_colours(*context_, frame);
    // The encoder may still hold the buffers of the picture before.
    for (auto* one : {lying_.get(), upright_.get()}) {
        if (av_frame_make_writable(one) < 0) throw std::bad_alloc{};
    }
    const int rows = sws_scale(
        context_.get(),
        frame.data,
        frame.linesize,
        0,
        frame.height,
        lying_->data,
        lying_->linesize);
    if (rows != lying_->height) return nullptr;
    if (turns_ == picture::quarter_turns::none) return lying_.get();
    turn();
    return upright_.get();
}

void upright_yuv::turn() {
    for (int plane = 0; plane < 3; ++plane) {
        const int halving = plane == 0 ? 1 : 2;
        const picture::view from{
            .pixels = lying_->data[plane],
            .width = lying_->width / halving,
            .height = lying_->height / halving,
            .stride = lying_->linesize[plane]};
        picture::turn_plane(from, turns_, upright_->data[plane], upright_->linesize[plane]);
    }
}

}  // namespace reelsd::media
