#include "object_reader.hpp"
#include <reelsd/base/base64.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/media/report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace reelsd::media {
namespace {

/// Rounding of times in documents (half a millisecond) and in the child's arguments.
constexpr double seconds_slack = 0.0006;

constexpr double sound_bytes_per_second = 2.0 * report_bounds::sound_rate_hz;
/// Half a millisecond and one sample.
constexpr double sound_bytes_slack = 0.0005 * sound_bytes_per_second + 2;

probe_report read_probe(object_reader& from) {
    probe_report report;
    report.duration_seconds =
        from.number("duration_seconds", 0, report_bounds::duration_seconds_max);
    report.missing_seconds = from.number("missing_seconds", 0, report_bounds::duration_seconds_max);
    report.width = from.whole_number("width", 1, report_bounds::side_pixels_max);
    report.height = from.whole_number("height", 1, report_bounds::side_pixels_max);
    report.frame_rate = from.number("frame_rate", 0, report_bounds::frame_rate_max);
    report.video_codec = from.text("video_codec", report_bounds::codec_bytes_max);
    report.audio_codec = from.text_or_null("audio_codec", report_bounds::codec_bytes_max);
    report.audio_is_decodable = from.truth("audio_is_decodable");
    return report;
}

std::vector<timed_text> read_texts(object_reader& from, const char* name, double duration) {
    std::vector<timed_text> texts;
    from.each_object(name, report_bounds::texts_max, [&](object_reader& element) {
        timed_text line;
        line.text = element.text("text", report_bounds::text_bytes_max);
        line.start_seconds = element.number("start_seconds", 0, duration);
        line.end_seconds = element.number("end_seconds", line.start_seconds, duration);
        texts.push_back(std::move(line));
    });
    return texts;
}

constexpr auto evidence_names =
    std::to_array<std::string_view>({"possible", "alone", "recognized"});

std::vector<voice_span> read_voice(object_reader& from, double duration) {
    std::vector<voice_span> voice;
    from.each_object("voice", report_bounds::texts_max, [&](object_reader& element) {
        const double previous = voice.empty() ? 0 : voice.back().start_seconds;
        voice_span span;
        span.start_seconds = element.number("start_seconds", previous, duration);
        span.end_seconds = element.number("end_seconds", span.start_seconds, duration);
        const auto name = element.word("evidence", evidence_names);
        const auto known = std::ranges::find(evidence_names, name) - evidence_names.begin();
        if (std::cmp_less(known, evidence_names.size()))
            span.evidence = static_cast<voice_evidence>(known);
        voice.push_back(span);
    });
    return voice;
}

music_report read_music(object_reader& from, double duration) {
    static constexpr auto levels = std::to_array<std::string_view>({"", "quiet", "medium", "loud"});
    static constexpr auto brightnesses =
        std::to_array<std::string_view>({"", "dark", "balanced", "bright"});
    music_report music;
    music.present = from.truth("present");
    music.start_seconds = from.number_or_null("start_seconds", 0, duration);
    music.tempo_bpm = from.number_or_null("tempo_bpm", 1, report_bounds::tempo_bpm_max);
    music.strong_beat = from.truth("strong_beat");
    music.under_speech = from.truth("under_speech");
    music.level = from.word("level", levels);
    music.brightness = from.word("brightness", brightnesses);
    return music;
}

audio_report read_audio(object_reader& from, double duration) {
    audio_report audio;
    audio.silent = from.truth("silent");
    audio.speech = from.object("speech", [duration](object_reader& member) {
        speech_report speech;
        speech.segments = read_texts(member, "segments", duration);
        speech.doubtful = member.truth("doubtful");
        speech.voice = read_voice(member, duration);
        return speech;
    });
    audio.music =
        from.object("music", [=](object_reader& member) { return read_music(member, duration); });
    return audio;
}

picture_report read_picture(object_reader& from, double duration) {
    picture_report picture;
    double previous = 0;
    from.each("cuts", report_bounds::cuts_max, [&](const json& element) {
        const double at = element.is_number() ? element.get<double>() : -1;
        if (!(at >= previous && at <= duration))
            from.record_fault("cuts", "is out of order or range");
        picture.cuts.push_back(at);
        previous = at;
    });
    picture.motion = from.number("motion", 0, 1);
    picture.brightness = from.number("brightness", 0, 1);
    picture.saturation = from.number("saturation", 0, 1);
    from.each("colours", report_bounds::colours_max, [&](const json& element) {
        picture.colours.push_back(from.checked_text(element, "colours", 16));
    });
    return picture;
}

/// The second byte of a JPEG's markers. Source: ITU-T T.81 table B.1; JFIF 1.02.
namespace marker {
constexpr std::uint8_t huffman_tables = 0xc4;
constexpr std::uint8_t baseline_frame = 0xc0;
constexpr std::uint8_t start_of_image = 0xd8;
constexpr std::uint8_t end_of_image = 0xd9;
constexpr std::uint8_t start_of_scan = 0xda;
constexpr std::uint8_t quantization_tables = 0xdb;
constexpr std::uint8_t jfif = 0xe0;
}  // namespace marker

/// Validates the structure of a JPEG. Browsers receive these bytes, so it accepts only what the
/// child's encoder writes: one baseline picture and tables; no text, no application data, nothing
/// after the end.
class jpeg_structure {
public:
    jpeg_structure(std::span<const std::byte> bytes, const thumbnail_bounds& within) noexcept
        : within_{within}, rest_{bytes} {}

