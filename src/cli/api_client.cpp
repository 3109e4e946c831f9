#include "api_client.hpp"

#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/cli/api_answer.hpp>
#include <reelsd/cli/text.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <random>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

/// A healthy server answers in milliseconds; a busy one is given time for its own waits.
constexpr auto answer_time_max = 30s;
/// The bound on a stored result, its envelope included.
constexpr auto response_bytes_max = bounds::result_bytes_max + std::size_t{64} * 1024;

net::http_client_settings client_settings(const connection_settings& connection) {
    const auto server = net::url::parse(connection.server);
    invariant(server.has_value());
    net::http_client_settings settings;
    // The user named this server, wherever it stands; nobody else may be talked to.
    settings.policy.host_suffixes = {server->host()};
    settings.policy.trusted_origins = {server->origin()};
    return settings;
}

/// 128 random bits: two runs never share one.
std::string random_key() {
    std::random_device source;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", source(), source(), source(), source());
}

result<api_answer> success_of(net::http_response response) {
    auto document = json::parse(response.body, nullptr, false);
    if (!document.is_object()) {
        return error{
            errc::connection_failed, "the answer is no JSON object: is this a reelsd server?"};
    }
    return api_answer{.body = std::move(response.body), .document = std::move(document)};
}

/// One attempt: an answer or an error, and what the retry policy needs to know about it.
struct attempt {
    result<api_answer> answer;
    attempt_outcome outcome;
};

attempt judged(result<net::http_response> response, const std::string& server) {
    if (!response) {
        const auto& why = response.error();
        const auto detail = printable(why.detail(), line_breaks::to_blank);
        auto text = fmt::format("no answer from {}: {}", server, detail);
        return {.answer = error{why.code(), std::move(text)}, .outcome = {}};
    }
    const auto status = response->status();
    const attempt_outcome outcome{
        .status = status,
        .retry_after = retry_after_of(response->head.headers.find("Retry-After"))};
    if (status >= 200 && status < 300) {
        return {.answer = success_of(*std::move(response)), .outcome = outcome};
    }
    return {.answer = failure_of(status, response->body), .outcome = outcome};
}

/// Errors that the same request would meet again.
bool is_final(errc code) {
    return code == errc::cancelled || code == errc::invalid_argument ||
           code == errc::address_refused;
}

}  // namespace

bool pause(std::chrono::milliseconds duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never_notified;
    std::unique_lock lock{mutex};
    never_notified.wait_for(lock, stop, duration, [] { return false; });
    return !stop.stop_requested();
}

api_client::api_client(
    connection_settings connection, retry_policy policy,
    std::function<void(std::string_view)> on_retry)
    : connection_{std::move(connection)},
      policy_{policy},
      on_retry_{std::move(on_retry)},
      http_{client_settings(connection_)} {}

result<api_answer> api_client::submit(std::string_view link, const std::stop_token& stop) const {
    net::http_request request;
    request.method = net::http_method::post;
    request.url = connection_.server + "/api/v1/reels/analyze";
    request.headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", random_key()}};
    // A link that is no UTF-8 is the server's to refuse, not ours to throw at.
    request.body = json{{"url", link}}.dump(-1, ' ', false, json::error_handler_t::replace);
    return send(std::move(request), answer_time_max, stop);
}

result<api_answer> api_client::job(
    std::int64_t id, std::chrono::seconds wait, const std::stop_token& stop) const {
    invariant(wait >= 0s && wait <= bounds::wait_max);
    net::http_request request;
    request.url = fmt::format("{}/api/v1/reels/{}", connection_.server, id);
    if (wait > 0s) request.url += fmt::format("?wait={}", wait.count());
    return send(std::move(request), answer_time_max + wait, stop);
}

result<api_answer> api_client::send(
    net::http_request request, std::chrono::seconds answer_time,
    const std::stop_token& stop) const {
    request.headers.push_back({"Authorization", "Bearer " + connection_.token});
    request.headers.push_back({"User-Agent", "reels/" REELSD_VERSION});
    request.response_bytes_max = response_bytes_max;
    for (int made = 1;; ++made) {
        auto [answer, outcome] =
            judged(http_.send(request, deadline::after(answer_time), stop), connection_.server);
        if (answer || is_final(answer.error().code())) return answer;
        const auto delay = delay_before_next(policy_, made, outcome);
        if (!delay) return answer;
        on_retry_(fmt::format("{}; trying again in {} s", answer.error().detail(), delay->count()));
        if (!pause(*delay, stop)) return error{errc::cancelled};
    }
}

}  // namespace reelsd::cli
