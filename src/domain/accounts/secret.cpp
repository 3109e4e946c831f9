#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <memory>
#include <stdexcept>

namespace reelsd::accounts {
namespace {

constexpr std::size_t secret_characters = 43;

/// Bytes from 248 on are thrown away, because 256 is no multiple of 62.
char random_character() {
    constexpr unsigned usable = 256U / 62U * 62U;
    for (;;) {
        unsigned char byte = 0;
        if (RAND_bytes(&byte, 1) != 1) throw std::runtime_error{"no random bytes from the system"};
        if (byte < usable) return base62_digits[byte % base62_digits.size()];
    }
}

}  // namespace

std::string random_characters(std::size_t characters) {
    std::string text;
    text.reserve(characters);
    while (text.size() < characters) text.push_back(random_character());
    return text;
}

secret_hash sha256_of(std::string_view text) noexcept {
    secret_hash hash{};
    // Fetched once: SHA256() of OpenSSL 3 looks the method up by its name in every call.
    static const auto* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    // So is what holds its state, by each thread: to make it takes longer than to hash a token.
    thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state{
        EVP_MD_CTX_new(), &EVP_MD_CTX_free};
    unsigned int size = 0;
    const bool done = state && EVP_DigestInit_ex2(state.get(), method, nullptr) == 1 &&
                      EVP_DigestUpdate(state.get(), text.data(), text.size()) == 1 &&
                      EVP_DigestFinal_ex(state.get(), hash.data(), &size) == 1;
    invariant(done && size == hash.size());
    return hash;
}

std::string generate_secret() {
    return random_characters(secret_characters);
}

std::optional<secret_hash> hash_of_secret(std::string_view secret) noexcept {
    if (secret.size() != secret_characters) return std::nullopt;
    if (secret.find_first_not_of(base62_digits) != std::string_view::npos) return std::nullopt;
    return sha256_of(secret);
}

}  // namespace reelsd::accounts
