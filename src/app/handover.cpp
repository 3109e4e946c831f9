#include "handover.hpp"

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/async/with_deadline.hpp>
#include <reelsd/base/clock.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/core/noncopyable.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
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
using namespace std::chrono_literals;
using asio_descriptor = asio::posix::stream_descriptor;

constexpr std::string_view socket_suffix = ".sock";
/// Name of a socket that does not listen yet: under its final name it would look like a dead one.
constexpr std::string_view unfinished_suffix = ".new";
/// There are a handful of daemons.
constexpr int backlog = 16;
/// Too short to be noticed at a start.
constexpr auto lock_poll_interval = 10ms;

/// A daemon answers immediately unless its loop hangs.
constexpr auto response_time_max = 1s;
/// A private server ends within 10 s after it is stopped; see db::private_cluster.
constexpr auto database_stop_max = 20s;
constexpr auto unwind_time_max = 1s;
/// A start takes milliseconds unless it waits for a daemon that hangs.
constexpr auto start_time_max = 5s;
/// A failed accept, for example without free descriptors, would fail again immediately.
constexpr auto accept_pause = 100ms;

error folder_error(const fs::path& folder, const std::string& reason) {
    return error{errc::storage_failed, fmt::format("{}: {}", folder.string(), reason)};
}

/// A socket of packets, so that a message arrives as a whole and with its descriptor.
unique_fd open_socket() {
    return unique_fd{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

/// Empty for a path that is too long for a socket.
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

bool is_own_user(int link) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(link, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    return peer.uid == ::geteuid();
}

/// One byte with room for a descriptor.
struct packet : boost::noncopyable {
    explicit packet(char type) : letter{type} {
        header.msg_iov = &text;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
    }

    char letter;
    iovec text{.iov_base = &letter, .iov_len = 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
};

/// The first descriptor of a received packet. Closes all others: alignment leaves room for two.
unique_fd take_descriptor(msghdr& header) {
    unique_fd first;
    for (auto* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const auto count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t index = 0; index < count; ++index) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(part) + index * sizeof number, sizeof number);
            unique_fd descriptor{number};
            if (!first) first = std::move(descriptor);
        }
    }
    return first;
}

bool is_known(message_type type) {
    switch (type) {
        case message_type::request_listener:
        case message_type::listener:
        case message_type::no_listener:
        case message_type::database_stopping:
        case message_type::database_suspended:
        case message_type::database_started: return true;
    }
    return false;
}

}  // namespace

bool send_message(int link, message_type type, int descriptor) {
    packet sent{static_cast<char>(type)};
    if (descriptor >= 0) {
        auto* const part = CMSG_FIRSTHDR(&sent.header);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
    } else {
        sent.header.msg_controllen = 0;
    }
    return ::sendmsg(link, &sent.header, MSG_NOSIGNAL) == 1;
}

received_message receive_message(int link) {
    using kind = received_message::kind;
    packet received{0};
    const auto size = ::recvmsg(link, &received.header, MSG_CMSG_CLOEXEC);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return {.what = kind::nothing_yet};
    if (size <= 0) return {.what = kind::ended};
    auto descriptor = take_descriptor(received.header);
    const auto type = message_type{received.letter};
    if (!is_known(type)) return {.what = kind::ended};
    return {.what = kind::message, .type = type, .descriptor = std::move(descriptor)};
}

received_message await_message(int link, deadline by) {
    for (;;) {
        auto received = receive_message(link);
        if (received.what != received_message::kind::nothing_yet || by.passed()) return received;
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
    if (!folder) return folder_error(path, errno_text(errno));
    return handover_directory{path, std::move(folder)};
}

unique_fd handover_directory::lock(deadline by) const {
    unique_fd opened{::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
    while (opened && ::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || by.passed()) return {};
        // Polls, because flock() can wait only without a deadline.
        stoppable_sleep(lock_poll_interval, {});
    }
    return opened;
}

std::string handover_directory::short_path(std::string_view name) const {
    return fmt::format("/proc/self/fd/{}/{}", folder_.get(), name);
}

result<unique_fd> handover_directory::listen(const std::string& name) const {
    const auto unfinished = short_path(name + std::string{unfinished_suffix});
    const auto address = address_of(unfinished);
    if (!address) return folder_error(path_, "the name of a socket there is too long: " + name);
    auto socket = open_socket();
    const bool listens = socket && ::bind(socket.get(), raw(*address), sizeof *address) == 0 &&
                         ::listen(socket.get(), backlog) == 0;
    if (!listens) return folder_error(path_, "cannot create a socket: " + errno_text(errno));
    std::error_code failure;
    fs::rename(unfinished, short_path(name + std::string{socket_suffix}), failure);
    if (failure) return folder_error(path_, failure.message());
    return socket;
}

std::vector<unique_fd> handover_directory::connect_to_all() const {
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
            std::error_code kept;  // The next start tries again.
            fs::remove(entry.path(), kept);
        }
    }
    return links;
}

