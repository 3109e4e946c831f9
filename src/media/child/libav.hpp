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
#include <new>
#include <string>

/// Owners of FFmpeg's objects.
namespace reelsd::media {

struct libav_free {
    void operator()(AVFormatContext* context) const noexcept { avformat_close_input(&context); }
    void operator()(AVCodecContext* context) const noexcept { avcodec_free_context(&context); }
    void operator()(AVFrame* frame) const noexcept { av_frame_free(&frame); }
    void operator()(AVPacket* packet) const noexcept { av_packet_free(&packet); }
    void operator()(SwrContext* context) const noexcept { swr_free(&context); }
    void operator()(SwsContext* context) const noexcept { sws_freeContext(context); }
};

using format_owner = std::unique_ptr<AVFormatContext, libav_free>;
using codec_owner = std::unique_ptr<AVCodecContext, libav_free>;
using frame_owner = std::unique_ptr<AVFrame, libav_free>;
using packet_owner = std::unique_ptr<AVPacket, libav_free>;
using resampler_owner = std::unique_ptr<SwrContext, libav_free>;
using scaler_owner = std::unique_ptr<SwsContext, libav_free>;

inline frame_owner new_frame() {
    frame_owner frame{av_frame_alloc()};
    if (!frame) throw std::bad_alloc{};
    return frame;
}

inline packet_owner new_packet() {
    packet_owner packet{av_packet_alloc()};
    if (!packet) throw std::bad_alloc{};
    return packet;
}

/// Makes `held` refer to the picture of `frame`.
inline void hold_picture(AVFrame& held, const AVFrame& frame) {
    av_frame_unref(&held);
    if (av_frame_ref(&held, &frame) < 0) throw std::bad_alloc{};
}

/// Decodes one packet (null: the end) and calls `take(frame)` for each frame until it returns
/// false. Skips broken parts, as players do.
template <class Take>
void decode(AVCodecContext& decoder, const AVPacket* packet, AVFrame& frame, Take take) {
    if (avcodec_send_packet(&decoder, packet) < 0) return;
    while (avcodec_receive_frame(&decoder, &frame) >= 0) {
        const bool more = take(frame);
        av_frame_unref(&frame);
        if (!more) return;
    }
}

inline std::string libav_message(int code) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(code, text.data(), text.size());
    return text.data();
}

}  // namespace reelsd::media
