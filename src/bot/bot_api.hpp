#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/chats/bot_store.hpp>
#include <reelsd/domain/chats/chat_store.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::bot {

/// A response of the Bot API and its meaning.
struct api_answer {
    enum class outcome : std::uint8_t {
        done,
        unchanged,         ///< The message has this text already.
        message_gone,      ///< The message does not exist or cannot be edited.
        bad_markup,        ///< The server does not support our HTML.
        rate_limited,      ///< Retry after `retry_after`.
        moved,             ///< The group has a new id: `moved_to`.
        unreachable,       ///< No response, or a failure of the server. Can be retried.
        chat_unreachable,  ///< The bot was blocked or removed, or the chat does not exist.
        bad_token,         ///< The bot does not exist any more.
        not_found,         ///< The bot or the method does not exist.
        conflict,          ///< Another program polls for updates, or a webhook receives them.
        rejected,          ///< An invalid request; retrying does not help.
    };
    BOOST_DESCRIBE_NESTED_ENUM(
        outcome, done, unchanged, message_gone, bad_markup, rate_limited, moved, unreachable,
        chat_unreachable, bad_token, not_found, conflict, rejected)

    outcome what = outcome::unreachable;
    json value = {};          ///< The `result`, if done.
    std::string description;  ///< Of a failure, for logs. Never contains the token.
    std::chrono::seconds retry_after{0};
    std::optional<chats::chat_id> moved_to = {};
};

/// Parses a complete HTTP response. `retry_after_header` applies if the body names no time.
[[nodiscard]] api_answer answer_from(
    int status, std::string_view body, std::optional<std::string_view> retry_after_header);

/// Delay after `failures` consecutive failures (at least 1): doubles from a second to a minute.
/// `jitter` from 0 to 1 shortens it by up to a half.
[[nodiscard]] std::chrono::milliseconds backoff(int failures, double jitter) noexcept;

struct outgoing_file {
    std::string field;  ///< Its parameter of the method.
    std::string name;   ///< "reel-42.json": only [a-z0-9.-].
    std::string content_type;
    std::string content;
};

struct file_message {
    std::string method;  ///< "sendDocument", "sendPhoto" or "sendMediaGroup".
    chats::message_target target;
    std::vector<std::pair<std::string, std::string>> parameters = {};
    std::vector<outgoing_file> files;
};

/// Client of the Bot API. Blocking; thread-safe. The token is part of every request's address and
/// is removed from all answers and errors.
class bot_api {
public:
    struct settings {
        std::string address;  ///< "https://api.telegram.org".
        std::string token;
        std::string ca_file = {};  ///< Empty: the system's.
        std::optional<net::proxy> by_proxy = {};
    };
    explicit bot_api(settings server);

    /// POSTs `parameters` to a method.
    [[nodiscard]] api_answer call(
        std::string_view method, const json& parameters, deadline by,
        const std::stop_token& stop) const;
    [[nodiscard]] api_answer send_files(
        const file_message& message, deadline by, const std::stop_token& stop) const;

    /// GETs a file by the `file_path` of getFile's answer and passes its bytes to `sink` in chunks,
    /// on this thread. An error of `sink` ends the download and is returned. Errors: those of
    /// net::http_client::send; invalid_argument for an invalid path; connection_failed for a status
    /// other than 200; video_too_large beyond `bytes_max`.
    [[nodiscard]] result<void> download(
        std::string_view file_path, std::uint64_t bytes_max,
        const std::function<result<void>(std::span<const std::byte>)>& sink, deadline by,
        const std::stop_token& stop) const;

private:
    [[nodiscard]] api_answer post(
        std::string_view method, std::string content_type, std::string body, deadline by,
        const std::stop_token& stop) const;
    [[nodiscard]] std::string without_token(std::string text) const;

    settings settings_;
    net::http_client client_;
};

/// A multipart/form-data body. `boundary` must not occur in the files.
[[nodiscard]] std::string multipart_of(const file_message& message, std::string_view boundary);

/// Makes a message a reply to `message`, unless that has been deleted.
[[nodiscard]] json reply_parameters(std::int64_t message);

}  // namespace reelsd::bot