unique_fd handover_directory::accept(int listener) {
    unique_fd link{::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    return link && is_own_user(link.get()) ? std::move(link) : unique_fd{};
}

void handover_directory::remove(const std::string& name) const {
    std::error_code kept;  // Another daemon removes it when it starts.
    fs::remove(path_ / (name + std::string{socket_suffix}), kept);
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

handover::handover(
    const asio::any_io_executor& loop, const fs::path& data_dir, std::string name, log::logger log)
    : loop_{loop},
      name_{std::move(name)},
      log_{std::move(log)},
      tasks_{loop, async::log_failure(log_)} {
    auto folder = handover_directory::open(data_dir);
    if (folder) {
        folder_.emplace(std::move(*folder));
    } else {
        log_.warning("handover is not possible", {{"reason", folder.error().detail()}});
    }
}

handover::~handover() {
    if (folder_) folder_->remove(name_);
}

void handover::add(unique_fd connected) {
    links_.emplace_back(loop_, connected.get());
    static_cast<void>(connected.release());
}

unique_fd handover::join(const std::optional<http::listen_address>& address) {
    unique_fd listener;
    if (!folder_) return listener;
    start_lock_ = folder_->lock(deadline::after(start_time_max));
    for (auto& peer : folder_->connect_to_all()) {
        if (address && !listener && send_message(peer.get(), message_type::request_listener)) {
            auto answer = await_message(peer.get(), deadline::after(response_time_max));
            if (answer.descriptor && listens_on(answer.descriptor.get(), *address)) {
                listener = std::move(answer.descriptor);
            }
        }
        add(std::move(peer));
    }
    return listener;
}

void handover::start(handover_callbacks callbacks) {
    callbacks_ = std::move(callbacks);
    for (auto place = links_.begin(); place != links_.end(); ++place) {
        tasks_.spawn("serve a daemon", serve(place));
    }
    if (!folder_) return;
    auto listener = folder_->listen(name_);
    if (listener) {
        acceptor_.emplace(loop_, listener->get());
        static_cast<void>(listener->release());
        tasks_.spawn("accept daemons", accept_loop());
    } else {
        log_.warning("handover is not possible", {{"reason", listener.error().detail()}});
    }
    start_lock_.close();
}

awaitable<void> handover::accept_loop() {
    for (;;) {
        co_await acceptor_->async_wait(asio_descriptor::wait_read, asio::use_awaitable);
        auto connected = handover_directory::accept(acceptor_->native_handle());
        if (!connected) {
            co_await async::pause(accept_pause);
            continue;
        }
        add(std::move(connected));
        tasks_.spawn("serve a daemon", serve(std::prev(links_.end())));
    }
}

awaitable<void> handover::serve(position place) {
    for (auto state = link_state::open; state != link_state::ended;) {
        co_await place->channel.async_wait(asio_descriptor::wait_read, asio::use_awaitable);
        state = answer_all(*place);
        // The next that arrives is the end of the link, or that the database has started again.
        if (state == link_state::database_stopping) co_await hand_over_database(*place);
    }
    links_.erase(place);
    changed_.notify_all();
}

handover::link_state handover::answer_all(link& peer) {
    const int channel = peer.channel.native_handle();
    for (;;) {
        const auto received = receive_message(channel);
        if (received.what == received_message::kind::nothing_yet) return link_state::open;
        if (received.what == received_message::kind::ended) return link_state::ended;
        switch (received.type) {
            case message_type::request_listener: {
                const int shared = callbacks_.listener();
                const auto type = shared < 0 ? message_type::no_listener : message_type::listener;
                if (!send_message(channel, type, shared)) return link_state::ended;
                break;
            }
            case message_type::database_stopping: return link_state::database_stopping;
            case message_type::database_suspended:
                peer.has_suspended = true;
                changed_.notify_all();
                break;
            case message_type::database_started:  // hand_over_database() has waited for it.
            case message_type::listener:
            case message_type::no_listener: break;  // The answer came after join() had given up.
        }
    }
}

awaitable<void> handover::hand_over_database(link& peer) {
    co_await callbacks_.suspend_database();
    if (send_message(peer.channel.native_handle(), message_type::database_suspended)) {
        auto next = peer.channel.async_wait(asio_descriptor::wait_read, asio::use_awaitable);
        const auto by = deadline::after(database_stop_max);
        static_cast<void>(co_await async::with_deadline(std::move(next), by));
    }
    co_await callbacks_.resume_database();
}

awaitable<void> handover::announce_database_stop(deadline by) {
    for (auto& peer : links_) {
        const int channel = peer.channel.native_handle();
        // A peer that cannot receive the message has ended, or will notice the database's end.
        peer.has_suspended = !send_message(channel, message_type::database_stopping);
    }
    const auto has_suspended = [](const link& peer) { return peer.has_suspended; };
    while (!std::all_of(links_.begin(), links_.end(), has_suspended) && !by.passed()) {
        co_await changed_.wait(by);
    }
}

void handover::announce_database_start() {
    // A daemon of an earlier release resumes at any packet, and then closes its link.
    for (auto& peer : links_) {
        const int channel = peer.channel.native_handle();
        static_cast<void>(send_message(channel, message_type::database_started));
    }
}

awaitable<void> handover::stop(deadline by) {
    if (folder_) folder_->remove(name_);
    co_await tasks_.stop(by, deadline::after(unwind_time_max));
}

}  // namespace reelsd::app
