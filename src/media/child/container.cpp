#include "container.hpp"

#include <reelsd/base/format_fault.hpp>

extern "C" {
#include <libavutil/dict.h>
}

#include <boost/core/noncopyable.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::media {
namespace {

/// Formats that platforms serve and browsers play. Each adds FFmpeg code that reads hostile bytes.
constexpr const char* known_formats = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm";
constexpr const char* known_codecs =
    "h264,hevc,vp8,vp9,libdav1d,mpeg4,"
    "aac,mp3float,mp3,opus,vorbis,flac,alac,ac3,eac3,amrnb,amrwb,"
    "pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_f32le,pcm_u8,pcm_alaw,pcm_mulaw";

/// A reel has two streams, and a few more of subtitles, covers and data.
constexpr int streams_max = 32;
/// 7.1 sound.
constexpr int channels_max = 8;
/// Bytes of the file that FFmpeg may read to identify its streams.
constexpr std::int64_t probe_bytes_max = std::int64_t{5} * 1024 * 1024;

error unsupported(std::string detail) {
    return error{errc::unsupported_format, std::move(detail)};
}

/// Rejects containers that refer to other files.
int refuse_to_open(
    AVFormatContext* /*from*/, AVIOContext** /*io*/, const char* /*address*/, int /*flags*/,
    AVDictionary** /*options*/) {
    return AVERROR(EACCES);
}

format_owner prepared(AVIOContext* io) {
    AVFormatContext* raw = avformat_alloc_context();
    if (raw == nullptr) throw std::bad_alloc{};
    format_owner format{raw};
    format->pb = io;
    format->flags |= AVFMT_FLAG_CUSTOM_IO;
    format->io_open = &refuse_to_open;
    format->max_streams = streams_max;
    format->probesize = probe_bytes_max;
    return format;
}

/// Limits for the decoders that FFmpeg runs to identify streams.
class stream_options : boost::noncopyable {
public:
    explicit stream_options(unsigned count) : options_(count, nullptr) {
        for (auto& options : options_) {
            av_dict_set_int(&options, "max_pixels", format_fault::picture_pixels_max, 0);
            av_dict_set_int(&options, "threads", 1, 0);
        }
    }
    ~stream_options() {
        for (auto& options : options_) av_dict_free(&options);
    }
    [[nodiscard]] AVDictionary** list() noexcept {
        return options_.empty() ? nullptr : options_.data();
    }

private:
    std::vector<AVDictionary*> options_;
};

result<format_owner> read_header(AVIOContext* io) {
    AVDictionary* options = nullptr;
    av_dict_set(&options, "format_whitelist", known_formats, 0);
    av_dict_set(&options, "codec_whitelist", known_codecs, 0);
    av_dict_set(&options, "protocol_whitelist", "", 0);
    // avformat_open_input frees the context when it fails.
    AVFormatContext* raw = prepared(io).release();
    const int opened = avformat_open_input(&raw, nullptr, nullptr, &options);
    av_dict_free(&options);
    if (opened < 0) return unsupported("no known container: " + libav_message(opened));
    format_owner format{raw};
    stream_options limits{format->nb_streams};
    const int failed = avformat_find_stream_info(format.get(), limits.list());
    if (failed < 0) return unsupported("its streams cannot be read: " + libav_message(failed));
    return format;
}

bool is_plausible_rate(double rate) {
    return std::isfinite(rate) && rate > 0 && rate <= 240;
}

/// How much longer than the limit a video may be: an audio track is padded to whole packets, and a
/// video of exactly 90 s must pass.
constexpr double duration_slack_seconds = 0.25;

error too_long(double seconds, double seconds_max) {
    std::array<char, 96> detail{};
    std::snprintf(
        detail.data(), detail.size(), "%.1f s or more, the limit is %.1f s", seconds, seconds_max);
    return error{errc::video_too_long, detail.data()};
}

}  // namespace

result<container> container::open(const input_file& file, double seconds_max) {
    auto io = file.reader();
    auto format = read_header(io.get());
    if (!format) return format.error();
    container opened{std::move(io), std::move(*format), seconds_max};
    const auto chosen = opened.choose_streams();
    if (!chosen) return chosen.error();
    const auto within = opened.check_duration(opened.claimed_seconds().value_or(0));
    if (!within) return within.error();
    return opened;
}

