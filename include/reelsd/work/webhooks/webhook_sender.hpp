#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/webhooks/delivery.hpp>
#include <reelsd/net/address_guard.hpp>
#include <reelsd/net/http_client.hpp>

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::work {

struct webhook_sender_settings {
    /// REELSD_WEBHOOK_NETWORKS. Receivers there may be private and use plain http and any port.
    std::vector<ip_network> networks = {};
    std::optional<net::proxy> by_proxy = {};
    std::string ca_file = {};  ///< Empty: the system's.
    std::string user_agent = {};
};

/// A try, with details of a failure for logs.
struct sent_webhook {
    webhooks::delivery_try ended;
    std::string detail = {};
};

/// Sends webhooks of ended jobs. Blocking; thread-safe.
class webhook_sender {
public:
    explicit webhook_sender(webhook_sender_settings settings);

    /// Checks whether `url` is allowed by its text; each try checks the addresses of its host. The
    /// text of the error, invalid_argument, continues the name of a field: "must be an https URL".
    /// Pure.
    [[nodiscard]] result<void> check(std::string_view url) const;

    /// Sends one signed POST of the job; follows no redirects. `delivery` has address and secret.
    [[nodiscard]] sent_webhook send(
        const webhooks::claimed_delivery& delivery, const std::stop_token& stop) const;

    /// The same on a thread of `threads`. Errors: limit_reached when none is free within 2 s. This
    /// and `threads` outlive it.
    [[nodiscard]] awaitable<result<webhooks::delivery_try>> send_on(
        async::offload_pool& threads, webhooks::claimed_delivery delivery,
        std::stop_token stop) const;

private:
    std::string user_agent_;
    bool takes_plain_http_;
    net::address_guard guard_;
    net::http_client client_;
};

}  // namespace reelsd::work
