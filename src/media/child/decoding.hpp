#pragma once

#include "libav.hpp"

#include <new>

namespace reelsd::media {

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

/// Gives one packet (null: the end) to the decoder and `take(frame)` all that comes out, until it
/// returns false. What cannot be decoded gives no frame: broken parts are left out, as players do.
template <class Take>
void decode(AVCodecContext& decoder, const AVPacket* packet, AVFrame& frame, Take take) {
    if (avcodec_send_packet(&decoder, packet) < 0) return;
    while (avcodec_receive_frame(&decoder, &frame) >= 0) {
        const bool more = take(frame);
        av_frame_unref(&frame);
        if (!more) return;
    }
}

}  // namespace reelsd::media
