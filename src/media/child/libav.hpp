#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

#include <array>
#include <memory>
#include <string>

/// Owners for FFmpeg's objects, each with the one right way to free it.
namespace reelsd::media {

struct libav_free {
    void operator()(AVFormatContext* context) const noexcept { avformat_close_input(&context); }
    void operator()(AVCodecContext* context) const noexcept { avcodec_free_context(&context); }
    void operator()(AVFrame* frame) const noexcept { av_frame_free(&frame); }
    void operator()(AVPacket* packet) const noexcept { av_packet_free(&packet); }
    void operator()(SwrContext* context) const noexcept { swr_free(&context); }
    void operator()(SwsContext* context) const noexcept { sws_freeContext(context); }
    void operator()(AVIOContext* context) const noexcept {
        // The buffer may have been replaced since it was given.
        av_freep(&context->buffer);
        avio_context_free(&context);
    }
};

using format_owner = std::unique_ptr<AVFormatContext, libav_free>;
using codec_owner = std::unique_ptr<AVCodecContext, libav_free>;
using frame_owner = std::unique_ptr<AVFrame, libav_free>;
using packet_owner = std::unique_ptr<AVPacket, libav_free>;
using resampler_owner = std::unique_ptr<SwrContext, libav_free>;
using scaler_owner = std::unique_ptr<SwsContext, libav_free>;
using io_owner = std::unique_ptr<AVIOContext, libav_free>;

/// FFmpeg's own words for its error code.
inline std::string libav_message(int code) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(code, text.data(), text.size());
    return text.data();
}

}  // namespace reelsd::media
