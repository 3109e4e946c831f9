#include <reelsd/base/clock.hpp>
#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/s3_store.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <span>
#include <utility>

namespace reelsd::net {
namespace {

using namespace std::chrono_literals;

/// Of the error documents, which have less than 1 KiB.
constexpr std::size_t error_bytes_max = std::size_t{64} * 1024;
constexpr int tries_max = 3;
/// Before the second try; doubled for the third.
constexpr std::chrono::milliseconds retry_pause{500};
/// A store that is slower cannot serve a video.
constexpr speed_floor slowest{.bytes_per_second = 1024, .during = 20s};

constexpr int status_ok = 200;
constexpr int status_no_content = 204;
constexpr int status_partial = 206;
constexpr int status_not_found = 404;

/// "NoSuchKey" of an error document; empty if there is none. Letters only, because it is logged.
std::string error_code_in(std::string_view document) {
    constexpr std::string_view begin = "<Code>";
    const auto at = document.find(begin);
    if (at == std::string_view::npos) return {};
    constexpr std::size_t code_characters_max = 64;
    std::string code;
    for (const char letter : document.substr(at + begin.size(), code_characters_max)) {
        if (!is_alpha(letter)) break;
        code.push_back(letter);
    }
    return code;
}

/// Whether the same request may succeed soon.
bool is_temporary(int status) {
    constexpr int too_many_requests = 429;
    constexpr int server_error = 500;
    return status == too_many_requests || status >= server_error;
}

http_client_settings client_settings_of(const s3_settings& settings) {
    http_client_settings client;
    client.policy.trusted_origins.push_back(settings.endpoint);
    if (const auto parsed = url::parse(settings.endpoint)) {
        client.policy.trusted_origins.back() = parsed->origin();
    }
    client.ca_file = settings.ca_file;
    return client;
}

std::string name_of(const s3_settings& settings) {
    auto name = "s3://" + settings.bucket;
    if (!settings.prefix.empty()) name.append("/").append(settings.prefix);
    return name;
}

error refusal_of(std::string_view method, const http_response& answer) {
    const auto code = error_code_in(answer.body);
    return error{
        errc::storage_failed,
        fmt::format(
            "the media store answered {} with status {}{}{}",
            method,
            answer.status(),
            code.empty() ? "" : ", ",
            code)};
}

}  // namespace

struct s3_store::call {
    http_method method;
    std::string_view key;
    const s3_content* content = nullptr;                                ///< Of a PUT.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> range = {};  ///< First and last byte.
};

s3_store::s3_store(s3_settings settings)
    : settings_{std::move(settings)},
      name_{name_of(settings_)},
      client_{client_settings_of(settings_)} {}

result<http_response> s3_store::send(
    const call& operation, deadline by, const std::stop_token& stop) const {
    auto path = "/" + settings_.bucket;
    if (!settings_.prefix.empty()) path.append("/").append(settings_.prefix);
    path.append("/").append(operation.key);
    const auto digest = operation.content ? operation.content->sha256 : sha256_hex("");
    http_request request{
        .method = operation.method,
        .url = settings_.endpoint + path,
        .headers = {{"x-amz-content-sha256", digest}},
        .signed_by = &settings_.credentials,
        .is_idempotent = true,
        .response_bytes_max = error_bytes_max,
        .compressed = false,
        .slowest = slowest};
    if (operation.content) {
        request.streamed_body = operation.content->body;
        request.headers.push_back({"Content-Type", operation.content->content_type});
    }
    if (operation.range) {
        const auto [first, last] = *operation.range;
        request.headers.push_back({"Range", fmt::format("bytes={}-{}", first, last)});
        request.response_bytes_max += static_cast<std::size_t>(last - first + 1);
    }
    auto answer = client_.send(request, by, stop);
    if (answer) return answer;
    const auto code = answer.error().code();
    if (code == errc::cancelled || code == errc::timed_out) return answer;
    return error{errc::connection_failed, "the media store: " + answer.error().detail()};
}

result<http_response> s3_store::send_with_retries(
    const call& operation, deadline by, const std::stop_token& stop) const {
    auto pause = retry_pause;
    for (int number = 1;; ++number) {
        auto answer = send(operation, by, stop);
        const bool is_final = answer ? !is_temporary(answer->status())
                                     : answer.error().code() != errc::connection_failed;
        if (is_final || number == tries_max || by.remaining() < pause) return answer;
        if (!stoppable_sleep(pause, stop)) return error{errc::cancelled, "stopped before a retry"};
        pause *= 2;
    }
}

result<void> s3_store::put(
    std::string_view key, const s3_content& content, deadline by,
    const std::stop_token& stop) const {
    const auto answer =
        send_with_retries({.method = http_method::put, .key = key, .content = &content}, by, stop);
    if (!answer) return answer.error();
    if (answer->status() != status_ok) return refusal_of("PUT", *answer);
    return {};
}

result<std::vector<std::byte>> s3_store::get(
    std::string_view key, std::uint64_t offset, std::uint64_t bytes, deadline by,
    const std::stop_token& stop) const {
    const std::pair range{offset, offset + bytes - 1};
    const auto answer =
        send_with_retries({.method = http_method::get, .key = key, .range = range}, by, stop);
    if (!answer) return answer.error();
    if (answer->status() == status_not_found) return error{errc::not_found, "no such object"};
    const bool is_whole = answer->status() == status_ok && offset == 0;
    if (answer->status() != status_partial && !is_whole) return refusal_of("GET", *answer);
    if (answer->body.size() != bytes) {
        return error{errc::storage_failed, "the media store sent another number of bytes"};
    }
    const auto octets = std::as_bytes(std::span{answer->body});
    return std::vector<std::byte>{octets.begin(), octets.end()};
}

result<void> s3_store::remove(
    std::string_view key, deadline by, const std::stop_token& stop) const {
    const auto answer = send({.method = http_method::del, .key = key}, by, stop);
    if (!answer) return answer.error();
    const auto status = answer->status();
    if (status == status_ok || status == status_no_content || status == status_not_found) return {};
    return refusal_of("DELETE", *answer);
}

}  // namespace reelsd::net
