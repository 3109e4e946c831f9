#include <reelsd/base/base64.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/webhooks/delivery.hpp>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace reelsd::webhooks {
namespace {

/// Multiples of the base: with 5 s, these are 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h and 4 h.
/// The last one is repeated.
constexpr std::array<double, 8> delays_in_bases{1, 6, 24, 120, 360, 720, 1440, 2880};
constexpr double spread_max = 0.1;
/// Retry-After is respected up to at least this, whatever the base.
constexpr seconds_f retry_after_max_min{3600.0};

bool is_final(const delivery_try& ended) {
    if (ended.status_code) return *ended.status_code == 410;
    return ended.failure == errc::address_refused || ended.failure == errc::invalid_argument;
}

constexpr std::string_view secret_prefix = "whsec_";
constexpr std::size_t secret_bytes = 32;

}  // namespace

std::string cause_of(const delivery_try& ended) {
    if (!ended.status_code) {
        switch (ended.failure) {
            case errc::timed_out:
                return fmt::format("no answer within {:g} seconds", try_time_max.count());
            case errc::address_refused:
                return "the address is not allowed: private networks must be in "
                       "REELSD_WEBHOOK_NETWORKS";
            case errc::invalid_argument: return "the address is not a URL";
            case errc::proxy_failed: return "the proxy could not reach the address";
            case errc::connection_failed:
                return ended.fault.empty() ? "no connection, or the connection was lost"
                                           : std::string{ended.fault};
            default: return "internal error";
        }
    }
    const int status = *ended.status_code;
    if (status == 410) return "answered 410: the receiver wants no more deliveries";
    if (status >= 300 && status < 400) {
        return fmt::format("answered {}: redirects are not followed", status);
    }
    return fmt::format("answered {}", status);
}

std::string answer_text(std::string_view bytes) {
    std::string text;
    for (const auto value : code_points_of(bytes)) {
        if (value != U'\0') append_code_point(text, value);
    }
    return text;
}

std::string delivery_body(const claimed_delivery& delivery) {
    auto reel = jobs::job_view(delivery.job);
    if (delivery.is_test) return reel.replace(0, 1, R"({"type":"webhook.test",)");
    if (!delivery.match) return reel;
    const std::string_view match{*delivery.match};
    return fmt::format(
        R"({{"type":"search.matched",{},"reel":{}}})", match.substr(1, match.size() - 2), reel);
}

seconds_f delay_after(int round_tries, seconds_f base, double spread) {
    invariant(round_tries >= 1);
    const auto step = std::min(static_cast<std::size_t>(round_tries), delays_in_bases.size()) - 1;
    return base * delays_in_bases.at(step) * (1 - spread_max + 2 * spread_max * spread);
}

delivery_step step_after(
    const delivery_try& ended, const retry_context& context, seconds_f base, double spread) {
    const auto status = ended.status_code;
    if (status && is_success(*status)) return delivered{*status};
    if (!status && ended.failure == errc::cancelled) return released{};
    auto cause = cause_of(ended);
    if (is_final(ended)) return given_up{status, std::move(cause)};
    auto delay = delay_after(context.round_tries, base, spread);
    if (ended.retry_after && (status == 429 || status == 503)) {
        const auto retry_after_max = std::max(base * delays_in_bases.back(), retry_after_max_min);
        delay = std::max(delay, std::min(*ended.retry_after, retry_after_max));
    }
    if (delay > context.time_left) return given_up{status, std::move(cause)};
    return snoozed{delay, status, std::move(cause)};
}

std::optional<seconds_f> retry_after_in(std::string_view text, time_point now) {
    constexpr std::size_t digits_max = 9;  // 31 years.
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos) {
        std::int64_t seconds = 0;
        text = text.substr(0, digits_max);
        std::from_chars(text.data(), text.data() + text.size(), seconds);
        return seconds_f{static_cast<double>(seconds)};
    }
    const auto date = parse_http_date(std::string{text});
    if (!date) return std::nullopt;
    return std::max<seconds_f>(*date - now.time_since_epoch(), seconds_f{0.0});
}

std::string generate_webhook_secret() {
    std::array<unsigned char, secret_bytes> key{};
    if (RAND_bytes(key.data(), static_cast<int>(key.size())) != 1) {
        throw std::runtime_error{"no random bytes from the system"};
    }
    return std::string{secret_prefix}.append(base64_encoded(std::as_bytes(std::span{key})));
}

std::string signatures_of(const signed_message& message, std::span<const std::string> secrets) {
    std::string content{message.id};
    content.append(".").append(std::to_string(message.timestamp)).append(".").append(message.body);
    std::string signatures;
    for (const std::string_view secret : secrets) {
        if (!secret.starts_with(secret_prefix)) continue;
        const auto key = base64_decoded(secret.substr(secret_prefix.size()));
        if (!key) continue;
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned int size = 0;
        const auto* const written = HMAC(
            EVP_sha256(),
            key->data(),
            static_cast<int>(key->size()),
            reinterpret_cast<const unsigned char*>(content.data()),
            content.size(),
            digest.data(),
            &size);
        invariant(written != nullptr);
        if (!signatures.empty()) signatures.append(" ");
        signatures.append("v1,").append(
            base64_encoded(std::as_bytes(std::span{digest}.first(size))));
    }
    return signatures;
}

}  // namespace reelsd::webhooks