    /// The first fault; empty for none.
    [[nodiscard]] std::string_view fault() {
        if (rest_.size() > within_.bytes_max) return "is too large";
        if (!takes_marker(marker::start_of_image)) return "does not begin like a JPEG";
        const auto fault_before_samples = fault_of_segments();
        if (!fault_before_samples.empty()) return fault_before_samples;
        return ends_with_samples() ? "" : "does not end like a JPEG";
    }

private:
    /// The first fault before the coded samples.
    std::string_view fault_of_segments() {
        for (auto kind = next_segment(); kind; kind = next_segment()) {
            if (*kind == marker::start_of_scan) return sized_ ? "" : "has no size";
            if (!takes_segment(*kind)) return "has an unexpected segment or a size out of bounds";
        }
        return "has a broken segment";
    }

    bool takes_segment(std::uint8_t kind) {
        switch (kind) {
            case marker::jfif:
            case marker::quantization_tables:
            case marker::huffman_tables: return true;
            case marker::baseline_frame: return !sized_ && reads_size();
            default: return false;
        }
    }

    [[nodiscard]] static std::size_t number(std::span<const std::byte> from, std::size_t at) {
        return std::to_integer<std::size_t>(from[at]) * 256 +
               std::to_integer<std::size_t>(from[at + 1]);
    }

    bool takes_marker(std::uint8_t kind) {
        if (rest_.size() < 2 || rest_[0] != std::byte{0xff} || rest_[1] != std::byte{kind}) {
            return false;
        }
        rest_ = rest_.subspan(2);
        return true;
    }

    /// Reads the next segment into `segment_`, without marker and length, and returns its kind.
    std::optional<std::uint8_t> next_segment() {
        if (rest_.size() < 4 || rest_[0] != std::byte{0xff}) return std::nullopt;
        const auto kind = std::to_integer<std::uint8_t>(rest_[1]);
        const std::size_t length = number(rest_, 2);  // Includes its own two bytes.
        if (length < 2 || length + 2 > rest_.size()) return std::nullopt;
        segment_ = rest_.subspan(4, length - 2);
        rest_ = rest_.subspan(2 + length);
        return kind;
    }

    /// Bits of a sample (8), height, width, number of components (3), and three bytes for each.
    bool reads_size() {
        constexpr std::size_t frame_bytes = 15;
        if (segment_.size() != frame_bytes || segment_[0] != std::byte{8}) return false;
        const int height = static_cast<int>(number(segment_, 1));
        const int width = static_cast<int>(number(segment_, 3));
        sized_ = height >= 1 && height <= within_.height_max && width >= 1 &&
                 width <= within_.width_max && segment_[5] == std::byte{3};
        return sized_;
    }

