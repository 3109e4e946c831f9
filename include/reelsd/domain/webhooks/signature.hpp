#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// How receivers know that a delivery is ours. Source: the Standard Webhooks specification.
namespace reelsd::webhooks {

/// "whsec_" and base64 of 32 random bytes. Throws when the system has none.
[[nodiscard]] std::string generate_webhook_secret();

/// What is signed. The views need to live through the call alone.
struct signed_message {
    std::string_view id;         ///< `webhook-id`
    std::int64_t timestamp = 0;  ///< `webhook-timestamp`: Unix seconds of this try.
    std::string_view body;
};

/// `webhook-signature`: "v1,BASE64" for each secret, separated by blanks. A secret that is none of
/// ours signs nothing. Pure.
[[nodiscard]] std::string signatures_of(
    const signed_message& message, std::span<const std::string> secrets);

}  // namespace reelsd::webhooks
