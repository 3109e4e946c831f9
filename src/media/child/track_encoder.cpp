#include "track_encoder.hpp"

#include "file_io.hpp"

extern "C" {
#include <libavutil/dict.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <new>
#include <string>

namespace reelsd::media {
namespace {

/// Good pictures of 1,280 x 720 take 1 to 3 Mbit/s; more only makes uploads long.
constexpr std::int64_t picture_bits_per_second_max = 4'000'000;
constexpr std::int64_t sound_bits_per_second = 96'000;
/// x264's own measure of quality: 23 is what it takes by itself, 18 shows no loss.
constexpr const char* picture_quality = "23";
/// A key picture every two seconds or so: models look at single moments.
constexpr int group_pictures = 60;

error failed(const char* what, int code) {
    return error{errc::media_failed, std::string{what} + ": " + libav_message(code)};
}

codec_owner new_codec(const AVCodec* codec) {
    codec_owner made{codec == nullptr ? nullptr : avcodec_alloc_context3(codec)};
    if (codec != nullptr && !made) throw std::bad_alloc{};
    if (!made) return made;
    made->thread_count = 1;  // No threads can be started in the jail.
    made->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    return made;
}

/// RGB becomes YUV as FFmpeg does it by itself.
AVColorSpace colours_of(const AVFrame& like) {
    const auto* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(like.format));
    const bool rgb = format != nullptr && (format->flags & AV_PIX_FMT_FLAG_RGB) != 0;
    return rgb ? AVCOL_SPC_SMPTE170M : like.colorspace;
}

bool is_full_or_broken(int code) {
    return code == AVERROR(ENOSPC) || code == AVERROR(EFBIG) || code == AVERROR(EIO);
}

}  // namespace

result<track_encoder> track_encoder::of_pictures(
    AVFormatContext& output, picture_size size, const AVFrame& like, double frame_rate) {
    auto codec = new_codec(avcodec_find_encoder_by_name("libx264"));
    if (!codec) return error{errc::media_failed, "FFmpeg has no encoder for H.264"};
    codec->width = size.width;
    codec->height = size.height;
    codec->pix_fmt = AV_PIX_FMT_YUV420P;
    codec->color_range = AVCOL_RANGE_MPEG;
    codec->colorspace = colours_of(like);
    codec->color_primaries = like.color_primaries;
    codec->color_trc = like.color_trc;
    codec->sample_aspect_ratio = {1, 1};
    codec->time_base = {1, picture_ticks_per_second};
    codec->framerate = av_d2q(std::clamp(frame_rate, 1.0, 60.0), 1'001);
    codec->gop_size = group_pictures;
    codec->rc_max_rate = picture_bits_per_second_max;
    codec->rc_buffer_size = static_cast<int>(2 * picture_bits_per_second_max);
    AVDictionary* options = nullptr;
    av_dict_set(&options, "preset", "veryfast", 0);
    av_dict_set(&options, "crf", picture_quality, 0);
    return open(output, std::move(codec), options);
}

result<track_encoder> track_encoder::of_sound(AVFormatContext& output) {
    auto codec = new_codec(avcodec_find_encoder(AV_CODEC_ID_AAC));
    if (!codec) return error{errc::media_failed, "FFmpeg has no encoder for AAC"};
    av_channel_layout_default(&codec->ch_layout, 1);
    codec->sample_fmt = AV_SAMPLE_FMT_FLTP;
    codec->sample_rate = coded_sound_rate_hz;
    codec->time_base = {1, coded_sound_rate_hz};
    codec->bit_rate = sound_bits_per_second;
    return open(output, std::move(codec), nullptr);
}

result<track_encoder> track_encoder::open(
    AVFormatContext& output, codec_owner codec, AVDictionary* options) {
    const int opened = avcodec_open2(codec.get(), codec->codec, &options);
    av_dict_free(&options);
    if (opened < 0) return failed("an encoder", opened);
    AVStream* stream = avformat_new_stream(&output, nullptr);
    if (stream == nullptr) throw std::bad_alloc{};
    stream->time_base = codec->time_base;
    stream->avg_frame_rate = codec->framerate;
    const int told = avcodec_parameters_from_context(stream->codecpar, codec.get());
    if (told < 0) return failed("an encoder", told);
    return track_encoder{output, std::move(codec), *stream};
}

track_encoder::track_encoder(AVFormatContext& output, codec_owner codec, AVStream& stream)
    : output_{&output}, codec_{std::move(codec)}, stream_{&stream}, packet_{new_packet()} {}

result<void> track_encoder::encode(const AVFrame* picture) {
    const int sent = avcodec_send_frame(codec_.get(), picture);
    if (sent < 0) return failed("encoding", sent);
    while (avcodec_receive_packet(codec_.get(), packet_.get()) >= 0) {
        packet_->stream_index = stream_->index;
        av_packet_rescale_ts(packet_.get(), codec_->time_base, stream_->time_base);
        const int written = av_interleaved_write_frame(output_, packet_.get());
        if (is_full_or_broken(written)) return cannot_write(written);
        if (written < 0) return failed("writing what was encoded", written);
    }
    return {};
}

result<void> track_encoder::encode_samples(std::span<const float> samples) {
    const auto frame = new_frame();
    frame->format = AV_SAMPLE_FMT_FLTP;
    frame->sample_rate = coded_sound_rate_hz;
    frame->nb_samples = static_cast<int>(samples.size());
    frame->pts = samples_;
    av_channel_layout_default(&frame->ch_layout, 1);
    if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc{};
    std::ranges::copy(samples, reinterpret_cast<float*>(frame->data[0]));
    samples_ += frame->nb_samples;
    return encode(frame.get());
}

}  // namespace reelsd::media
