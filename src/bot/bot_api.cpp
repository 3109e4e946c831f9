#include "bot_api.hpp"

#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/net/url.hpp>

#include <boost/algorithm/string/replace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
using outcome = api_answer::outcome;

constexpr std::size_t description_bytes_max = 300;
/// For a server that names no time: about Telegram's first waits.
constexpr auto wait_default = 5s;
/// Bounds the requested wait; a longer one is requested again.
constexpr auto wait_max = std::chrono::seconds{std::chrono::hours{24}};

/// Also accepts a fraction, which it rounds up.
std::optional<std::int64_t> whole_number_of(const json& object, const char* name) {
    if (const auto integer = integer_of(object, name)) return integer;
    const auto number = number_of(object, name).value_or(-1);
    if (!(number >= 0 && number < 1e9)) return std::nullopt;
    return static_cast<std::int64_t>(number) + 1;
}

/// The outcome of status 400, which only the description distinguishes.
outcome outcome_of_description(const std::string& description) {
    constexpr std::array<std::pair<std::string_view, outcome>, 10> known{
        {{"message is not modified", outcome::unchanged},
         {"message to edit not found", outcome::message_gone},
         {"message can't be edited", outcome::message_gone},
         {"message_id_invalid", outcome::message_gone},
         {"message identifier is not specified", outcome::message_gone},
         {"can't parse entities", outcome::bad_markup},
         {"chat not found", outcome::chat_unreachable},
         {"peer_id_invalid", outcome::chat_unreachable},
         {"not enough rights to send text messages", outcome::chat_unreachable},
         {"chat_write_forbidden", outcome::chat_unreachable}}};
    const auto lowered = ascii_lower(description);
    for (const auto& [text, what] : known) {
        if (lowered.find(text) != std::string::npos) return what;
    }
    return outcome::rejected;
}

outcome outcome_of(int code, const std::string& description) {
    switch (code) {
        case 400: return outcome_of_description(description);
        case 401: return outcome::bad_token;
        case 404: return outcome::not_found;
        case 403: return outcome::chat_unreachable;
        case 409: return outcome::conflict;
        case 429: return outcome::rate_limited;
        default: break;
    }
    return code >= 400 && code < 500 ? outcome::rejected : outcome::unreachable;
}

std::chrono::seconds wait_in(const json& parameters, std::optional<std::string_view> header) {
    auto wait = whole_number_of(parameters, "retry_after");
    if (!wait && header) wait = parse_number<std::int64_t>(*header);
    const auto seconds = wait.value_or(std::chrono::seconds{wait_default}.count());
    return std::chrono::seconds{std::clamp<std::int64_t>(seconds, 1, wait_max.count())};
}

/// A hundred updates, each with a message of maximum size and the message that it answers.
constexpr std::size_t answer_bytes_max = std::size_t{8} * 1024 * 1024;

/// A slower download has failed.
constexpr net::speed_floor download_speed{.bytes_per_second = 4096, .during = 15s};

/// Accepts paths such as "videos/file_12.mp4". A self-hosted server may return absolute paths of
/// local files, which cannot be downloaded.
bool is_file_path(std::string_view path) {
    if (path.empty() || path.starts_with('/') || contains(path, "..")) return false;
    return std::all_of(path.begin(), path.end(), [](char c) {
        return is_alphanumeric(c) || c == '/' || c == '_' || c == '-' || c == '.';
    });
}

