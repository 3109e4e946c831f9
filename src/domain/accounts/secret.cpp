#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <boost/crc.hpp>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace reelsd::accounts {
namespace {

constexpr std::size_t secret_characters = 43;

/// Discards bytes from 248 on, because 256 is not a multiple of 62.
char random_character() {
    constexpr unsigned usable = 256U / 62U * 62U;
    for (;;) {
        unsigned char byte = 0;
        if (RAND_bytes(&byte, 1) != 1) throw std::runtime_error{"no random bytes from the system"};
        if (byte < usable) return base62_digits[byte % base62_digits.size()];
    }
}

constexpr std::string_view scheme = "rls_";
constexpr std::size_t random_count = 34;
constexpr std::size_t checksum_characters = 6;
constexpr std::size_t token_characters = scheme.size() + random_count + checksum_characters;
constexpr std::size_t name_characters_max = 100;

/// 6 digits in base 62 hold all 32 bits of the CRC, most significant first.
std::string checksum_of(std::string_view text) {
    boost::crc_32_type crc;
    crc.process_bytes(text.data(), text.size());
    auto rest = crc.checksum();
    std::string digits(checksum_characters, base62_digits.front());
    for (auto at = digits.size(); at > 0; --at) {
        digits[at - 1] = base62_digits[rest % base62_digits.size()];
        rest /= static_cast<unsigned>(base62_digits.size());
    }
    return digits;
}

/// Whether a byte is a base 62 digit. Measured: searching the digits instead takes a quarter of a
/// token's check.
constexpr auto is_base62_digit = [] {
    std::array<bool, 256> table{};
    for (const char letter : base62_digits) table[static_cast<unsigned char>(letter)] = true;
    return table;
}();

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
    // One state for each thread, because creating it takes longer than hashing a token.
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

std::string generate_token() {
    std::string token{scheme};
    token += random_characters(random_count);
    return token + checksum_of(token);
}

result<token_hash> hash_of_token(std::string_view token) {
    const auto refusal = [] { return error{errc::unauthorized, std::string{token_invalid_text}}; };
    if (token.size() != token_characters || !token.starts_with(scheme)) return refusal();
    const auto body = token.substr(scheme.size());
    const auto fits = [](unsigned char byte) { return is_base62_digit[byte]; };
    if (!std::all_of(body.begin(), body.end(), fits)) return refusal();
    const auto signed_part = token.substr(0, token.size() - checksum_characters);
    if (checksum_of(signed_part) != token.substr(signed_part.size())) return refusal();

    return sha256_of(token);
}

result<void> check_token_name(std::string_view name) {
    const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    const auto characters = code_point_count(name);
    const bool printable = std::none_of(name.begin(), name.end(), is_control) &&
                           name.find_first_not_of(' ') != std::string_view::npos;
    if (printable && characters >= 1 && characters <= name_characters_max) return {};
    return error{errc::invalid_argument, "name: 1 to 100 printable characters are allowed"};
}

std::string prefix_of_token(std::string_view token) {
    return std::string{token.substr(0, scheme.size() + 4)};
}

result<token_hash> token_of_authorization(std::string_view header_value) {
    const auto required = [] {
        return error{errc::unauthorized, std::string{token_required_text}};
    };
    const auto end_of_scheme = header_value.find(' ');
    if (!equals_ignoring_case(header_value.substr(0, end_of_scheme), "Bearer")) return required();
    if (end_of_scheme == std::string_view::npos) return required();
    const auto start = header_value.find_first_not_of(' ', end_of_scheme);
    if (start == std::string_view::npos) return required();
    const auto end = header_value.find_last_not_of(" \t");
    return hash_of_token(header_value.substr(start, end - start + 1));
}

}  // namespace reelsd::accounts
