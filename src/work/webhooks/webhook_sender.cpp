#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/work/webhooks/webhook_sender.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace reelsd::work {
namespace {

/// Upper bound on the bytes read of a response; the rest is ignored.
constexpr std::size_t answer_bytes_max = std::size_t{16} * 1024;
constexpr std::chrono::milliseconds connect_time_max{10'000};
/// Bytes of a response that the log shows.
constexpr std::size_t shown_bytes_max = 1024;
/// Upper bound on a test's wait for a thread.
constexpr std::chrono::milliseconds thread_time_max{2'000};

net::address_policy policy_of(const webhook_sender_settings& settings) {
    return {
        .networks = settings.networks,
        .plain_in_networks = true,
        .networks_setting = "webhook-networks"};
}

error unusable(const char* why) {
    return error{errc::invalid_argument, why};
}

net::http_request request_for(
    const webhooks::claimed_delivery& delivery, const std::string& user_agent) {
    net::http_request request{
        .method = net::http_method::post,
        .url = delivery.url.value(),
        .body = webhooks::delivery_body(delivery),
        // No connection reuse: a request over a dead connection would be sent twice.
        .fresh_connection = true,
        .compressed = false,
        .connect_time_max = connect_time_max};
    const webhooks::signed_message message{
        .id = delivery.message_id,
        .timestamp =
            std::chrono::floor<std::chrono::seconds>(wall_clock_now()).time_since_epoch().count(),
        .body = request.body};
    request.headers = {
        {.name = "Content-Type", .value = "application/json"},
        {.name = "User-Agent", .value = user_agent},
        {.name = "Accept", .value = "*/*"},
        // A receiver that serves one connection at a time must not wait for this one.
        {.name = "Connection", .value = "close"},
        {.name = "webhook-id", .value = delivery.message_id},
        {.name = "webhook-timestamp", .value = std::to_string(message.timestamp)},
        {.name = "webhook-signature", .value = webhooks::signatures_of(message, delivery.secrets)}};
    return request;
}

std::string_view phrase_of(net::connection_fault fault) {
    switch (fault) {
        case net::connection_fault::host_not_found: return "host name not found";
        case net::connection_fault::refused: return "connection refused";
        case net::connection_fault::unreachable: return "host not reachable";
        case net::connection_fault::slow: return "no connection within 10 seconds";
        case net::connection_fault::certificate_invalid: return "TLS certificate invalid";
        case net::connection_fault::tls_failed: return "TLS handshake failed";
        case net::connection_fault::lost: break;
    }
    return "the connection was lost before the answer";
}

}  // namespace

webhook_sender::webhook_sender(webhook_sender_settings settings)
    : user_agent_{std::move(settings.user_agent)},
      takes_plain_http_{!settings.networks.empty()},
      guard_{policy_of(settings)},
      client_{
          {.policy = policy_of(settings),
           .by_proxy = std::move(settings.by_proxy),
           .ca_file = std::move(settings.ca_file)}} {}

result<void> webhook_sender::check(std::string_view url) const {
    if (url.size() > bounds::url_characters_max) return unusable("must be at most 2048 characters");
    const auto target = net::url::parse(url);
    if (!target) {
        return unusable(
            takes_plain_http_
                ? "must be an http or https URL without user name and password, in ASCII "
                  "(punycode, percent escapes), with a valid port"
                : "must be an https URL without user name and password, in ASCII (punycode, "
                  "percent escapes), with a valid port");
    }
    if (guard_.check(*target)) return {};
    const auto literal = parse_ip_address(target->host());
    const bool is_inward = literal && net::reach_of(*literal) != net::reach::world;
    if (!is_inward) {
        if (target->scheme() != "https")
            return unusable("must be an https URL; http is only for REELSD_WEBHOOK_NETWORKS");
        if (!target->has_default_port()) return unusable("must not name a port other than 443");
    }
    return unusable(
        "must lead to a public address, or to a private network in REELSD_WEBHOOK_NETWORKS");
}

sent_webhook webhook_sender::send(
    const webhooks::claimed_delivery& delivery, const std::stop_token& stop) const {
    invariant(delivery.url && !delivery.secrets.empty());
    auto request = request_for(delivery, user_agent_);
    sent_webhook sent;
    std::optional<int> status;
    std::size_t answer_bytes = 0;
    request.on_head = [&](const net::response_head& head) -> result<void> {
        status = head.status;
        if (const auto field = head.headers.find("Retry-After")) {
            sent.ended.retry_after = webhooks::retry_after_in(*field, wall_clock_now());
        }
        return {};
    };
    std::string shown;
    request.sink = [&](std::span<const std::byte> piece) -> result<void> {
        answer_bytes += piece.size();
        const auto room = shown_bytes_max - shown.size();
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes of text
        shown.append(reinterpret_cast<const char*>(piece.data()), std::min(room, piece.size()));
        if (answer_bytes <= answer_bytes_max) return {};
        return error{errc::limit_reached, "more is not read"};
    };
    request.on_fault = [&](net::connection_fault fault) { sent.ended.fault = phrase_of(fault); };
    const auto by = deadline::after(
        std::chrono::duration_cast<deadline::clock::duration>(webhooks::try_time_max));
    const auto answer = client_.send(request, by, stop);
    // A truncated response does not count; one longer than the limit does.
    const bool is_answered = answer || answer.error().code() == errc::limit_reached;
    if (is_answered) {
        sent.ended.status_code = status;
        sent.ended.answer = webhooks::answer_text(shown);
    } else {
        sent.ended.failure = answer.error().code();
        sent.detail = answer.error().detail();
    }
    return sent;
}

awaitable<result<webhooks::delivery_try>> webhook_sender::send_on(
    async::offload_pool& threads, webhooks::claimed_delivery delivery, std::stop_token stop) const {
    const auto work = [&] { return send(delivery, stop).ended; };
    auto ended = co_await threads.run(deadline::after(thread_time_max), work);
    if (!ended)
        co_return error{errc::limit_reached, "too many webhook tests are running; try again"};
    co_return ended;
}

}  // namespace reelsd::work
