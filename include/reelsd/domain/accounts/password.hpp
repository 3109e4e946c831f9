#pragma once

#include <reelsd/base/result.hpp>

#include <string>
#include <string_view>

namespace reelsd::accounts {

/// Checks a new password: 10 to 200 characters of UTF-8 without control characters, and not the
/// e-mail address. Errors: invalid_argument with the text for the user. No rules about kinds of
/// characters, which make worse passwords. Source: NIST SP 800-63B 5.1.1.2.
[[nodiscard]] result<void> check_new_password(std::string_view password, std::string_view email);

/// Checks an account's e-mail address: both parts, no spaces, at most 254 characters. Errors:
/// invalid_argument.
[[nodiscard]] result<void> check_email(std::string_view email);

/// Returns an Argon2id hash with a new salt. Two passes over 64 MiB, about 0.1 s of one core. Not
/// on the loop's thread. Throws std::bad_alloc.
[[nodiscard]] std::string hash_password(std::string_view password);

/// Whether `stored` is a hash of `password`. Costs as much as hashing.
[[nodiscard]] bool matches_password(const std::string& stored, std::string_view password);

/// A hash that no password matches, so that unknown addresses are refused as slowly as known ones.
[[nodiscard]] const std::string& unmatchable_password_hash();

}  // namespace reelsd::accounts
