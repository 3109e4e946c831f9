#include <reelsd/base/descriptor_io.hpp>

#include <unistd.h>

#include <cerrno>

namespace reelsd {

std::size_t write_all(int descriptor, std::span<const std::byte> bytes) noexcept {
    std::size_t written = 0;
    while (written < bytes.size()) {
        const auto rest = bytes.subspan(written);
        const auto count = ::write(descriptor, rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        written += static_cast<std::size_t>(count);
    }
    return written;
}

std::size_t write_all(int descriptor, std::string_view text) noexcept {
    return write_all(descriptor, std::as_bytes(std::span{text}));
}

std::optional<std::string> read_at_most(int descriptor, std::size_t bytes_max) {
    std::string text(bytes_max, '\0');
    std::size_t length = 0;
    while (length < bytes_max) {
        const auto count = ::read(descriptor, text.data() + length, bytes_max - length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        if (count == 0) break;
        length += static_cast<std::size_t>(count);
    }
    text.resize(length);
    return text;
}

}  // namespace reelsd
