#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/db/store.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The remote model that an administrator has entered (ADR 50).
namespace reelsd::models {

/// Encrypts and authenticates what the database stores, with libsodium's secretbox.
class sealing_key {
public:
    static constexpr std::size_t size = 32;  ///< crypto_secretbox_KEYBYTES

    /// Reads a file of 32 bytes. Blocking. Errors: not_found; storage_failed for a file that cannot
    /// be read or has another size. The detail names the file.
    [[nodiscard]] static result<sealing_key> load(const std::filesystem::path& file);

    /// Reads the file, or creates it with mode 0600. If several processes create the key, all use
    /// the first. Blocking. Errors: storage_failed.
    [[nodiscard]] static result<sealing_key> load_or_create(const std::filesystem::path& file);

    /// Random nonce, then the ciphertext: two seals of one text differ.
    [[nodiscard]] std::vector<std::byte> seal(std::string_view text) const;

    /// Errors: invalid_argument for bytes that this key has not sealed.
    [[nodiscard]] result<std::string> open(std::span<const std::byte> sealed) const;

private:
    std::array<unsigned char, size> bytes_{};
};

struct sealed_model {
    std::vector<std::byte> sealed;
    time_point changed_at;

    friend bool operator==(const sealed_model&, const sealed_model&) = default;
};

/// At most one model is stored.
class model_store : public db::store {
public:
    using db::store::store;

    awaitable<std::optional<sealed_model>> find(deadline by);
    /// Replaces the stored model. `sealed`: 1 to 16,384 bytes.
    awaitable<void> keep(std::vector<std::byte> sealed, deadline by);
    awaitable<bool> remove(deadline by);
};

}  // namespace reelsd::models
