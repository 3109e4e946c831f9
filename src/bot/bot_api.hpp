#pragma once

#include "api_answer.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/chats/bot_store.hpp>
#include <reelsd/net/http_client.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelsd::bot {

/// A file on its way into a chat.
struct outgoing_file {
    chats::message_target target;
    std::string name;     ///< "reel-42.json": [a-z0-9.-] alone.
    std::string content;  ///< JSON.
};

/// Asks the Bot API. Blocking; safe from any thread. The token stands in the address of every
/// request and in nothing else: no answer, error or log line has it.
class bot_api {
public:
    struct settings {
        std::string address;  ///< "https://api.telegram.org".
        std::string token;
        std::string ca_file = {};  ///< Empty: the system's.
        std::optional<net::proxy> by_proxy = {};
    };
    explicit bot_api(settings with);

    /// POSTs `parameters` to a method. A question changes nothing when it is asked twice.
    [[nodiscard]] api_answer call(
        std::string_view method, const json& parameters, deadline by,
        const std::stop_token& stop) const;
    [[nodiscard]] api_answer send_document(
        const outgoing_file& file, deadline by, const std::stop_token& stop) const;

    /// GETs a file by the `file_path` of getFile's answer, and passes its bytes to `sink` in
    /// pieces, on this thread. An error of `sink` ends it and is returned. Errors: those of
    /// net::http_client::send; invalid_argument: no path that the Bot API has;
    /// connection_failed: a status other than 200; video_too_large: more than `bytes_max` bytes.
    [[nodiscard]] result<void> download(
        std::string_view file_path, std::uint64_t bytes_max,
        const std::function<result<void>(std::span<const std::byte>)>& sink, deadline by,
        const std::stop_token& stop) const;

private:
    [[nodiscard]] api_answer post(
        std::string_view method, std::string content_type, std::string body, deadline by,
        const std::stop_token& stop) const;
    [[nodiscard]] std::string without_token(std::string text) const;

    settings with_;
    net::http_client client_;
};

/// What sendDocument is sent: multipart/form-data. Pure; `boundary` must not occur in the file.
[[nodiscard]] std::string multipart_of(const outgoing_file& file, std::string_view boundary);

/// In answer to a message, also when that one has been deleted meanwhile.
[[nodiscard]] json reply_parameters(std::int64_t message);

}  // namespace reelsd::bot
