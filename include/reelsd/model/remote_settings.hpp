#pragma once

#include <reelsd/net/proxy.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// The operator's settings of remote models.
namespace reelsd::model {

/// Google's API, or a gateway with the same interface.
struct gemini_settings {
    std::string url = "https://generativelanguage.googleapis.com";  ///< Without a version path.
    std::string key;
    std::string model = "gemini-3.8-flash";
    /// "auto": as little as the model's family usually needs; "none": not sent; else a level
    /// ("low") or a number of tokens.
    std::string thinking = "auto";
    std::string media_resolution = "high";  ///< "low", "medium", "high"; "none": not sent.
    /// Frames a second that the model reads; 0: 2 for up to 45 s, else 1.
    double frame_rate = 0;
    /// Larger videos are uploaded first. 14 MiB as base64, with the prompt, stay under 20 MiB.
    std::int64_t inline_bytes_max = std::int64_t{14} * 1024 * 1024;
    std::string safety_threshold = "OFF";                ///< "none": the provider's default.
    int output_tokens_max = 16'384;                      ///< Doubled after a truncated answer.
    std::chrono::milliseconds answer_time_max{300'000};  ///< Sent to the provider as its timeout.
    /// Prefix of the display names of uploaded files, to recognise leftovers.
    std::string upload_owner = "reelsd";
    /// Follows the owner in display names: identifies this process. Without "-".
    std::string upload_run = "0";
};

/// Whether the process of a run of the same owner is still alive.
using run_check = std::function<bool(std::string_view run)>;

/// The media that are sent.
enum class openai_mode : std::uint8_t { video, video_audio, frames_audio, frames };

/// Any server with chat completions.
struct openai_settings {
    std::string url = "https://api.openai.com";  ///< Without a version path.
    std::string key;                             ///< May be empty.
    std::string model;
    openai_mode mode = openai_mode::video_audio;
    /// The type of a message part with a video: "video_url", "input_video" or "file".
    std::string video_part = "video_url";
    /// The server's name of the answer's limit: "max_tokens" or "max_completion_tokens".
    std::string token_limit_name = "max_tokens";
    std::string response_format = "json_schema";  ///< or "json_object", "none"
    int output_tokens_max = 16'384;
};

/// Any server with `POST /v1/audio/transcriptions`.
struct speech_settings {
    std::string url = "https://api.openai.com";  ///< Without a version path.
    std::string key;                             ///< May be empty.
    std::string model;
    std::chrono::milliseconds answer_time_max{300'000};  ///< Bound on all requests for one video.
};

/// For all providers.
struct remote_settings {
    std::string ca_file;  ///< Empty: the system's.
    std::optional<net::proxy> by_proxy;
    std::chrono::milliseconds answer_time_max{300'000};  ///< Upper bound on one request.
    std::string output_language = "English";  ///< Language of summaries and descriptions.
};

}  // namespace reelsd::model
