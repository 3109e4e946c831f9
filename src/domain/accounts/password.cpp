#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/accounts/password.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

namespace reelsd::accounts {
namespace {

constexpr std::size_t password_characters_min = 10;
/// Bounds the time of hashing.
constexpr std::size_t password_characters_max = 200;
constexpr std::size_t email_bytes_max = 254;

void prepare_library() {
    static const bool ready = sodium_init() >= 0;  // Harmless when it has been done.
    if (!ready) throw std::runtime_error{"no random bytes from the system"};
}

bool is_control(unsigned char byte) {
    return byte < ' ' || byte == 0x7f;
}

}  // namespace

result<void> check_new_password(std::string_view password, std::string_view email) {
    const auto characters = code_point_count(password);
    if (characters < password_characters_min || characters > password_characters_max) {
        return error{
            errc::invalid_argument,
            fmt::format(
                "the password must have {} to {} characters",
                password_characters_min,
                password_characters_max)};
    }
    if (std::any_of(password.begin(), password.end(), is_control)) {
        return error{errc::invalid_argument, "the password must not contain control characters"};
    }
    if (password == email) {
        return error{errc::invalid_argument, "the password must not be the e-mail address"};
    }
    return {};
}

result<void> check_email(std::string_view email) {
    const bool printable = std::none_of(email.begin(), email.end(), is_control) &&
                           email.find(' ') == std::string_view::npos;
    const auto at = email.find('@');
    const bool has_both_parts = at != std::string_view::npos && at > 0 && at + 1 < email.size();
    if (printable && has_both_parts && email.size() <= email_bytes_max) return {};
    return error{
        errc::invalid_argument, fmt::format("email: \"{}\" is not an e-mail address", email)};
}

std::string hash_password(std::string_view password) {
    prepare_library();
    std::array<char, crypto_pwhash_STRBYTES> text{};
    const int failed = crypto_pwhash_str_alg(
        text.data(),
        password.data(),
        password.size(),
        crypto_pwhash_OPSLIMIT_INTERACTIVE,
        crypto_pwhash_MEMLIMIT_INTERACTIVE,
        crypto_pwhash_ALG_ARGON2ID13);
    if (failed != 0) throw std::bad_alloc{};
    return text.data();
}

bool matches_password(const std::string& stored, std::string_view password) {
    prepare_library();
    return crypto_pwhash_str_verify(stored.c_str(), password.data(), password.size()) == 0;
}

const std::string& unmatchable_password_hash() {
    static const std::string hash = hash_password(generate_secret());
    return hash;
}

}  // namespace reelsd::accounts
