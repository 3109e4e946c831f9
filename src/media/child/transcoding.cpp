#include "commands.hpp"
#include "container.hpp"
#include "images.hpp"
#include "jail_settings.hpp"
#include "passes.hpp"
#include "sound_track.hpp"

extern "C" {
#include <libavutil/dict.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace reelsd::media {
namespace {

/// Good pictures of 1,280 x 720 need 1 to 3 Mbit/s; more would only lengthen uploads.
constexpr std::int64_t picture_bits_per_second_max = 4'000'000;
constexpr std::int64_t sound_bits_per_second = 96'000;
/// x264's quality scale (crf): 23 is its default, 18 is visually lossless.
constexpr const char* picture_quality = "23";
/// A key picture about every two seconds, because models sample single moments.
constexpr int group_pictures = 60;

error failed(const char* what, int code) {
    return error{errc::media_failed, std::string{what} + ": " + libav_message(code)};
}

codec_owner new_codec(const AVCodec* codec) {
    if (codec == nullptr) return {};
    codec_owner encoder{avcodec_alloc_context3(codec)};
    if (!encoder) throw std::bad_alloc{};
    encoder->thread_count = 1;  // No threads can be started in the jail.
    encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    return encoder;
}

/// For RGB the matrix of FFmpeg's default conversion to YUV.
AVColorSpace colours_of(const AVFrame& like) {
    const auto* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(like.format));
    const bool rgb = format != nullptr && (format->flags & AV_PIX_FMT_FLAG_RGB) != 0;
    return rgb ? AVCOL_SPC_SMPTE170M : like.colorspace;
}

/// Unit of the times of coded pictures, MPEG's usual one.
constexpr int picture_ticks_per_second = 90'000;
constexpr int coded_sound_rate_hz = 48'000;
/// Samples in one frame of AAC.
constexpr std::size_t coded_sound_samples = 1'024;

/// Encodes one track of the output file and writes its packets.
class track_encoder {
public:
    /// H.264 by x264, 8 bits, 4:2:0. `like`: a picture with the colours of the video.
    /// `media_failed` when FFmpeg has no such encoder or rejects the settings.
    static result<track_encoder> of_pictures(
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

    /// One channel of AAC.
    static result<track_encoder> of_sound(AVFormatContext& output) {
        auto codec = new_codec(avcodec_find_encoder(AV_CODEC_ID_AAC));
        if (!codec) return error{errc::media_failed, "FFmpeg has no encoder for AAC"};
        av_channel_layout_default(&codec->ch_layout, 1);
        codec->sample_fmt = AV_SAMPLE_FMT_FLTP;
        codec->sample_rate = coded_sound_rate_hz;
        codec->time_base = {1, coded_sound_rate_hz};
        codec->bit_rate = sound_bits_per_second;
        return open(output, std::move(codec), nullptr);
    }

    /// `picture`: yuv420p of the track's size with an increasing `pts`; null at the end.
    [[nodiscard]] result<void> encode(const AVFrame* picture) {
        const int sent = avcodec_send_frame(codec_.get(), picture);
        if (sent < 0) return failed("encoding", sent);
        while (avcodec_receive_packet(codec_.get(), packet_.get()) >= 0) {
            packet_->stream_index = stream_->index;
            av_packet_rescale_ts(packet_.get(), codec_->time_base, stream_->time_base);
            const int written = av_interleaved_write_frame(output_, packet_.get());
            if (is_output_failure(written)) return cannot_write(written);
            if (written < 0) return failed("writing encoded packets", written);
        }
        return {};
    }

    /// `samples`: `coded_sound_samples`, or fewer at the end. Then encode(nullptr) ends the track.
    [[nodiscard]] result<void> encode_samples(std::span<const float> samples) {
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

private:
    track_encoder(AVFormatContext& output, codec_owner codec, AVStream& stream)
        : output_{&output}, codec_{std::move(codec)}, stream_{&stream}, packet_{new_packet()} {}

    static result<track_encoder> open(
        AVFormatContext& output, codec_owner codec, AVDictionary* options) {
        const int opened = avcodec_open2(codec.get(), codec->codec, &options);
        av_dict_free(&options);
        if (opened < 0) return failed("an encoder", opened);
        AVStream* stream = avformat_new_stream(&output, nullptr);
        if (stream == nullptr) throw std::bad_alloc{};
        stream->time_base = codec->time_base;
        stream->avg_frame_rate = codec->framerate;
        const int copied = avcodec_parameters_from_context(stream->codecpar, codec.get());
        if (copied < 0) return failed("an encoder", copied);
        return track_encoder{output, std::move(codec), *stream};
    }

    AVFormatContext* output_;
    codec_owner codec_;
    AVStream* stream_;
    packet_owner packet_;
    std::int64_t samples_ = 0;
};

frame_owner new_picture(picture_size size) {
    auto frame = new_frame();
    frame->format = AV_PIX_FMT_YUV420P;
    frame->width = size.width;
    frame->height = size.height;
    if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc{};
    return frame;
}

/// Keeps the matrix, and converts from the range of the frame.
void keep_colours(SwsContext& context, const AVFrame& frame) {
    constexpr int unchanged = 1 << 16;
    const int* matrix = sws_getCoefficients(frame.colorspace);
    const int full = frame.color_range == AVCOL_RANGE_JPEG ? 1 : 0;
    // Fails for RGB, which has neither.
    static_cast<void>(
        sws_setColorspaceDetails(&context, matrix, full, matrix, 0, 0, unchanged, unchanged));
}

/// Scales decoded pictures to one size in planar YUV 4:2:0 with black at 16, upright as in players.
/// Keeps the colour matrix.
class upright_yuv {
public:
    /// `size`: as displayed; both sides even.
    upright_yuv(const geometry& shape, picture_size size)
        : orientation_{shape.orientation},
          coded_{new_picture(shape.before_turning(size))},
          upright_{new_picture(size)} {}

    /// The scaled picture, valid until the next call, unless an encoder holds a reference; null
    /// when FFmpeg cannot convert it.
    [[nodiscard]] AVFrame* scale(const AVFrame& frame) {
        auto* const context =
            prepare_scaler(context_, frame, {coded_->width, coded_->height}, AV_PIX_FMT_YUV420P);
        if (context == nullptr) return nullptr;
        keep_colours(*context, frame);
        // The encoder may still refer to the buffers of the last picture.
        for (auto* target : {coded_.get(), upright_.get()}) {
            if (av_frame_make_writable(target) < 0) throw std::bad_alloc{};
        }
        const int rows = sws_scale(
            context, frame.data, frame.linesize, 0, frame.height, coded_->data, coded_->linesize);
        if (rows != coded_->height) return nullptr;
        if (orientation_ == picture::orientation{}) return coded_.get();
        turn();
        return upright_.get();
    }

private:
    void turn() {
        for (int plane = 0; plane < 3; ++plane) {
            const int halving = plane == 0 ? 1 : 2;
            const picture::view from{
                .pixels = coded_->data[plane],
                .width = coded_->width / halving,
                .height = coded_->height / halving,
                .stride = coded_->linesize[plane]};
            picture::turn_plane(
                from, orientation_, upright_->data[plane], upright_->linesize[plane]);
        }
    }

    picture::orientation orientation_;
    frame_owner coded_;
    frame_owner upright_;
    scaler_owner context_;
};

/// Models scale larger pictures down.
constexpr int side_max = 1280;
/// Drops every other picture at 60 a second: no model samples more.
constexpr double distance_seconds_min = 1.0 / 31.0;

int even(int pixels) {
    return std::max(2, pixels / 2 * 2);
}

picture_size coded_size(const geometry& shape) {
    const auto size = shape.fitted(
        std::min(side_max, shape.displayed.width), std::min(side_max, shape.displayed.height));
    return {.width = even(size.width), .height = even(size.height)};
}

/// Decodes both tracks, in the order of the file, and encodes them again.
class transcoding {
public:
    transcoding(container& from, const first_pass& first, double seconds_max)
        : from_{from},
          first_{first},
          picture_{first.shape, coded_size(first.shape)},
          samples_{
              coded_sound_rate_hz,
              // A second past the limit, as in the first pass.
              static_cast<std::size_t>((seconds_max + 1) * coded_sound_rate_hz)} {}

    result<output_report> run() {
        const auto opened = open_decoders();
        if (!opened) return opened.error();
        const auto packet = new_packet();
        while (!failure_ && from_.next(*packet)) {
            if (packet->stream_index == from_.video().index) {
                decode_pictures(packet.get());
            } else {
                decode_sound(packet.get());
            }
        }
        if (!failure_) decode_pictures(nullptr);
        if (!failure_) decode_sound(nullptr);
        if (!failure_) finish_tracks();
        if (failure_) return *failure_;
        const auto size = output_.finish();
        if (!size) return size.error();
        return output_report{.bytes = *size};
    }

private:
    result<void> open_decoders() {
        auto pictures = container::decoder_for(from_.video());
        if (!pictures) return pictures.error();
        picture_decoder_ = std::move(*pictures);
        if (from_.audio() == nullptr) return {};
        auto sound = container::decoder_for(*from_.audio());
        // Without it, a model can still see the pictures.
        if (sound) sound_decoder_ = std::move(*sound);
        return {};
    }

    /// Called with the first picture, which has the colours of the video.
    result<void> begin(const AVFrame& like) {
        auto pictures = track_encoder::of_pictures(
            output_.context(), coded_size(first_.shape), like, first_.probe.frame_rate);
        if (!pictures) return pictures.error();
        pictures_.emplace(std::move(*pictures));
        if (sound_decoder_) {
            auto sound = track_encoder::of_sound(output_.context());
            if (!sound) return sound.error();
            sound_.emplace(std::move(*sound));
        }
        return output_.begin();
    }

    void note(const result<void>& done) {
        if (!done && !failure_) failure_ = done.error();
    }

    void decode_pictures(const AVPacket* packet) {
        decode(*picture_decoder_, packet, *frame_, [this](const AVFrame& frame) {
            note(take_picture(frame));
            return !failure_;
        });
    }

    result<void> take_picture(const AVFrame& frame) {
        const auto at = from_.seconds_of(from_.video(), frame.best_effort_timestamp);
        const double seconds = at.value_or(due_seconds_);
        auto within = from_.check_duration(seconds);
        if (!within) return within;
        if (seconds < due_seconds_) return {};
        AVFrame* picture = picture_.scale(frame);
        if (picture == nullptr) return {};
        if (!pictures_) {
            auto begun = begin(frame);
            if (!begun) return begun;
        }
        due_seconds_ = seconds + distance_seconds_min;
        picture->pts = std::llround(seconds * picture_ticks_per_second);
        picture->pict_type = AV_PICTURE_TYPE_NONE;
        return pictures_->encode(picture);
    }

    void decode_sound(const AVPacket* packet) {
        if (!sound_decoder_) return;
        decode(*sound_decoder_, packet, *frame_, [this](const AVFrame& frame) {
            const auto start = from_.seconds_of(*from_.audio(), frame.best_effort_timestamp);
            samples_.add(frame, start.value_or(0));
            note(encode_samples());
            return !failure_;
        });
    }

    /// Encodes whole blocks. Samples before the first picture wait for it.
    result<void> encode_samples() {
        if (!sound_) return {};
        return encode_blocks(samples_.take_blocks(coded_sound_samples));
    }

    result<void> encode_blocks(std::span<const float> samples) {
        while (!samples.empty()) {
            const auto count = std::min(coded_sound_samples, samples.size());
            auto encoded = sound_->encode_samples(samples.first(count));
            if (!encoded) return encoded;
            samples = samples.subspan(count);
        }
        return {};
    }

    void finish_tracks() {
        if (!pictures_) {
            failure_ = error{errc::unsupported_format, "no picture can be converted"};
            return;
        }
        note(pictures_->encode(nullptr));
        if (!sound_ || failure_) return;
        note(encode_blocks(samples_.finish()));
        if (!failure_) note(sound_->encode(nullptr));
    }

    container& from_;
    const first_pass& first_;

    codec_owner picture_decoder_;
    codec_owner sound_decoder_;
    frame_owner frame_ = new_frame();
    upright_yuv picture_;
    resampled_track<float> samples_;
    double due_seconds_ = 0;

    mp4_writer output_{mp4_writer::index::first};
    std::optional<track_encoder> pictures_;
    std::optional<track_encoder> sound_;
    std::optional<error> failure_;
};

}  // namespace

result<output_report> transcode(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    const auto first = run_first_pass(*file, given.seconds_max, audio_decoding::none);
    if (!first) return first.error();
    auto opened = container::open(*file, given.seconds_max);
    if (!opened) return opened.error();
    return transcoding{*opened, *first, given.seconds_max}.run();
}

}  // namespace reelsd::media
