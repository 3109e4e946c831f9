#include "protocol.hpp"

#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace reelsd::cli {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Bytes kept of each line of an export: `{"type":"end","lines":9223372036854775807}` has half.
constexpr std::size_t kept_bytes_max = 96;

std::string_view next_word(std::string_view& text, char separator) {
    const auto end = std::min(text.find(separator), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

/// Removes and returns the part of `text` before the next of `ends` outside quotation marks. The
/// separator stays in `text`.
std::string_view take_until(std::string_view& text, std::string_view ends) {
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == '\\' && quoted) {
            ++at;
        } else if (text[at] == '"') {
            quoted = !quoted;
        } else if (!quoted && ends.find(text[at]) != std::string_view::npos) {
            break;
        }
    }
    at = std::min(at, text.size());
    const auto taken = text.substr(0, at);
    text.remove_prefix(at);
    return taken;
}

/// Whether a parameter is `rel="prev next"` or the like: the value is a list of relations.
bool is_next_relation(std::string_view parameter) {
    auto value = parameter;
    if (!equals_ignoring_case(trimmed(next_word(value, '=')), "rel")) return false;
    value = trimmed(value);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
    }
    while (!value.empty()) {
        if (equals_ignoring_case(next_word(value, ' '), "next")) return true;
    }
    return false;
}

/// The server's message, in either of its two error shapes.
std::optional<std::string> message_of(std::string_view body) {
    const auto document = parse_foreign_json(body);
    if (document.is_discarded()) return std::nullopt;
    for (const auto* name : {"message", "error"}) {
        if (const auto text = text_of(document, name)) {
            return one_line(*text);
        }
    }
    return std::nullopt;
}

errc code_of(int status) {
    if (status == 401) return errc::unauthorized;
    if (status == 404) return errc::not_found;
    if (status == 429) return errc::limit_reached;
    if (status >= 500) return errc::internal;
    if (status >= 400) return errc::invalid_argument;
    return errc::connection_failed;
}

bool is_temporary(std::optional<int> status) {
    return !status || *status == 429 || *status == 500 || *status == 502 || *status == 503;
}

}  // namespace

error failure_of(int status, std::string_view body, std::string_view reason) {
    const auto code = code_of(status);
    if (code == errc::connection_failed) {
        return error{
            code,
            fmt::format("the server redirects elsewhere (HTTP {}): is the address right?", status)};
    }
    const auto message = message_of(body);
    constexpr int too_large = 413;
    if (!message && status == too_large) {
        return error{
            code,
            "HTTP 413 without a message: a proxy before the server limits the size of requests"};
    }
    if (!message) {
        return error{
            code, fmt::format("HTTP {} without a message: is this a reelsd server?", status)};
    }
    auto plain_code = *message;  // "not found" needs no "not_found".
    std::ranges::replace(plain_code, ' ', '_');
    const bool has_code = !reason.empty() && reason != plain_code;
    const auto suffix = has_code ? ", " + one_line(reason) : std::string{};
    return error{code, fmt::format("{} (HTTP {}{})", *message, status, suffix)};
}

error no_reelsd_answer(std::string_view what) {
    return error{errc::connection_failed, fmt::format("{}: is this a reelsd server?", what)};
}

bool has_reason(const error& failure, error_reason reason) {
    return failure.detail().find(fmt::format(", {})", name_of(reason))) != std::string::npos;
}

std::string_view advice_for(const error& failure) {
    if (has_reason(failure, error_reason::budget_exceeded)) {
        return "Wait for the next month (UTC), or ask an administrator for a higher budget.";
    }
    if (has_reason(failure, error_reason::video_not_kept)) {
        return "The server keeps no video of it, or no longer. The operator can keep those of new "
               "reels with videos-kept-days.";
    }
    // No switch over all codes: most never reach a client, or their message suffices.
    const auto code = failure.code();
    if (code == errc::unauthorized) {
        return "Check the token in --token, REELS_TOKEN or the configuration file. Create a new "
               "one on the dashboard's Tokens page; an administrator can also use: reelsd token "
               "create";
    }
    if (code == errc::not_found) return "To see your reels, their ids and states: reels list";
    if (code == errc::limit_reached) {
        return "Try again in a minute, or when one of your reels is done: reels list";
    }
    if (contains(failure.detail(), "certificate") || contains(failure.detail(), "trust anchors")) {
        return "Name the certificate authorities of the server, as PEM, in --ca-file, "
               "REELS_CA_FILE or the configuration file.";
    }
    if (code == errc::connection_failed || code == errc::timed_out) {
        return "Is the server running, and is its address right? Set it with --server, "
               "REELS_SERVER or in the configuration file.";
    }
    if (code == errc::internal) return "The server has an internal problem: try again later.";
    return {};
}

std::string retry_time_text(std::chrono::seconds wait, std::chrono::system_clock::time_point now) {
    if (wait <= std::chrono::hours{1}) return fmt::format("{} s", wait.count());
    const auto end = std::chrono::ceil<std::chrono::minutes>(now + wait);
    const auto day = std::chrono::floor<std::chrono::days>(end);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{end - day};
    return fmt::format(
        "{:04}-{:02}-{:02} {:02}:{:02} UTC",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        time.hours().count(),
        time.minutes().count());
}

std::optional<std::chrono::seconds> retry_after_of(std::optional<std::string_view> value) {
    const auto seconds = value ? parse_number<std::uint32_t>(*value) : std::nullopt;
    return seconds ? std::optional{std::chrono::seconds{*seconds}} : std::nullopt;
}