result<void> container::choose_streams() {
    const int video = av_find_best_stream(format_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (video < 0) return unsupported(std::string{format_fault::no_video});
    video_ = format_->streams[video];
    if ((video_->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
        return unsupported(std::string{format_fault::only_cover});
    }
    const int audio = av_find_best_stream(format_.get(), AVMEDIA_TYPE_AUDIO, -1, video, nullptr, 0);
    if (audio >= 0) audio_ = format_->streams[audio];
    discard_others();
    return {};
}

result<container> container::open_sound(const input_file& file) {
    auto io = file.reader();
    auto format = read_header(io.get());
    if (!format) return format.error();
    container opened{std::move(io), std::move(*format), std::numeric_limits<double>::infinity()};
    auto* streams = opened.format_.get();
    const int audio = av_find_best_stream(streams, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
    if (audio < 0) return unsupported("it has no sound");
    opened.audio_ = streams->streams[audio];
    opened.discard_others();
    return opened;
}

void container::discard_others() const {
    for (unsigned at = 0; at < format_->nb_streams; ++at) {
        AVStream* stream = format_->streams[at];
        if (stream != video_ && stream != audio_) stream->discard = AVDISCARD_ALL;
    }
}

std::optional<double> container::claimed_seconds() const noexcept {
    double last = 0;
    for (const AVStream* stream : {video_, audio_}) {
        if (stream == nullptr || stream->duration == AV_NOPTS_VALUE) continue;
        const double seconds = static_cast<double>(stream->duration) * av_q2d(stream->time_base);
        last = std::max(last, seconds_of(*stream, stream->start_time).value_or(0) + seconds);
    }
    if (last > 0) return last;
    // The container's length includes streams that are not read, such as subtitles.
    const unsigned streams_read = audio_ == nullptr ? 1 : 2;
    if (format_->nb_streams > streams_read) return std::nullopt;
    if (format_->duration == AV_NOPTS_VALUE || format_->duration <= 0) return std::nullopt;
    // In Matroska the end, on a clock on which the first packet may be late.
    const std::int64_t start = std::max<std::int64_t>(format_->start_time, 0);
    return static_cast<double>(format_->duration - start) / AV_TIME_BASE;
}

double container::claimed_frame_rate() const noexcept {
    const double average = av_q2d(video_->avg_frame_rate);
    if (is_plausible_rate(average)) return average;
    const double nominal = av_q2d(video_->r_frame_rate);
    return is_plausible_rate(nominal) ? nominal : 0;
}

std::optional<double> container::seconds_of(
    const AVStream& stream, std::int64_t time) const noexcept {
    if (time == AV_NOPTS_VALUE) return std::nullopt;
    const double start = format_->start_time == AV_NOPTS_VALUE
                             ? 0.0
                             : static_cast<double>(format_->start_time) / AV_TIME_BASE;
    const double seconds = static_cast<double>(time) * av_q2d(stream.time_base) - start;
    if (!std::isfinite(seconds)) return std::nullopt;
    return std::max(seconds, 0.0);
}

std::optional<double> container::start_of(
    const AVPacket& packet, const AVStream& stream) const noexcept {
    return seconds_of(stream, packet.pts == AV_NOPTS_VALUE ? packet.dts : packet.pts);
}

result<void> container::check_duration(double seconds) const {
    if (seconds > seconds_max_ + duration_slack_seconds) return too_long(seconds, seconds_max_);
    return {};
}

result<double> container::picture_seconds(const AVFrame& frame, double previous) const {
    const auto at = seconds_of(*video_, frame.best_effort_timestamp);
    const double seconds = std::max(at.value_or(previous), previous);
    const auto within = check_duration(seconds);
    if (!within) return within.error();
    return seconds;
}

bool container::next(AVPacket& packet) {
    for (;;) {
        av_packet_unref(&packet);
        if (av_read_frame(format_.get(), &packet) < 0) return false;
        const auto is_of = [&packet](const AVStream* stream) {
            return stream != nullptr && packet.stream_index == stream->index;
        };
        if (is_of(video_) || is_of(audio_)) return true;
    }
}

result<codec_owner> container::decoder_for(const AVStream& stream) {
    const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
    const std::string name = avcodec_get_name(stream.codecpar->codec_id);
    if (codec == nullptr) return unsupported("no decoder for " + name);
    const auto pixels = std::int64_t{stream.codecpar->width} * stream.codecpar->height;
    if (pixels > format_fault::picture_pixels_max)
        return unsupported(std::string{format_fault::large_pictures});
    if (stream.codecpar->ch_layout.nb_channels > channels_max) {
        return unsupported("too many sound channels");
    }
    codec_owner decoder{avcodec_alloc_context3(codec)};
    if (!decoder) throw std::bad_alloc{};
    int failed = avcodec_parameters_to_context(decoder.get(), stream.codecpar);
    decoder->thread_count = 1;
    decoder->max_pixels = format_fault::picture_pixels_max;
    decoder->pkt_timebase = stream.time_base;
    decoder->codec_whitelist = av_strdup(known_codecs);
    if (failed >= 0) failed = avcodec_open2(decoder.get(), codec, nullptr);
    if (failed < 0) return unsupported(name + " cannot be decoded: " + libav_message(failed));
    return decoder;
}

}  // namespace reelsd::media
