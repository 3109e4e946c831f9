#pragma once

#include <reelsd/base/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::accounts {

/// SHA-256 of a secret or token; the plain text is not stored.
using secret_hash = std::array<std::uint8_t, 32>;

/// The characters of secrets and tokens.
inline constexpr std::string_view base62_digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns random characters of `base62_digits` from the system's generator, 5.95 bits each. Throws
/// when the system has no random bytes.
[[nodiscard]] std::string random_characters(std::size_t characters);

[[nodiscard]] secret_hash sha256_of(std::string_view text) noexcept;

/// A secret of a session or an invitation: 43 characters, 256 bits.
[[nodiscard]] std::string generate_secret();

/// Returns the hash to look a secret up by; empty when its form is wrong.
[[nodiscard]] std::optional<secret_hash> hash_of_secret(std::string_view secret) noexcept;

using token_hash = secret_hash;

/// A new API token: `rls_`, 34 random characters of [A-Za-z0-9] (202 bits), and a checksum of 6
/// characters, which detects typing errors without a look-up.
[[nodiscard]] std::string generate_token();

/// Returns the hash to look a token up by. Errors: unauthorized when its form or checksum is wrong.
[[nodiscard]] result<token_hash> hash_of_token(std::string_view token);

/// The first 8 characters, which identify a token to its owner: "rls_Ab3d".
[[nodiscard]] std::string prefix_of_token(std::string_view token);

/// Checks the name of a token: 1 to 100 printable characters. Errors: invalid_argument.
[[nodiscard]] result<void> check_token_name(std::string_view name);

/// Error texts for a missing header and an invalid token, as in docs/openapi.yaml.
inline constexpr std::string_view token_required_text =
    "API token required (Authorization: Bearer rls_...)";
inline constexpr std::string_view token_invalid_text = "invalid API token";

/// Returns the hash of the token in an `Authorization` header. Errors: unauthorized with the text
/// for the client when the header is empty, has another scheme or no valid token.
[[nodiscard]] result<token_hash> token_of_authorization(std::string_view header_value);

}  // namespace reelsd::accounts
