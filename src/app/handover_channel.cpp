#include "handover_channel.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

constexpr std::string_view socket_suffix = ".sock";
/// While it is not listening yet: found under this name, it would be taken for a dead one's.
constexpr std::string_view unfinished_suffix = ".new";
/// Newcomers that wait to be heard. There are a handful of daemons.
constexpr int backlog = 16;
/// Nobody notices so much at a start.
constexpr std::chrono::milliseconds lock_look_interval{10};

std::string reason_of(int number) {
    return std::generic_category().message(number);
}

error folder_error(const fs::path& folder, const std::string& reason) {
    return error{errc::storage_failed, fmt::format("{}: {}", folder.string(), reason)};
}

/// Packets, not bytes: a message is whole, and its descriptor comes with it.
unique_fd open_socket() {
    return unique_fd{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

std::optional<sockaddr_un> address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return std::nullopt;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

const sockaddr* raw(const sockaddr_un& address) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sockets take any address
    return reinterpret_cast<const sockaddr*>(&address);
}

bool is_ours(int link) {
    ucred other{};
    socklen_t size = sizeof other;
    if (::getsockopt(link, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0) return false;
    return other.uid == ::geteuid();
}

/// Room for one descriptor beside a packet.
struct descriptor_room {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> bytes{};
};

unique_fd descriptor_in(msghdr& packet) {
    unique_fd found;
    for (auto* part = CMSG_FIRSTHDR(&packet); part != nullptr; part = CMSG_NXTHDR(&packet, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        int number = -1;
        std::memcpy(&number, CMSG_DATA(part), sizeof number);
        found = unique_fd{number};
    }
    return found;
}

std::optional<message_type> word_of(char letter) {
    for (const auto known :
         {message_type::request_listener,
          message_type::listener,
          message_type::no_listener,
          message_type::database_ends,
          message_type::database_suspended,
          message_type::database_resumed}) {
        if (letter == static_cast<char>(known)) return known;
    }
    return std::nullopt;
}

}  // namespace

bool send_message(int link, message_type word, int descriptor) {
    char letter = static_cast<char>(word);
    iovec text{.iov_base = &letter, .iov_len = 1};
    descriptor_room room;
    msghdr packet{};
    packet.msg_iov = &text;
    packet.msg_iovlen = 1;
    if (descriptor >= 0) {
        packet.msg_control = room.bytes.data();
        packet.msg_controllen = room.bytes.size();
        auto* const part = CMSG_FIRSTHDR(&packet);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
    }
    return ::sendmsg(link, &packet, MSG_NOSIGNAL) == 1;
}

received_message receive_message(int link) {
    using kind = received_message::kind;
    char letter = 0;
    iovec text{.iov_base = &letter, .iov_len = 1};
    descriptor_room room;
    msghdr packet{};
    packet.msg_iov = &text;
    packet.msg_iovlen = 1;
    packet.msg_control = room.bytes.data();
    packet.msg_controllen = room.bytes.size();
    const auto size = ::recvmsg(link, &packet, MSG_CMSG_CLOEXEC);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return {.what = kind::nothing_yet};
    if (size <= 0) return {.what = kind::ended};
    auto descriptor = descriptor_in(packet);
    const auto word = word_of(letter);
    if (!word) return {.what = kind::ended};
    return {.what = kind::message, .message = {*word, std::move(descriptor)}};
}

received_message await_message(int link, deadline by) {
    for (;;) {
        auto arrived = receive_message(link);
        if (arrived.what != received_message::kind::nothing_yet || by.passed()) return arrived;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(by.remaining());
        pollfd watched{.fd = link, .events = POLLIN, .revents = 0};
        ::poll(&watched, 1, static_cast<int>(left.count()));
    }
}

result<handover_directory> handover_directory::open(const fs::path& data_dir) {
    const auto path = data_dir / "daemons";
    std::error_code failure;
    fs::create_directories(path, failure);
    if (!failure) fs::permissions(path, fs::perms::owner_all, failure);
    if (failure) return folder_error(path, failure.message());
    unique_fd folder{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
    if (!folder) return folder_error(path, reason_of(errno));
    return handover_directory{path, std::move(folder)};
}

unique_fd handover_directory::lock(deadline by) const {
    unique_fd opened{::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
    while (opened && ::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || by.passed()) return {};
        // A lock tells of its end only to who waits without a deadline.
        asio::io_context loop;
        asio::steady_timer{loop, lock_look_interval}.wait();
    }
    return opened;
}

std::string handover_directory::short_path(std::string_view name) const {
    return fmt::format("/proc/self/fd/{}/{}", folder_.get(), name);
}

result<unique_fd> handover_directory::offer(const std::string& name) const {
    const auto unfinished = short_path(name + std::string{unfinished_suffix});
    const auto address = address_of(unfinished);
    auto made = open_socket();
    const bool listens = address && made &&
                         ::bind(made.get(), raw(*address), sizeof *address) == 0 &&
                         ::listen(made.get(), backlog) == 0;
    if (!listens) return folder_error(path_, "no socket can be made there: " + reason_of(errno));
    std::error_code failure;
    fs::rename(unfinished, short_path(name + std::string{socket_suffix}), failure);
    if (failure) return folder_error(path_, failure.message());
    return made;
}

std::vector<unique_fd> handover_directory::link_to_all() const {
    std::vector<unique_fd> links;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator{path_, failure}) {
        const auto name = entry.path().filename().native();
        const auto address = address_of(short_path(name));
        if (!name.ends_with(socket_suffix) || !address) continue;
        auto link = open_socket();
        if (!link) continue;
        if (::connect(link.get(), raw(*address), sizeof *address) == 0) {
            links.push_back(std::move(link));
        } else if (errno == ECONNREFUSED) {
            std::error_code gone;  // Nobody listens there any more.
            fs::remove(entry.path(), gone);
        }
    }
    return links;
}

unique_fd handover_directory::accept(int offered) {
    unique_fd link{::accept4(offered, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    return link && is_ours(link.get()) ? std::move(link) : unique_fd{};
}

void handover_directory::withdraw(const std::string& name) const {
    std::error_code gone;
    fs::remove(path_ / (name + std::string{socket_suffix}), gone);
}

bool listens_on(int descriptor, const http::listen_address& address) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0) return false;
    asio::ip::tcp::endpoint bound;
    size = static_cast<socklen_t>(bound.capacity());
    if (listens == 0 || ::getsockname(descriptor, bound.data(), &size) != 0) return false;
    const bool is_internet =
        bound.data()->sa_family == AF_INET || bound.data()->sa_family == AF_INET6;
    boost::system::error_code malformed;
    const auto host = asio::ip::make_address(address.host, malformed);
    if (!is_internet || malformed) return false;
    bound.resize(size);
    return bound == asio::ip::tcp::endpoint{host, address.port};
}

}  // namespace reelsd::app
