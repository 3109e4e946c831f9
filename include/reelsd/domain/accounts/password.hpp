#pragma once

#include <reelsd/base/result.hpp>

#include <string>
#include <string_view>

namespace reelsd::accounts {

/// A password that may be set: 10 to 200 characters of UTF-8 without control characters, and not
/// the e-mail address. `invalid_argument` with the text that its owner reads. Length is what
/// counts: rules about kinds of characters make worse passwords (NIST SP 800-63B 5.1.1.2).
[[nodiscard]] result<void> check_new_password(std::string_view password, std::string_view email);

/// Whether an e-mail address may be an account's: it has both parts, no blanks and at most 254
/// characters. `invalid_argument` otherwise. An address is proved by mail, not by rules.
[[nodiscard]] result<void> check_email(std::string_view email);

/// Argon2id of a password with a new salt, and its cost: two passes over 64 MiB, about 0.1 s of one
/// core. Blocks: off the loop. Throws std::bad_alloc when there is no such memory.
[[nodiscard]] std::string hash_password(std::string_view password);

/// Whether `password` is the one that `stored` was made of. As costly as hashing.
[[nodiscard]] bool matches_password(const std::string& stored, std::string_view password);

/// A hash that no password matches, so that an unknown address takes as long to refuse as a known
/// one.
[[nodiscard]] const std::string& unmatchable_password_hash();

}  // namespace reelsd::accounts
