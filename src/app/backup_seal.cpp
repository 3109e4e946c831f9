#include "backup_seal.hpp"

#include <reelsd/base/unique_fd.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view seal_begin = "\nreelsd backup, sha256 ";
constexpr std::size_t digest_bytes = 32;
constexpr std::size_t seal_bytes = seal_begin.size() + 2 * digest_bytes + 1;

struct digest_deleter {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using digest_ptr = std::unique_ptr<EVP_MD_CTX, digest_deleter>;

error seal_error(int number) {
    return error{errc::storage_failed, "the backup: " + std::generic_category().message(number)};
}

error digest_error() {
    return error{errc::internal, "SHA-256 cannot be had"};
}

/// As many bytes as there are, up to `most`.
result<std::string> read_at(int file, std::uint64_t at, std::size_t most) {
    std::string piece(most, '\0');
    ssize_t count = 0;
    do {
        count = ::pread(file, piece.data(), piece.size(), static_cast<off_t>(at));
    } while (count < 0 && errno == EINTR);
    if (count < 0) return seal_error(errno);
    piece.resize(static_cast<std::size_t>(count));
    return piece;
}

/// The seal of a file's first `size` bytes.
result<std::string> seal_of(
    int file, std::uint64_t size, deadline by, const std::stop_token& stop) {
    constexpr std::size_t piece_bytes = std::size_t{1024} * 1024;
    const digest_ptr digest{EVP_MD_CTX_new()};
    if (!digest || EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) != 1) {
        return digest_error();
    }
    for (std::uint64_t at = 0; at < size;) {
        if (stop.stop_requested()) return error{errc::cancelled, "interrupted"};
        if (by.passed()) return error{errc::timed_out, "the backup was not read in time"};
        const auto piece = read_at(file, at, std::min<std::uint64_t>(piece_bytes, size - at));
        if (!piece) return piece.error();
        if (piece->empty()) return error{errc::storage_failed, "the backup has shrunk"};
        if (EVP_DigestUpdate(digest.get(), piece->data(), piece->size()) != 1) {
            return digest_error();
        }
        at += piece->size();
    }
    std::array<unsigned char, digest_bytes> bytes{};
    if (EVP_DigestFinal_ex(digest.get(), bytes.data(), nullptr) != 1) return digest_error();
    std::string seal{seal_begin};
    for (const auto one : bytes) seal += fmt::format("{:02x}", one);
    return seal + "\n";
}

result<std::uint64_t> size_of_open(int file) {
    const auto end = ::lseek(file, 0, SEEK_END);
    if (end < 0) return seal_error(errno);
    return static_cast<std::uint64_t>(end);
}

}  // namespace

result<void> seal_backup(int file, deadline by, const std::stop_token& stop) {
    const auto size = size_of_open(file);
    if (!size) return size.error();
    const auto seal = seal_of(file, *size, by, stop);
    if (!seal) return seal.error();
    const auto written = ::pwrite(file, seal->data(), seal->size(), static_cast<off_t>(*size));
    if (written < 0) return seal_error(errno);
    if (static_cast<std::size_t>(written) != seal->size()) return seal_error(ENOSPC);
    return {};
}

result<void> check_seal(const fs::path& file, deadline by, const std::stop_token& stop) {
    const unique_fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!opened) {
        return error{
            errc::storage_failed,
            fmt::format("{}: {}", file.string(), std::generic_category().message(errno))};
    }
    const auto size = size_of_open(opened.get());
    if (!size) return size.error();
    const auto refused = [&file](std::string_view why) {
        return error{errc::invalid_argument, fmt::format("{} {}", file.string(), why)};
    };
    constexpr std::string_view no_seal = "is no whole backup of reelsd: its last line is missing";
    if (*size < seal_bytes) return refused(no_seal);
    const auto there = read_at(opened.get(), *size - seal_bytes, seal_bytes);
    if (!there) return there.error();
    if (!there->starts_with(seal_begin)) return refused(no_seal);
    const auto expected = seal_of(opened.get(), *size - seal_bytes, by, stop);
    if (!expected) return expected.error();
    if (*there != *expected) return refused("is damaged: its checksum does not fit");
    return {};
}

}  // namespace reelsd::app