exit_code exit_code_of(errc code) noexcept {
    constexpr std::array refusals{
        errc::invalid_argument,
        errc::not_found,
        errc::unauthorized,
        errc::limit_reached,
        errc::conflict};
    if (code == errc::cancelled) return exit_code::interrupted;
    if (code == errc::storage_failed) return exit_code::usage;  // Of a local file.
    const bool is_refused = std::find(refusals.begin(), refusals.end(), code) != refusals.end();
    return is_refused ? exit_code::refused : exit_code::server_failed;
}

std::optional<std::chrono::seconds> delay_before_next(
    const retry_policy& policy, int attempts_made, const attempt_outcome& outcome) {
    invariant(attempts_made >= 1);
    if (attempts_made >= policy.attempts_max || !is_temporary(outcome.status)) return {};
    auto delay = policy.first_delay;
    for (int retry = 1; retry < attempts_made && delay < policy.delay_max; ++retry) delay *= 2;
    delay = std::max(delay, outcome.retry_after.value_or(delay));
    return delay > policy.delay_max ? std::nullopt : std::optional{delay};
}

result<std::vector<server_event>> event_reader::take(std::string_view bytes) {
    std::vector<server_event> events;
    for (const char c : bytes) {
        const bool belongs_to_return = std::exchange(was_return_, c == '\r') && c == '\n';
        if (belongs_to_return) continue;
        if (c == '\n' || c == '\r') {
            end_line(events);
            continue;
        }
        line_.push_back(c);
        if (line_.size() + data_.size() > bytes_max_) {
            return error{errc::connection_failed, "an event from the server is too long"};
        }
    }
    return events;
}

void event_reader::end_line(std::vector<server_event>& events) {
    const auto taken = std::exchange(line_, {});
    std::string_view line{taken};
    if (std::exchange(is_first_line_, false) && line.starts_with(byte_order_mark)) {
        line.remove_prefix(byte_order_mark.size());
    }
    if (line.empty()) return end_event(events);
    const auto colon = line.find(':');
    const auto field = line.substr(0, colon);
    auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "event") {
        name_ = value;
    } else if (field == "data") {
        data_.append(value).append(1, '\n');
    } else if (field == "id" && value.find('\0') == std::string_view::npos) {
        id_ = value;
    } else if (field == "retry") {
        const auto milliseconds = parse_number<std::uint32_t>(value);
        if (milliseconds) retry_ = std::chrono::milliseconds{*milliseconds};
    }
}

void event_reader::end_event(std::vector<server_event>& events) {
    last_event_id_ = id_;
    auto name = std::exchange(name_, {});
    auto data = std::exchange(data_, {});
    if (data.empty()) return;
    data.pop_back();  // The line feed after the last line.
    if (name.empty()) name = "message";
    events.push_back({.name = std::move(name), .data = std::move(data)});
}

void export_lines::take(std::string_view piece) {
    while (!piece.empty()) {
        const auto end = piece.find('\n');
        const auto part = piece.substr(0, end);
        line_.append(part.substr(0, kept_bytes_max - std::min(line_.size(), kept_bytes_max)));
        if (end == std::string_view::npos) return;
        last_ = std::exchange(line_, {});
        ++ended_;
        piece.remove_prefix(end + 1);
    }
}

std::optional<std::int64_t> export_lines::count_if_complete() const {
    if (!line_.empty()) return std::nullopt;
    const auto last = parse_foreign_json(last_);
    const auto lines = integer_of(last, "lines");
    return text_of(last, "type") == "end" && lines == ended_ - 1 ? lines : std::nullopt;
}

std::string path_with_query(std::string_view path, const std::vector<query_parameter>& parameters) {
    std::string out{path};
    char separator = '?';
    for (const auto& parameter : parameters) {
        if (!parameter.value) continue;
        out += fmt::format("{}{}={}", separator, parameter.name, percent_encoded(*parameter.value));
        separator = '&';
    }
    return out;
}

std::optional<std::string> parameter_of(std::string_view link, std::string_view parameter) {
    link = link.substr(0, link.find('#'));
    const auto question = link.find('?');
    if (question == std::string_view::npos) return std::nullopt;
    auto query = link.substr(question + 1);
    while (!query.empty()) {
        const auto field = next_word(query, '&');
        const auto equals = field.find('=');
        if (equals == std::string_view::npos || field.substr(0, equals) != parameter) continue;
        std::string value{field.substr(equals + 1)};
        std::replace(value.begin(), value.end(), '+', ' ');
        return percent_decoded(value).value_or(value);
    }
    return std::nullopt;
}

std::optional<std::string> next_link_of(std::string_view link_header) {
    while (!trimmed(link_header).empty()) {
        link_header = trimmed(link_header);
        const auto closing = link_header.find('>');
        if (!link_header.starts_with('<') || closing == std::string_view::npos) return std::nullopt;
        const auto target = link_header.substr(1, closing - 1);
        link_header.remove_prefix(closing + 1);
        // The parameters of this link, up to the comma before the next one.
        while (take_until(link_header, ";,"), link_header.starts_with(';')) {
            link_header.remove_prefix(1);
            auto rest = link_header;
            if (is_next_relation(trimmed(take_until(rest, ";,")))) return std::string{target};
        }
        if (link_header.starts_with(',')) link_header.remove_prefix(1);
    }
    return std::nullopt;
}

}  // namespace reelsd::cli
