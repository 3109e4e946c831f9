#pragma once

#include "call_failure.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/net/request_body.hpp>

#include <boost/system/result.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace reelsd::model {

/// One still picture, as it lies in a file.
struct frame_file {
    double seconds = 0;
    net::file_range jpeg;
};

/// What of a video is sent to a server in a mode.
struct sent_media {
    std::optional<net::file_range> video;
    std::vector<frame_file> frames;
    std::optional<net::file_range> sound;  ///< WAVE. Nothing when the video has none.
};

/// Takes the video apart as far as the mode wants it, into the job's scratch folder. Blocks.
[[nodiscard]] boost::system::result<sent_media, call_failure> media_for(
    openai_mode mode, const video_input& video, const media::media_client& media,
    const deadline& by, const std::stop_token& stop);

/// The user's message: a list of parts, the media first. Its JSON, streamed. Pure.
void add_message_parts(
    net::request_body& body, const sent_media& media, const openai_settings& settings,
    std::string_view mime_type, std::string_view task);

}  // namespace reelsd::model