    /// Whether the rest is coded samples, in which 00 follows each FF, and the end of the image.
    bool ends_with_samples() {
        if (rest_.size() < 2) return false;
        const auto samples = rest_.first(rest_.size() - 2);
        rest_ = rest_.last(2);
        for (std::size_t at = 0; at < samples.size(); ++at) {
            if (samples[at] != std::byte{0xff}) continue;
            ++at;
            if (at == samples.size() || samples[at] != std::byte{0}) return false;
        }
        return takes_marker(marker::end_of_image);
    }

    thumbnail_bounds within_;
    std::span<const std::byte> rest_;
    std::span<const std::byte> segment_;
    bool sized_ = false;
};

/// `text`: base64.
std::vector<std::byte> decode_jpeg(
    object_reader& from, const char* name, const std::string& text,
    const thumbnail_bounds& within) {
    auto bytes = base64_decoded(text);
    if (!bytes) return from.record_fault(name, "is not base64"), std::vector<std::byte>{};
    const auto fault = jpeg_structure{*bytes, within}.fault();
    if (!fault.empty()) from.record_fault(name, fault);
    return *std::move(bytes);
}

std::vector<std::byte> read_jpeg(
    object_reader& from, const char* name, const thumbnail_bounds& within) {
    return decode_jpeg(from, name, from.text(name, 2 * within.bytes_max), within);
}

thumbnail_report read_thumbnail(object_reader& from) {
    thumbnail_report report;
    report.jpeg = read_jpeg(from, "jpeg", report_bounds::large_thumbnail);
    report.small_jpeg = read_jpeg(from, "small_jpeg", report_bounds::small_thumbnail);
    return report;
}

stored_frame read_frame(object_reader& from) {
    stored_frame frame;
    frame.seconds = from.number("seconds", 0, report_bounds::duration_seconds_max);
    frame.offset =
        from.bytes("offset", 0, report_bounds::frames_max * report_bounds::frame_bytes_max);
    frame.bytes = from.bytes("bytes", 1, report_bounds::frame_bytes_max);
    return frame;
}

bool follows(const stored_frame& next, const std::vector<stored_frame>& frames) {
    if (frames.empty()) return next.offset == 0;
    const auto& last = frames.back();
    return next.seconds > last.seconds && next.offset == last.offset + last.bytes;
}

sound_report read_sound(object_reader& from) {
    constexpr auto samples_bytes_max = static_cast<std::uint64_t>(
        report_bounds::duration_seconds_max * sound_bytes_per_second + sound_bytes_slack);
    constexpr std::uint64_t head_bytes = report_bounds::sound_head_bytes;
    sound_report report;
    report.seconds = from.number("seconds", 0, report_bounds::duration_seconds_max);
    report.bytes = from.bytes("bytes", head_bytes, head_bytes + samples_bytes_max);
    const auto samples_bytes = static_cast<double>(report.bytes - head_bytes);
    if (std::abs(samples_bytes - report.seconds * sound_bytes_per_second) > sound_bytes_slack) {
        from.record_fault("bytes", "does not fit the duration");
    }
    return report;
}

std::vector<time_range> read_silences(object_reader& from) {
    std::vector<time_range> silences;
    from.each_object("silences", report_bounds::silences_max, [&](object_reader& element) {
        const double last = silences.empty() ? 0 : silences.back().end_seconds;
        const double start =
            element.number("start_seconds", last, report_bounds::duration_seconds_max);
        const double end =
            element.number("end_seconds", start, report_bounds::duration_seconds_max);
        silences.push_back({start, end});
    });
    return silences;
}

/// A text at one of `at_seconds`, not before `previous`.
timed_text read_checked_text(
    object_reader& from, std::span<const double> at_seconds, double previous) {
    timed_text text;
    text.text = from.text("text", report_bounds::text_bytes_max);
    const double at = from.number("at_seconds", previous, report_bounds::duration_seconds_max);
    const auto requested = std::ranges::find_if(
        at_seconds, [at](double moment) { return std::abs(moment - at) <= seconds_slack; });
    if (requested == at_seconds.end()) {
        from.record_fault("at_seconds", "was not requested");
    } else {
        text.start_seconds = text.end_seconds = *requested;
    }
    return text;
}

}  // namespace

