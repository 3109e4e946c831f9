#include "secret_file.hpp"

#include <reelsd/base/unique_fd.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

namespace reelsd::app {
namespace {

/// A connection string with every option of libpq has some hundred bytes, a key fewer. More is
/// another file than was meant.
constexpr std::size_t secret_bytes_max = 4096;

/// Up to one byte more than is allowed; empty with `errno` set when it cannot be read.
std::optional<std::string> read_start_of(const std::string& file) {
    const unique_fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!opened) return std::nullopt;
    struct ::stat kind {};
    // A pipe without data yet would look like a secret that is not set.
    if (::fstat(opened.get(), &kind) != 0 || !S_ISREG(kind.st_mode)) {
        errno = S_ISDIR(kind.st_mode) ? EISDIR : EINVAL;
        return std::nullopt;
    }
    std::string text;
    std::array<char, secret_bytes_max + 1> piece{};
    while (text.size() <= secret_bytes_max) {
        const auto got = ::read(opened.get(), piece.data(), piece.size() - text.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) break;
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text;
}

}  // namespace

result<std::string> read_secret_file(std::string_view variable, const std::string& file) {
    const auto refuse = [&](std::string_view why) {
        return error{errc::invalid_argument, fmt::format("{}: {}: {}", variable, file, why)};
    };
    auto text = read_start_of(file);
    if (!text) return refuse(std::generic_category().message(errno));
    if (text->size() > secret_bytes_max) {
        return refuse(fmt::format("is larger than {} bytes", secret_bytes_max));
    }
    if (text->ends_with('\n')) text->pop_back();
    if (text->ends_with('\r')) text->pop_back();
    if (text->find_first_of(std::string_view{"\n\r\0", 3}) != std::string::npos) {
        return refuse("is more than one line of text");
    }
    return std::move(*text);
}

}  // namespace reelsd::app
