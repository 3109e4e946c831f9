#pragma once

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

}  // namespace reelsd::accounts