bool is_clean_text(std::string_view text) noexcept {
    const auto is_control = [](char byte) {
        const auto code = static_cast<unsigned char>(byte);
        return code < 0x20 || code == 0x7f;
    };
    return is_utf8(text) && std::ranges::none_of(text, is_control);
}

result<probe_report> probe_report_from_json(const json& document) {
    return object_reader::read_document(document, "probe", read_probe);
}

result<audio_report> audio_report_from_json(const json& document) {
    return object_reader::read_document(document, "audio", [](object_reader& from) {
        return read_audio(from, report_bounds::duration_seconds_max);
    });
}

result<analysis_report> analysis_report_from_json(const json& document) {
    return object_reader::read_document(document, "analysis", [](object_reader& from) {
        analysis_report report;
        report.probe = from.object("probe", read_probe);
        const double duration = report.probe.duration_seconds;
        report.texts = read_texts(from, "texts", duration);
        report.audio = from.object(
            "audio", [=](object_reader& member) { return read_audio(member, duration); });
        report.picture = from.object(
            "picture", [=](object_reader& member) { return read_picture(member, duration); });
        report.thumbnail = from.object_or_null("thumbnail", read_thumbnail);
        return report;
    });
}

result<thumbnail_report> thumbnail_report_from_json(const json& document) {
    return object_reader::read_document(document, "thumbnail", read_thumbnail);
}

result<frames_report> frames_report_from_json(const json& document) {
    return object_reader::read_document(document, "frames", [](object_reader& from) {
        frames_report report;
        from.each_object("frames", report_bounds::frames_max, [&](object_reader& element) {
            const auto next = read_frame(element);
            if (!follows(next, report.frames)) from.record_fault("frames", "is out of order");
            report.frames.push_back(next);
        });
        if (report.frames.empty()) from.record_fault("frames", "is empty");
        return report;
    });
}

result<stills_report> stills_report_from_json(const json& document, std::size_t count) {
    return object_reader::read_document(document, "stills", [count](object_reader& from) {
        constexpr auto within = report_bounds::still;
        stills_report report;
        from.each("jpegs", report_bounds::stills_max, [&](const json& element) {
            const auto text = from.checked_text(element, "jpegs", 2 * within.bytes_max);
            report.jpegs.push_back(decode_jpeg(from, "jpegs", text, within));
        });
        if (report.jpegs.size() != count) from.record_fault("jpegs", "has another length");
        return report;
    });
}

result<std::optional<sound_report>> sound_report_from_json(const json& document) {
    return object_reader::read_document(document, "sound", [](object_reader& from) {
        return from.object_or_null("sound", read_sound);
    });
}

result<check_report> check_report_from_json(
    const json& document, std::span<const double> at_seconds) {
    return object_reader::read_document(document, "check", [at_seconds](object_reader& from) {
        check_report report;
        report.silent = from.truth("silent");
        report.speech = from.truth_or_null("speech");
        if (report.silent && report.speech.value_or(false)) {
            from.record_fault("speech", "is true although the sound is silent");
        }
        report.silences = read_silences(from);
        from.each_object("texts", report_bounds::checked_texts_max, [&](object_reader& element) {
            const double last = report.texts.empty() ? 0 : report.texts.back().start_seconds;
            report.texts.push_back(
                read_checked_text(element, at_seconds, std::max(0.0, last - seconds_slack)));
        });
        return report;
    });
}

result<output_report> output_report_from_json(const json& document) {
    return object_reader::read_document(document, "output", [](object_reader& from) {
        return output_report{.bytes = from.bytes("bytes", 1, report_bounds::output_bytes_max)};
    });
}

}  // namespace reelsd::media