net::http_client_settings client_settings_of(const bot_api::settings& settings) {
    net::http_client_settings client;
    client.ca_file = settings.ca_file;
    client.by_proxy = settings.by_proxy;
    // The operator named this server, which may be in a private network.
    if (const auto address = net::url::parse(settings.address)) {
        client.policy.trusted_origins.push_back(address->origin());
    }
    return client;
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

api_answer answer_from(
    int status, std::string_view body, std::optional<std::string_view> retry_after_header) {
    const auto document = parse_foreign_json(body);
    api_answer answer;
    const auto is_ok = boolean_of(document, "ok");
    if (status == 200 && is_ok.value_or(false)) {
        answer.what = outcome::done;
        answer.value = member(document, "result");
        return answer;
    }
    answer.description = text_of(document, "description")
                             .value_or(fmt::format("HTTP {}", status))
                             .substr(0, description_bytes_max);
    const auto& parameters = member(document, "parameters");
    // Proxies may answer with 200 and without an error code.
    const bool has_wait = !member(parameters, "retry_after").is_null();
    const int default_code = has_wait ? 429 : is_ok ? 400 : 500;
    const auto code =
        status == 200 ? whole_number_of(document, "error_code").value_or(default_code) : status;
    // A proxy's refusal says nothing about the bot or the chat. Its limits of size and rate apply.
    if (!is_ok && code != 413 && code != 429) return answer;
    answer.what =
        outcome_of(static_cast<int>(std::clamp<std::int64_t>(code, 0, 999)), answer.description);
    if (answer.what == outcome::rate_limited) {
        answer.retry_after = wait_in(parameters, retry_after_header);
    }
    if (const auto moved_to = whole_number_of(parameters, "migrate_to_chat_id")) {
        answer.what = outcome::moved;
        answer.moved_to = chats::chat_id{*moved_to};
    }
    return answer;
}

std::chrono::milliseconds backoff(int failures, double jitter) noexcept {
    constexpr int doublings_max = 6;
    const auto whole = std::min<std::chrono::milliseconds>(
        60s, std::chrono::milliseconds{1s} * (1 << std::clamp(failures - 1, 0, doublings_max)));
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        whole * (1.0 - std::clamp(jitter, 0.0, 1.0) / 2));
}

bot_api::bot_api(settings server)
    : settings_{std::move(server)}, client_{client_settings_of(settings_)} {}

api_answer bot_api::call(
    std::string_view method, const json& parameters, deadline by,
    const std::stop_token& stop) const {
    return post(method, "application/json", dumped(parameters), by, stop);
}

api_answer bot_api::send_files(
    const file_message& message, deadline by, const std::stop_token& stop) const {
    const auto boundary = "reelsd-" + accounts::random_characters(32);
    return post(
        message.method,
        "multipart/form-data; boundary=" + boundary,
        multipart_of(message, boundary),
        by,
        stop);
}

api_answer bot_api::post(
    std::string_view method, std::string content_type, std::string body, deadline by,
    const std::stop_token& stop) const {
    net::http_request request;
    request.method = net::http_method::post;
    request.url = fmt::format("{}/bot{}/{}", settings_.address, settings_.token, method);
    request.headers.push_back({.name = "Content-Type", .value = std::move(content_type)});
    request.body = std::move(body);
    request.response_bytes_max = answer_bytes_max;
    const auto response = client_.send(request, by, stop);
    if (!response) {
        return {
            .what = api_answer::outcome::unreachable,
            .description = without_token(response.error().to_string())};
    }
    auto answer =
        answer_from(response->status(), response->body, response->head.headers.find("Retry-After"));
    answer.description = without_token(std::move(answer.description));
    return answer;
}

result<void> bot_api::download(
    std::string_view file_path, std::uint64_t bytes_max,
    const std::function<result<void>(std::span<const std::byte>)>& sink, deadline by,
    const std::stop_token& stop) const {
    if (!is_file_path(file_path)) return error{errc::invalid_argument, "invalid file path"};
    net::http_request request;
    request.url = fmt::format("{}/file/bot{}/{}", settings_.address, settings_.token, file_path);
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
    boost::replace_all(text, settings_.token, "***");
    return text;
}

std::string multipart_of(const file_message& message, std::string_view boundary) {
    const auto& target = message.target;
    std::string body;
    add_field(body, boundary, "chat_id", std::to_string(target.chat.value));
    if (target.message_thread) {
        add_field(body, boundary, "message_thread_id", std::to_string(*target.message_thread));
    }
    if (target.reply_to) {
        add_field(body, boundary, "reply_parameters", reply_parameters(*target.reply_to).dump());
    }
    for (const auto& [name, value] : message.parameters) add_field(body, boundary, name, value);
    for (const auto& file : message.files) {
        body.append(fmt::format(
            "--{}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n"
            "Content-Type: {}\r\n\r\n",
            boundary,
            file.field,
            file.name,
            file.content_type));
        body.append(file.content).append("\r\n");
    }
    body.append(fmt::format("--{}--\r\n", boundary));
    return body;
}

json reply_parameters(std::int64_t message) {
    return {{"message_id", message}, {"allow_sending_without_reply", true}};
}

}  // namespace reelsd::bot
