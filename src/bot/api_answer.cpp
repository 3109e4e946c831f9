#include "api_answer.hpp"

#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
using outcome = api_answer::outcome;

constexpr std::size_t description_bytes_max = 300;
/// A server that names no time: about what Telegram asks for at first.
constexpr auto wait_usual = 5s;
/// Longer than any wait that was ever heard of; beyond it, the next answer will say so again.
constexpr auto wait_max = std::chrono::seconds{std::chrono::hours{24}};

const json* find(const json& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

std::optional<std::int64_t> number_in(const json* value) {
    if (value == nullptr || !value->is_number()) return std::nullopt;
    if (value->is_number_integer()) return value->get<std::int64_t>();
    const auto number = value->get<double>();
    if (!(number >= 0 && number < 1e9)) return std::nullopt;
    return static_cast<std::int64_t>(number) + 1;
}

/// What a refusal of 400 is about, which only its words say.
outcome outcome_of_words(const std::string& words) {
    constexpr std::array<std::pair<std::string_view, outcome>, 10> known{
        {{"message is not modified", outcome::unchanged},
         {"message to edit not found", outcome::gone},
         {"message can't be edited", outcome::gone},
         {"message_id_invalid", outcome::gone},
         {"message identifier is not specified", outcome::gone},
         {"can't parse entities", outcome::bad_markup},
         {"chat not found", outcome::lost_chat},
         {"peer_id_invalid", outcome::lost_chat},
         {"not enough rights to send", outcome::lost_chat},
         {"chat_write_forbidden", outcome::lost_chat}}};
    const auto lowered = ascii_lower(words);
    for (const auto& [text, what] : known) {
        if (lowered.find(text) != std::string::npos) return what;
    }
    return outcome::refused;
}

outcome outcome_of(int code, const std::string& description) {
    switch (code) {
        case 400: return outcome_of_words(description);
        case 401: return outcome::bad_token;
        case 404: return outcome::not_there;
        case 403: return outcome::lost_chat;
        case 408: return outcome::unreachable;  // Of a proxy.
        case 409: return outcome::another_asks;
        case 429: return outcome::wait;
        default: break;
    }
    return code >= 400 && code < 500 ? outcome::refused : outcome::unreachable;
}

std::chrono::seconds wait_in(const json* parameters, std::optional<std::string_view> header) {
    std::optional<std::int64_t> wait;
    if (parameters != nullptr) wait = number_in(find(*parameters, "retry_after"));
    if (!wait && header) wait = parse_number<std::int64_t>(*header);
    const auto seconds = wait.value_or(std::chrono::seconds{wait_usual}.count());
    return std::chrono::seconds{std::clamp<std::int64_t>(seconds, 1, wait_max.count())};
}

}  // namespace

std::string_view name_of(api_answer::outcome what) noexcept {
    switch (what) {
        case outcome::done: return "done";
        case outcome::unchanged: return "unchanged";
        case outcome::gone: return "gone";
        case outcome::bad_markup: return "bad_markup";
        case outcome::wait: return "wait";
        case outcome::moved: return "moved";
        case outcome::unreachable: return "unreachable";
        case outcome::lost_chat: return "lost_chat";
        case outcome::bad_token: return "bad_token";
        case outcome::not_there: return "not_there";
        case outcome::another_asks: return "another_asks";
        case outcome::refused: break;
    }
    return "refused";
}

api_answer answer_from(
    int status, std::string_view body, std::optional<std::string_view> retry_after_header) {
    auto said = parse_foreign_json(body);
    api_answer answer;
    const auto* const ok = find(said, "ok");
    if (status == 200 && ok != nullptr && ok->is_boolean() && ok->get<bool>()) {
        answer.what = outcome::done;
        if (const auto* const value = find(said, "result")) answer.value = *value;
        return answer;
    }
    const auto* const words = find(said, "description");
    answer.description = words != nullptr && words->is_string()
                             ? words->get<std::string>().substr(0, description_bytes_max)
                             : "HTTP " + std::to_string(status);
    // What stands in front of the real server may speak in statuses alone.
    const auto* const parameters = find(said, "parameters");
    const bool says_when = parameters != nullptr && find(*parameters, "retry_after") != nullptr;
    const bool says_no = ok != nullptr && ok->is_boolean();
    const int without_code = says_when ? 429 : says_no ? 400 : 500;
    const auto code =
        status == 200 ? number_in(find(said, "error_code")).value_or(without_code) : status;
    answer.what =
        outcome_of(static_cast<int>(std::clamp<std::int64_t>(code, 0, 999)), answer.description);
    if (answer.what == outcome::wait) answer.retry_after = wait_in(parameters, retry_after_header);
    if (parameters != nullptr) {
        if (const auto moved = number_in(find(*parameters, "migrate_to_chat_id"))) {
            answer.what = outcome::moved;
            answer.moved_to = chats::chat_id{*moved};
        }
    }
    return answer;
}

std::chrono::milliseconds backoff(int failures, double dice) noexcept {
    constexpr int doublings_max = 6;
    const auto whole = std::min<std::chrono::milliseconds>(
        60s, std::chrono::milliseconds{1s} * (1 << std::clamp(failures - 1, 0, doublings_max)));
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        whole * (1.0 - std::clamp(dice, 0.0, 1.0) / 2));
}

}  // namespace reelsd::bot
