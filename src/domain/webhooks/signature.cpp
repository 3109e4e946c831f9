#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/webhooks/signature.hpp>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

namespace reelsd::webhooks {
namespace {

constexpr std::string_view secret_prefix = "whsec_";
constexpr std::size_t secret_bytes = 32;

using octets = std::vector<unsigned char>;

std::string base64_of(std::span<const unsigned char> bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int size = EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(text.data()),
        bytes.data(),
        static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::optional<octets> bytes_of(std::string_view base64) {
    octets bytes(3 * (base64.size() / 4));
    const int size = EVP_DecodeBlock(
        bytes.data(),
        reinterpret_cast<const unsigned char*>(base64.data()),
        static_cast<int>(base64.size()));
    if (size < 0) return std::nullopt;
    // The padding is decoded as zeros.
    const auto padding = base64.size() - (base64.find_last_not_of('=') + 1);
    bytes.resize(static_cast<std::size_t>(size) - padding);
    return bytes;
}

}  // namespace

std::string generate_webhook_secret() {
    std::array<unsigned char, secret_bytes> key{};
    if (RAND_bytes(key.data(), static_cast<int>(key.size())) != 1) {
        throw std::runtime_error{"no random bytes from the system"};
    }
    return std::string{secret_prefix}.append(base64_of(key));
}

std::string signatures_of(const signed_message& message, std::span<const std::string> secrets) {
    std::string content{message.id};
    content.append(".").append(std::to_string(message.timestamp)).append(".").append(message.body);
    std::string signatures;
    for (const std::string_view secret : secrets) {
        if (!secret.starts_with(secret_prefix)) continue;
        const auto key = bytes_of(secret.substr(secret_prefix.size()));
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
        signatures.append("v1,").append(base64_of(std::span{digest}.first(size)));
    }
    return signatures;
}

}  // namespace reelsd::webhooks
