#include <reelsd/base/file_digest.hpp>

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <new>

namespace reelsd {

void file_digest::deleter::operator()(evp_md_ctx_st* context) const noexcept {
    EVP_MD_CTX_free(context);
}

file_digest::file_digest() : context_{EVP_MD_CTX_new()} {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
        throw std::bad_alloc{};
}

void file_digest::add(std::span<const std::byte> piece) noexcept {
    EVP_DigestUpdate(context_.get(), piece.data(), piece.size());
}

void file_digest::restart() noexcept {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
}

std::string file_digest::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
    return fmt::format("{:02x}", fmt::join(std::span{digest}.first(length), ""));
}

std::string sha256_hex(std::string_view text) {
    file_digest digest;
    digest.add(text);
    return digest.hex();
}

}  // namespace reelsd
