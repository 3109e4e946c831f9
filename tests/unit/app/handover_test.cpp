#include "app/handover.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_future.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

// Goal: a daemon takes over the listening socket of another one, and all suspend a database before
// it is stopped; dead daemons and other users are ignored. Method: several daemons in one process,
// each on its own loop and thread, in a temporary folder.
namespace reelsd::app {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using asio::ip::tcp;

constexpr auto time_max = 20s;

class Handover : public ::testing::Test {
protected:
    /// A daemon as other daemons see it during a handover.
    struct daemon {
        daemon(const fs::path& folder, const std::string& name)
            : links{std::make_unique<handover>(
                  loop.get_executor(), folder, name, log::logger::silent())} {}
        daemon(const daemon&) = delete;
        daemon& operator=(const daemon&) = delete;
        ~daemon() { end(); }

        void start(int listener) {
            links->start(
                {.listener = [listener] { return listener; },
                 .suspend_database = [this] { return note(suspended); },
                 .resume_database = [this] { return note(resumed); }});
            work.emplace(loop.get_executor());
            thread = std::thread{[this] { loop.run(); }};
        }

        void end() {
            if (thread.joinable()) {
                wait(links->stop(deadline::after(time_max)));
                work.reset();
                thread.join();
            }
            links.reset();
        }

        template <class Value>
        Value wait(asio::awaitable<Value> operation) {
            return asio::co_spawn(loop, std::move(operation), asio::use_future).get();
        }

        void announce_start() {
            const auto announce = [](handover& peer) -> asio::awaitable<void> {
                peer.announce_database_start();
                co_return;
            };
            wait(announce(*links));
        }

        static asio::awaitable<void> note(std::promise<void>& noted) {
            noted.set_value();
            co_return;
        }

        asio::io_context loop{1};
        /// Keeps the loop of a daemon without links running.
        std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
        std::promise<void> suspended;
        std::promise<void> resumed;
        std::unique_ptr<handover> links;
        std::thread thread;
    };

    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "reelsd-handover-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override { fs::remove_all(folder); }

    std::unique_ptr<daemon> make(const std::string& name) {
        return std::make_unique<daemon>(folder, name);
    }

    [[nodiscard]] http::listen_address address() const {
        return {.host = "127.0.0.1", .port = acceptor.local_endpoint().port()};
    }

    fs::path folder;
    asio::io_context loop;
    tcp::acceptor acceptor{loop, tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
};

TEST_F(Handover, ANewDaemonTakesOverTheListener) {
    const auto old = make("old");
    EXPECT_FALSE(old->links->join(address())) << "no daemon runs";
    old->start(acceptor.native_handle());

    const auto next = make("next");
    const auto taken = next->links->join(address());
    ASSERT_TRUE(taken);
    EXPECT_NE(taken.get(), acceptor.native_handle());
    EXPECT_TRUE(listens_on(taken.get(), address()));
}

TEST_F(Handover, OnlyASocketWithTheRequestedAddressIsTaken) {
    const auto old = make("old");
    EXPECT_FALSE(old->links->join(std::nullopt));
    old->start(acceptor.native_handle());
    auto elsewhere = address();
    elsewhere.host = "127.0.0.2";
    EXPECT_FALSE(make("next")->links->join(elsewhere));
    EXPECT_FALSE(make("another")->links->join(std::nullopt));
}

TEST_F(Handover, OfTwoConcurrentStartsOneFindsTheOther) {
    const auto first = make("first");
    EXPECT_FALSE(first->links->join(address()));
    const auto second = make("second");
    auto taken = std::async(std::launch::async, [&] { return second->links->join(address()); });
    first->start(acceptor.native_handle());
    EXPECT_TRUE(taken.get());
}

TEST_F(Handover, ADaemonMayShareNoListener) {
    const auto old = make("old");
    EXPECT_FALSE(old->links->join(std::nullopt));
    old->start(-1);
    EXPECT_FALSE(make("next")->links->join(address()));
}

TEST_F(Handover, AllSuspendTheDatabaseAndResumeItAfterTheOwnersEnd) {
    const auto owner = make("owner");
    EXPECT_FALSE(owner->links->join(std::nullopt));
    owner->start(-1);
    const auto second = make("second");
    EXPECT_FALSE(second->links->join(address()));
    second->start(-1);
    const auto third = make("third");
    EXPECT_FALSE(third->links->join(address()));
    third->start(-1);

    owner->wait(owner->links->announce_database_stop(deadline::after(time_max)));
    for (auto* const other : {second.get(), third.get()}) {
        EXPECT_EQ(other->suspended.get_future().wait_for(0s), std::future_status::ready);
    }
    auto resumed = second->resumed.get_future();
    EXPECT_EQ(resumed.wait_for(0s), std::future_status::timeout) << "the owner has not ended yet";
    owner->end();
    EXPECT_EQ(resumed.wait_for(time_max), std::future_status::ready);
    EXPECT_EQ(third->resumed.get_future().wait_for(time_max), std::future_status::ready);
}

TEST_F(Handover, AllResumeARestartedDatabaseAndStayLinked) {
    const auto owner = make("owner");
    EXPECT_FALSE(owner->links->join(std::nullopt));
    owner->start(-1);
    const auto other = make("other");
    EXPECT_FALSE(other->links->join(address()));
    other->start(-1);
    for (int restart = 0; restart < 2; ++restart) {
        other->suspended = {};
        other->resumed = {};
        auto resumed = other->resumed.get_future();
        owner->wait(owner->links->announce_database_stop(deadline::after(time_max)));
        EXPECT_EQ(other->suspended.get_future().wait_for(0s), std::future_status::ready);
        EXPECT_EQ(resumed.wait_for(0s), std::future_status::timeout) << "it has not started yet";
        owner->announce_start();
        EXPECT_EQ(resumed.wait_for(time_max), std::future_status::ready);
        EXPECT_FALSE(owner->links->is_alone());
    }
}

TEST_F(Handover, TheWaitForAHangingDaemonIsBounded) {
    const auto owner = make("owner");
    EXPECT_FALSE(owner->links->join(std::nullopt));
    owner->start(-1);
    const auto hung = make("hung");  // Its loop does not run.
    EXPECT_FALSE(hung->links->join(address()));
    owner->wait(owner->links->announce_database_stop(deadline::after(20ms)));
}

TEST_F(Handover, TheSocketOfADeadDaemonIsRemoved) {
    const auto sockets = handover_directory::open(folder);
    ASSERT_TRUE(sockets);
    ASSERT_TRUE(sockets->listen("dead"));  // Closed immediately, like a killed process's.
    ASSERT_TRUE(fs::exists(folder / "daemons" / "dead.sock"));
    EXPECT_TRUE(sockets->connect_to_all().empty());
    EXPECT_FALSE(fs::exists(folder / "daemons" / "dead.sock"));
}

TEST_F(Handover, ADaemonWithoutAFolderIsAlone) {
    std::ofstream{folder / "daemons"} << "in the way";
    const auto alone = make("alone");
    EXPECT_FALSE(alone->links->join(address()));
    alone->start(-1);
    alone->wait(alone->links->announce_database_stop(deadline::after(time_max)));
}

TEST_F(Handover, ANameThatIsTooLongForASocketIsReported) {
    const auto sockets = handover_directory::open(folder);
    ASSERT_TRUE(sockets);
    errno = EISDIR;  // Unrelated.
    const auto listener = sockets->listen(std::string(100, 'a'));
    ASSERT_FALSE(listener);
    EXPECT_EQ(
        listener.error().detail(),
        (folder / "daemons").string() +
            ": the name of a socket there is too long: " + std::string(100, 'a'));
}

// Goal: no descriptor of a message leaks. Method: a message with two write ends of a pipe; the pipe
// ends once neither is open.
TEST(HandoverMessage, KeepsTheFirstDescriptorAndClosesTheRest) {
    std::array<int, 2> sockets{};
    ASSERT_EQ(
        ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets.data()), 0);
    const unique_fd sender{sockets[0]};
    const unique_fd receiver{sockets[1]};
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    const unique_fd reader{ends[0]};
    unique_fd writer{ends[1]};

