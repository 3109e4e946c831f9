#include "openai_media.hpp"

#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace reelsd::model {
namespace {

call_failure failure_of(const error& why) {
    // Our own helper, or a video that it cannot read: no provider's fault.
    if (why.code() == errc::unsupported_format)
        return {.kind = failure_kind::video_rejected, .detail = why.detail()};
    if (why.code() == errc::cancelled) return {.kind = failure_kind::cancelled};
    return {.kind = failure_kind::storage, .detail = why.to_string()};
}

/// "01:05"
std::string frame_time(double seconds) {
    const auto whole = static_cast<std::int64_t>(seconds);
    return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
}

/// Writes the parts of a list with commas between them.
class part_list {
public:
    explicit part_list(net::request_body& body) : body_{body} { body_.add_text("["); }

    void add_text(std::string_view text) {
        next();
        body_.add_text(json{{"type", "text"}, {"text", text}}.dump());
    }
    void add_media(std::string before, const net::file_range& file, std::string after) {
        next();
        body_.add_text(std::move(before));
        body_.add_base64(file);
        body_.add_text(std::move(after));
    }
    void end() { body_.add_text("]"); }

private:
    void next() {
        if (!is_first_) body_.add_text(",");
        is_first_ = false;
    }

    net::request_body& body_;
    bool is_first_ = true;
};

void add_video(
    part_list& parts, const net::file_range& video, const openai_settings& settings,
    std::string_view mime_type) {
    const auto& type = settings.video_part;
    const auto data = fmt::format("data:{};base64,", mime_type);
    if (type == "file") {
        parts.add_media(
            fmt::format(R"({{"type":"file","file":{{"file_data":"{})", data),
            video,
            fmt::format(R"(","format":"{}"}}}})", mime_type));
        return;
    }
    parts.add_media(
        fmt::format(R"({{"type":"{0}","{0}":{{"url":"{1})", type, data), video, R"("}})");
}

}  // namespace

boost::system::result<sent_media, call_failure> media_for(
    openai_mode mode, const video_input& video, const media::media_client& media,
    const deadline& by, const std::stop_token& stop) {
    sent_media made;
    const bool wants_frames = mode == openai_mode::frames || mode == openai_mode::frames_audio;
    const bool wants_sound = mode == openai_mode::video_audio || mode == openai_mode::frames_audio;
    if (wants_frames) {
        const auto target = video.scratch / "frames";
        const auto told =
            media.frames(video.file, target, {}, by.at_most(bounds::local_analysis_time_max), stop);
        if (!told) return failure_of(told.error());
        for (const auto& frame : told->frames)
            made.frames.push_back(
                {.seconds = frame.seconds,
                 .jpeg = {.file = target, .offset = frame.offset, .bytes = frame.bytes}});
    } else {
        std::error_code failure;
        const auto bytes = std::filesystem::file_size(video.file, failure);
        if (failure)
            return call_failure{.kind = failure_kind::storage, .detail = failure.message()};
        made.video = net::file_range{.file = video.file, .offset = 0, .bytes = bytes};
    }
    if (wants_sound) {
        const auto target = video.scratch / "sound";
        const auto told = media.sound(video.file, target, by.at_most(bounds::probe_time_max), stop);
        if (!told) return failure_of(told.error());
        if (*told)
            made.sound = net::file_range{.file = target, .offset = 0, .bytes = (*told)->bytes};
    }
    return made;
}

void add_message_parts(
    net::request_body& body, const sent_media& media, const openai_settings& settings,
    std::string_view mime_type, std::string_view task) {
    part_list parts{body};
    if (media.video) add_video(parts, *media.video, settings, mime_type);
    for (const auto& frame : media.frames) {
        parts.add_text("t=" + frame_time(frame.seconds));
        parts.add_media(
            R"({"type":"image_url","image_url":{"url":"data:image/jpeg;base64,)",
            frame.jpeg,
            R"("}})");
    }
    if (media.sound)
        parts.add_media(
            R"({"type":"input_audio","input_audio":{"data":")",
            *media.sound,
            R"(","format":"wav"}})");
    parts.add_text(task);
    parts.end();
}

}  // namespace reelsd::model
