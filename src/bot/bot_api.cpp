#include "bot_api.hpp"

#include <reelsd/base/text.hpp>
#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;

/// A hundred updates, each with a message of the greatest size and what it answers.
constexpr std::size_t answer_bytes_max = std::size_t{8} * 1024 * 1024;

/// A file comes from a large data centre: slower than this, the line is dead.
constexpr net::speed_floor download_speed{.bytes_per_second = 4096, .during = 15s};

/// "videos/file_12.mp4". A server of the operator's own may be set to name its local files: those
/// cannot be downloaded.
bool is_file_path(std::string_view path) {
    if (path.empty() || path.starts_with('/') || contains(path, "..")) return false;
    return std::all_of(path.begin(), path.end(), [](char c) {
        return is_alphanumeric(c) || c == '/' || c == '_' || c == '-' || c == '.';
    });
}

net::http_client_settings client_settings_of(const bot_api::settings& with) {
    net::http_client_settings made;
    made.ca_file = with.ca_file;
    made.by_proxy = with.by_proxy;
    // The operator has named it: it may be a server of his own in the same house.
    if (const auto address = net::url::parse(with.address)) {
        made.policy.trusted_origins.push_back(address->origin());
    }
    return made;
}

void add_field(
    std::string& body, std::string_view boundary, std::string_view name, std::string_view value) {
    body.append(fmt::format(
        "--{}\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n",
        boundary,
        name,
        value));
}

}  // namespace

bot_api::bot_api(settings with) : with_{std::move(with)}, client_{client_settings_of(with_)} {}

api_answer bot_api::call(
    std::string_view method, const json& parameters, deadline by,
    const std::stop_token& stop) const {
    return post(
        method,
        "application/json",
        parameters.dump(-1, ' ', false, json::error_handler_t::replace),
        by,
        stop);
}

api_answer bot_api::send_document(
    const outgoing_file& file, deadline by, const std::stop_token& stop) const {
    const auto boundary = "reelsd-" + accounts::random_characters(32);
    return post(
        "sendDocument",
        "multipart/form-data; boundary=" + boundary,
        multipart_of(file, boundary),
        by,
        stop);
}

api_answer bot_api::post(
    std::string_view method, std::string content_type, std::string body, deadline by,
    const std::stop_token& stop) const {
    net::http_request request;
    request.method = net::http_method::post;
    request.url = fmt::format("{}/bot{}/{}", with_.address, with_.token, method);
    request.headers.push_back({.name = "Content-Type", .value = std::move(content_type)});
    request.body = std::move(body);
    request.response_bytes_max = answer_bytes_max;
    const auto answer = client_.send(request, by, stop);
    if (!answer) {
        return {
            .what = api_answer::outcome::unreachable,
            .description = without_token(answer.error().to_string())};
    }
    auto said =
        answer_from(answer->status(), answer->body, answer->head.headers.find("Retry-After"));
    said.description = without_token(std::move(said.description));
    return said;
}

result<void> bot_api::download(
    std::string_view file_path, std::uint64_t bytes_max,
    const std::function<result<void>(std::span<const std::byte>)>& sink, deadline by,
    const std::stop_token& stop) const {
    if (!is_file_path(file_path)) return error{errc::invalid_argument, "not a file's path"};
    net::http_request request;
    request.url = fmt::format("{}/file/bot{}/{}", with_.address, with_.token, file_path);
    request.response_bytes_max = bytes_max;
    request.oversize_code = errc::video_too_large;
    request.compressed = false;
    request.slowest = download_speed;
    request.on_head = [](const net::response_head& head) -> result<void> {
        if (head.status == 200) return {};
        return error{errc::connection_failed, fmt::format("status {}", head.status)};
    };
    request.sink = sink;
    const auto answer = client_.send(request, by, stop);
    if (answer) return {};
    return error{answer.error().code(), without_token(std::string{answer.error().detail()})};
}

std::string bot_api::without_token(std::string text) const {
    for (auto at = text.find(with_.token); at != std::string::npos; at = text.find(with_.token)) {
        text.replace(at, with_.token.size(), "***");
    }
    return text;
}

std::string multipart_of(const outgoing_file& file, std::string_view boundary) {
    std::string body;
    add_field(body, boundary, "chat_id", std::to_string(file.target.chat.value));
    if (file.target.message_thread) {
        add_field(body, boundary, "message_thread_id", std::to_string(*file.target.message_thread));
    }
    if (file.target.reply_to) {
        add_field(
            body, boundary, "reply_parameters", reply_parameters(*file.target.reply_to).dump());
    }
    body.append(fmt::format(
        "--{}\r\nContent-Disposition: form-data; name=\"document\"; filename=\"{}\"\r\n"
        "Content-Type: application/json\r\n\r\n",
        boundary,
        file.name));
    body.append(file.content).append(fmt::format("\r\n--{}--\r\n", boundary));
    return body;
}

json reply_parameters(std::int64_t message) {
    return {{"message_id", message}, {"allow_sending_without_reply", true}};
}

}  // namespace reelsd::bot
