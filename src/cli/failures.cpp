#include "failures.hpp"

#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/parse_number.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace reelsd::cli {
namespace {

/// The server's message, in either of its two error shapes.
std::optional<std::string> message_of(std::string_view body) {
    const auto document = parse_foreign_json(body);
    if (document.is_discarded()) return std::nullopt;
    for (const auto* name : {"message", "error"}) {
        if (const auto text = text_of(document, name)) {
            return printable(*text, line_breaks::to_blank);
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

error failure_of(int status, std::string_view body) {
    const auto code = code_of(status);
    if (code == errc::connection_failed) {
        return error{
            code,
            fmt::format("the server redirects elsewhere (HTTP {}): is the address right?", status)};
    }
    const auto message = message_of(body);
    if (!message) {
        return error{
            code, fmt::format("HTTP {} without a message: is this a reelsd server?", status)};
    }
    return error{code, fmt::format("{} (HTTP {})", *message, status)};
}

std::string_view advice_for(errc code) noexcept {
    // No switch over all codes: most never reach a client, or their message suffices.
    if (code == errc::unauthorized) {
        return "Check the token in --token, REELS_TOKEN or the configuration file; the "
               "administrator creates a new one with: reelsd token create";
    }
    if (code == errc::not_found) return "To see your reels and their ids: reels list";
    if (code == errc::limit_reached) {
        return "Try again in a minute, or when one of your reels is done: reels list";
    }
    if (code == errc::connection_failed || code == errc::timed_out) {
        return "Is the server running, and is its address right? Set it with --server, "
               "REELS_SERVER or in the configuration file.";
    }
    if (code == errc::internal) return "The server has an internal problem: try again later.";
    return {};
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

}  // namespace reelsd::cli
