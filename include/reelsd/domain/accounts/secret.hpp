#pragma once

#include <reelsd/base/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::accounts {

/// SHA-256 of a secret: all that is ever stored of one.
using secret_hash = std::array<std::uint8_t, 32>;

/// The characters of secrets and tokens.
inline constexpr std::string_view base62_digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `characters` of `base62_digits`, each as likely as the others, from the system's generator: 5.95
/// bits each. Throws when the system has no random bytes.
[[nodiscard]] std::string random_characters(std::size_t characters);

[[nodiscard]] secret_hash sha256_of(std::string_view text) noexcept;

/// What opens a session or an invitation: 43 characters, 256 bits. Show it once and forget it.
[[nodiscard]] std::string generate_secret();

/// The hash to look a secret up by; nothing when the form is wrong.
[[nodiscard]] std::optional<secret_hash> hash_of_secret(std::string_view secret) noexcept;

/// SHA-256 of a token: all that is ever stored of it.
using token_hash = secret_hash;

/// A new API token: `rls_`, 34 random characters of [A-Za-z0-9] (202 bits from the system's
/// generator), then 6 characters of checksum, so that a typing error or a scanner's false alarm is
/// told apart without a look-up. The only place where the plain text exists; show it once and
/// forget it.
[[nodiscard]] std::string generate_token();

/// The hash to look a token up by; `unauthorized` when the form or the checksum is wrong.
[[nodiscard]] result<token_hash> hash_of_token(std::string_view token);

/// The first 8 characters, by which people tell their tokens apart: "rls_Ab3d".
[[nodiscard]] std::string prefix_of_token(std::string_view token);

/// A name for a token: 1 to 100 characters, none of them a control character. `invalid_argument`
/// otherwise.
[[nodiscard]] result<void> check_token_name(std::string_view name);

/// What the client learns of a missing header and of a bad token. Source: contract section 2.
inline constexpr std::string_view token_required_text =
    "API token required (Authorization: Bearer rls_...)";
inline constexpr std::string_view token_invalid_text = "invalid API token";

/// The token in an `Authorization` header; `unauthorized` with the text for the client when there
/// is no header, another scheme (whose name has no letter case) or no valid token.
[[nodiscard]] result<token_hash> token_of_authorization(std::string_view header_value);

}  // namespace reelsd::accounts