    const std::array<int, 2> passed{writer.get(), writer.get()};
    char letter = static_cast<char>(message_type::listener);
    iovec text{.iov_base = &letter, .iov_len = 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof passed)> control{};
    msghdr header{};
    header.msg_iov = &text;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    auto* const part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof passed);
    std::memcpy(CMSG_DATA(part), passed.data(), sizeof passed);
    ASSERT_EQ(::sendmsg(sender.get(), &header, 0), 1);
    writer.close();

    auto received = receive_message(receiver.get());
    EXPECT_EQ(received.what, received_message::kind::message);
    EXPECT_EQ(received.type, message_type::listener);
    ASSERT_TRUE(received.descriptor);
    char byte = 0;
    EXPECT_EQ(::read(reader.get(), &byte, 1), -1) << "the first descriptor is open";
    received.descriptor.close();
    EXPECT_EQ(::read(reader.get(), &byte, 1), 0) << "no descriptor is open";
}

TEST(HandoverMessage, AnUnknownMessageEndsTheLink) {
    std::array<int, 2> sockets{};
    ASSERT_EQ(
        ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets.data()), 0);
    const unique_fd sender{sockets[0]};
    const unique_fd receiver{sockets[1]};
    EXPECT_EQ(receive_message(receiver.get()).what, received_message::kind::nothing_yet);
    ASSERT_TRUE(send_message(sender.get(), static_cast<message_type>('?')));
    EXPECT_EQ(receive_message(receiver.get()).what, received_message::kind::ended);
}

TEST(ListensOn, ComparesTheAddressThatTheKernelReports) {
    asio::io_context loop;
    tcp::acceptor acceptor{loop, tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
    const auto port = acceptor.local_endpoint().port();
    EXPECT_TRUE(listens_on(acceptor.native_handle(), {.host = "127.0.0.1", .port = port}));
    EXPECT_FALSE(listens_on(acceptor.native_handle(), {.host = "0.0.0.0", .port = port}));
    EXPECT_FALSE(listens_on(acceptor.native_handle(), {.host = "::1", .port = port}));
    tcp::socket connected{loop};
    connected.connect(acceptor.local_endpoint());
    EXPECT_FALSE(listens_on(connected.native_handle(), {.host = "127.0.0.1", .port = port}));
    EXPECT_FALSE(listens_on(-1, {.host = "127.0.0.1", .port = port}));
}

}  // namespace
}  // namespace reelsd::app
