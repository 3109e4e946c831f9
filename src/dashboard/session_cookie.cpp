#include "session_cookie.hpp"

#include <reelsd/base/text.hpp>
#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/domain/accounts/session_store.hpp>

#include <fmt/format.h>

namespace reelsd::dashboard {
namespace {

constexpr std::string_view session_name = "reelsd_session";
constexpr std::string_view device_name = "reelsd_device";
/// Browsers keep no cookie for longer than 400 days.
constexpr std::chrono::hours device_life{24 * 400};

std::string full_name(std::string_view name, bool is_secure) {
    return fmt::format("{}{}", is_secure ? "__Host-" : "", name);
}

std::string cookie(
    std::string_view name, std::string_view value, std::chrono::seconds life, bool is_secure) {
    return fmt::format(
        "{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}",
        full_name(name, is_secure),
        value,
        life.count(),
        is_secure ? "; Secure" : "");
}

/// The only value of that name that `fits`.
template <class Fits>
std::optional<std::string_view> only_value(
    std::string_view cookie_header, const std::string& name, const Fits& fits) {
    std::optional<std::string_view> only;
    while (!cookie_header.empty()) {
        const auto end = cookie_header.find(';');
        const auto pair = trimmed(cookie_header.substr(0, end), " ");
        cookie_header.remove_prefix(end == std::string_view::npos ? cookie_header.size() : end + 1);
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
        const auto value = pair.substr(equals + 1);
        if (!fits(value)) continue;
        if (only) return std::nullopt;
        only = value;
    }
    return only;
}

std::string hex_of(const accounts::secret_hash& hash) {
    std::string text;
    for (const auto byte : hash) text += fmt::format("{:02x}", byte);
    return text;
}

/// The random part comes last and has one length: nothing can be appended to what was hashed.
std::string device_mark(std::string_view password_hash, std::string_view random) {
    return hex_of(accounts::sha256_of(fmt::format("reelsd device {} {}", password_hash, random)));
}

constexpr char proof_separator = '.';

bool is_device_proof(std::string_view text) {
    constexpr std::size_t mark_size = 64;
    const auto separator = text.find(proof_separator);
    return separator != std::string_view::npos &&
           accounts::hash_of_secret(text.substr(0, separator)) &&
           text.size() - separator - 1 == mark_size;
}

}  // namespace

std::optional<std::string_view> session_secret_in(std::string_view cookie_header, bool is_secure) {
    return only_value(
        cookie_header, full_name(session_name, is_secure), [](std::string_view value) {
            return accounts::hash_of_secret(value).has_value();
        });
}

std::string session_cookie(std::string_view secret, bool is_secure) {
    return cookie(session_name, secret, accounts::session_life_max, is_secure);
}

std::string ended_session_cookie(bool is_secure) {
    return cookie(session_name, "", std::chrono::seconds{0}, is_secure);
}

std::string new_device_proof(std::string_view password_hash) {
    const auto random = accounts::generate_secret();
    return fmt::format("{}{}{}", random, proof_separator, device_mark(password_hash, random));
}

bool proves_device(std::string_view proof, std::string_view password_hash) {
    if (!is_device_proof(proof)) return false;
    const auto random = proof.substr(0, proof.find(proof_separator));
    // Compared as hashes: how long that takes tells nothing of the mark.
    const auto given = accounts::sha256_of(proof.substr(random.size() + 1));
    return given == accounts::sha256_of(device_mark(password_hash, random));
}

std::optional<std::string_view> device_proof_in(std::string_view cookie_header, bool is_secure) {
    return only_value(cookie_header, full_name(device_name, is_secure), is_device_proof);
}

std::string device_cookie(std::string_view proof, bool is_secure) {
    return cookie(device_name, proof, device_life, is_secure);
}

std::string csrf_token_of(std::string_view session_secret) {
    return hex_of(accounts::sha256_of(fmt::format("reelsd csrf {}", session_secret)));
}

}  // namespace reelsd::dashboard
