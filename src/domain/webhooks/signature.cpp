#include <reelsd/base/base64.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/webhooks/signature.hpp>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>

namespace reelsd::webhooks {
namespace {

constexpr std::string_view secret_prefix = "whsec_";
constexpr std::size_t secret_bytes = 32;

}  // namespace

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
        const auto* const made = HMAC(
            EVP_sha256(),
            key->data(),
            static_cast<int>(key->size()),
            reinterpret_cast<const unsigned char*>(content.data()),
            content.size(),
            digest.data(),
            &size);
        invariant(made != nullptr);
        if (!signatures.empty()) signatures.append(" ");
        signatures.append("v1,").append(
            base64_encoded(std::as_bytes(std::span{digest}.first(size))));
    }
    return signatures;
}

}  // namespace reelsd::webhooks
