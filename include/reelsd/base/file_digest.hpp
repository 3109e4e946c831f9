#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace reelsd {

/// Incremental SHA-256 digest.
class file_digest {
public:
    file_digest();

    void add(std::span<const std::byte> piece) noexcept;
    void add(std::string_view text) noexcept { add(std::as_bytes(std::span{text})); }
    void restart() noexcept;
    /// 64 hexadecimal digits in lower case. Ends the digest: restart() it before adding more.
    [[nodiscard]] std::string hex();

private:
    struct deleter {
        void operator()(evp_md_ctx_st* context) const noexcept;
    };

    std::unique_ptr<evp_md_ctx_st, deleter> context_;
};

/// Digest of a whole text, as file_digest::hex().
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace reelsd
