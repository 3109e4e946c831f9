#include "sd_notify.hpp"

#include <reelsd/base/unique_fd.hpp>

#include <fmt/format.h>
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

namespace reelsd::app {
namespace {

constexpr const char* socket_variable = "NOTIFY_SOCKET";
/// Clients must not wait longer for a service manager that does not read.
constexpr timeval send_time_max{.tv_sec = 1, .tv_usec = 0};

error notify_failed(int code) {
    return error{
        errc::internal,
        fmt::format("the service manager: {}", std::generic_category().message(code))};
}

/// systemd compares it with the time of its signal.
std::uint64_t monotonic_microseconds() {
    timespec now{};
    // Fails only for a clock that does not exist.
    static_cast<void>(::clock_gettime(CLOCK_MONOTONIC, &now));
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

}  // namespace

result<service_notifier> service_notifier::from_environment() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no threads yet
    const char* const named = std::getenv(socket_variable);
    if (named == nullptr) return service_notifier{};
    auto notifier = to(named);
    ::unsetenv(socket_variable);  // NOLINT(concurrency-mt-unsafe): no threads yet
    return notifier;
}

result<service_notifier> service_notifier::to(std::string_view socket) {
    service_notifier notifier;
    if (socket.empty()) return notifier;
    const bool is_named = socket.front() == '/' || socket.front() == '@';
    if (!is_named || socket.size() >= sizeof notifier.address_.sun_path) {
        return error{
            errc::invalid_argument,
            fmt::format("{}: \"{}\" cannot be a socket", socket_variable, socket)};
    }
    notifier.address_.sun_family = AF_UNIX;
    std::copy(socket.begin(), socket.end(), std::begin(notifier.address_.sun_path));
    // In the abstract namespace, the name follows a zero byte and is not terminated.
    if (socket.front() == '@') notifier.address_.sun_path[0] = '\0';
    notifier.address_bytes_ = static_cast<socklen_t>(
        offsetof(sockaddr_un, sun_path) + socket.size() +
        (socket.front() == '/' ? std::size_t{1} : std::size_t{0}));
    return notifier;
}

result<void> service_notifier::reloading() const {
    return send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_microseconds()));
}

result<void> service_notifier::send(std::string_view state) const {
    if (address_bytes_ == 0) return {};
    const unique_fd socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (!socket) return notify_failed(errno);
    if (::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &send_time_max, sizeof send_time_max) !=
        0) {
        return notify_failed(errno);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how the call takes addresses
    const auto* const address = reinterpret_cast<const sockaddr*>(&address_);
    const auto sent =
        ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL, address, address_bytes_);
    if (sent < 0) return notify_failed(errno);
    return {};
}

}  // namespace reelsd::app
