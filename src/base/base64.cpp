#include <reelsd/base/base64.hpp>

#include <openssl/evp.h>

namespace reelsd {

std::string base64_encoded(std::span<const std::byte> bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // EVP_EncodeBlock ends with a NUL.
    const int size = EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(text.data()),
        reinterpret_cast<const unsigned char*>(bytes.data()),
        static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::optional<std::vector<std::byte>> base64_decoded(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::vector<std::byte> bytes(text.size() / 4 * 3);
    const int size = EVP_DecodeBlock(
        reinterpret_cast<unsigned char*>(bytes.data()),
        reinterpret_cast<const unsigned char*>(text.data()),
        static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    // EVP_DecodeBlock decodes padding as zero bits, and skips whitespace at both ends.
    const auto padding = text.ends_with("==") ? 2U : text.ends_with('=') ? 1U : 0U;
    bytes.resize(static_cast<std::size_t>(size) - padding);
    if (base64_encoded(bytes) != text) return std::nullopt;
    return bytes;
}

}  // namespace reelsd
