#pragma once

#include <reelsd/net/http_client.hpp>

#include <curl/curl.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::net {

/// State of one transfer that libcurl's callbacks read and write. Must outlive the transfer.
class transfer {
public:
    struct options {
        bool follows_redirects = false;   ///< Then the body of a redirect is not read.
        const proxy* by_proxy = nullptr;  ///< The only peer of the connection.
        std::string outgoing_address = {};
    };

    transfer(
        const http_request& request, const url& target, const address_guard& guard, options how)
        : request_{request}, target_{target}, guard_{guard}, how_{std::move(how)} {
        if (request.streamed_body) body_reader_.emplace(*request.streamed_body);
    }

    void attach(CURL* handle);

    /// Returns the response after libcurl has ended the transfer of `handle` with `outcome`.
    /// Rethrows an exception of the caller's callbacks.
    [[nodiscard]] result<http_response> finish(CURL* handle, CURLcode outcome);

    /// The Location of a redirect to follow.
    [[nodiscard]] const std::optional<std::string>& location() const noexcept { return location_; }

private:
    static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
    static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
    static std::size_t on_read(char* target, std::size_t size, std::size_t count, void* self);
    static int on_seek(void* self, curl_off_t offset, int origin);
    static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address);

    [[nodiscard]] bool give_body(std::span<char> target, std::size_t& count);
    [[nodiscard]] bool take_header(std::string_view line);
    [[nodiscard]] bool take_body(std::string_view piece);
    [[nodiscard]] bool end_head();
    [[nodiscard]] bool fail(error why);
    [[nodiscard]] error describe(CURL* handle, CURLcode outcome) const;

    const http_request& request_;
    const url& target_;
    const address_guard& guard_;
    options how_;

    std::optional<body_reader> body_reader_;
    std::uint64_t sent_bytes_ = 0;  ///< Bytes of the body.
    response_head head_;
    bool head_ended_ = false;
    std::size_t head_bytes_ = 0;
    std::string body_;
    std::size_t body_bytes_ = 0;
    std::optional<std::string> location_;

    std::optional<error> failure_;
    std::exception_ptr thrown_;
    std::optional<std::string> refused_address_;
    bool was_allowed_ = false;  ///< Some address of the name.
    std::string curl_says_ = std::string(CURL_ERROR_SIZE, '\0');
};

}  // namespace reelsd::net
