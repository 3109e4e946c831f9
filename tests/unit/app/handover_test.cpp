#include "app/handover.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

// Goal: a daemon takes over the listening socket of another one, and all let go of a database
// before it is stopped; dead and foreign ones harm nobody. Method: several in one process, each on
// a loop and a thread of its own, in a folder of the test's.
namespace reelsd::app {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using asio::ip::tcp;

constexpr auto patience = 20s;

class PeersTest : public ::testing::Test {
protected:
    /// A daemon as other daemons see it during a handover.
    struct daemon {
        daemon(const fs::path& folder, const std::string& name)
            : known{std::make_unique<handover>(
                  loop.get_executor(), folder, name, log::logger::silent())} {}
        daemon(const daemon&) = delete;
        daemon& operator=(const daemon&) = delete;
        ~daemon() { end(); }

        void start(int listener) {
            known->start(
                {.listener = [listener] { return listener; },
                 .suspend_database = [this] { return note(let_go); },
                 .resume_database = [this] { return note(taken_up); }});
            work.emplace(loop.get_executor());
            thread = std::thread{[this] { loop.run(); }};
        }

        void end() {
            if (thread.joinable()) {
                wait(known->stop(deadline::after(patience)));
                work.reset();
                thread.join();
            }
            known.reset();
        }

        template <class Value>
        Value wait(asio::awaitable<Value> operation) {
            return asio::co_spawn(loop, std::move(operation), asio::use_future).get();
        }

        void announce() {
            const auto back = [](handover& all) -> asio::awaitable<void> {
                all.announce_database();
                co_return;
            };
            wait(back(*known));
        }

        static asio::awaitable<void> note(std::promise<void>& noted) {
            noted.set_value();
            co_return;
        }

        asio::io_context loop{1};
        /// A daemon that meets nobody leaves its loop without work until it is asked something.
        std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
        std::promise<void> let_go;
        std::promise<void> taken_up;
        std::unique_ptr<handover> known;
        std::thread thread;
    };

    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "reelsd-peers-XXXXXX";
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

TEST_F(PeersTest, ANewcomerTakesOverTheListener) {
    const auto old = make("old");
    EXPECT_FALSE(old->known->join(address())) << "nobody is there";
    old->start(acceptor.native_handle());

    const auto next = make("next");
    const auto taken = next->known->join(address());
    ASSERT_TRUE(taken);
    EXPECT_NE(taken.get(), acceptor.native_handle());
    EXPECT_TRUE(listens_on(taken.get(), address()));
}

TEST_F(PeersTest, OnlyTheSocketThatIsWantedIsTaken) {
    const auto old = make("old");
    EXPECT_FALSE(old->known->join(std::nullopt));
    old->start(acceptor.native_handle());
    auto elsewhere = address();
    elsewhere.host = "127.0.0.2";
    EXPECT_FALSE(make("next")->known->join(elsewhere));
    EXPECT_FALSE(make("another")->known->join(std::nullopt));
}

TEST_F(PeersTest, OfTwoThatStartAtOnceOneFindsTheOther) {
    const auto first = make("first");
    EXPECT_FALSE(first->known->join(address()));
    const auto second = make("second");
    auto taken = std::async(std::launch::async, [&] { return second->known->join(address()); });
    first->start(acceptor.native_handle());
    EXPECT_TRUE(taken.get());
}

TEST_F(PeersTest, WhoSharesNothingSaysSo) {
    const auto old = make("old");
    EXPECT_FALSE(old->known->join(std::nullopt));
    old->start(-1);
    EXPECT_FALSE(make("next")->known->join(address()));
}

TEST_F(PeersTest, TheDatabaseEndsWhenAllHaveLetGoAndIsTakenUpAfterItsEnd) {
    const auto owner = make("owner");
    EXPECT_FALSE(owner->known->join(std::nullopt));
    owner->start(-1);
    const auto second = make("second");
    EXPECT_FALSE(second->known->join(address()));
    second->start(-1);
    const auto third = make("third");
    EXPECT_FALSE(third->known->join(address()));
    third->start(-1);

    owner->wait(owner->known->announce_end_of_database(deadline::after(patience)));
    for (auto* const other : {second.get(), third.get()}) {
        EXPECT_EQ(other->let_go.get_future().wait_for(0s), std::future_status::ready);
    }
    auto taken_up = second->taken_up.get_future();
    EXPECT_EQ(taken_up.wait_for(0s), std::future_status::timeout) << "it has not ended yet";
    owner->end();
    EXPECT_EQ(taken_up.wait_for(patience), std::future_status::ready);
    EXPECT_EQ(third->taken_up.get_future().wait_for(patience), std::future_status::ready);
}

TEST_F(PeersTest, ADatabaseThatIsBackIsTakenUpAndTheLinkLasts) {
    const auto owner = make("owner");
    EXPECT_FALSE(owner->known->join(std::nullopt));
    owner->start(-1);
    const auto other = make("other");
    EXPECT_FALSE(other->known->join(address()));
    other->start(-1);
    for (int restart = 0; restart < 2; ++restart) {
        other->let_go = {};
        other->taken_up = {};
        auto taken_up = other->taken_up.get_future();
        owner->wait(owner->known->announce_end_of_database(deadline::after(patience)));
        EXPECT_EQ(other->let_go.get_future().wait_for(0s), std::future_status::ready);
        EXPECT_EQ(taken_up.wait_for(0s), std::future_status::timeout) << "it is not back yet";
        owner->announce();
        EXPECT_EQ(taken_up.wait_for(patience), std::future_status::ready);
        EXPECT_FALSE(owner->known->are_none());
    }
}

TEST_F(PeersTest, ADaemonThatHangsIsNotWaitedForLonger) {
    const auto owner = make("owner");
    EXPECT_FALSE(owner->known->join(std::nullopt));
    owner->start(-1);
    const auto hung = make("hung");  // Its loop does not run.
    EXPECT_FALSE(hung->known->join(address()));
    owner->wait(owner->known->announce_end_of_database(deadline::after(20ms)));
}

TEST_F(PeersTest, WhatADeadDaemonLeftIsRemoved) {
    const auto sockets = handover_directory::open(folder);
    ASSERT_TRUE(sockets);
    ASSERT_TRUE(sockets->offer("dead"));  // Closed at once, as a killed process's would be.
    ASSERT_TRUE(fs::exists(folder / "daemons" / "dead.sock"));
    EXPECT_TRUE(sockets->link_to_all().empty());
    EXPECT_FALSE(fs::exists(folder / "daemons" / "dead.sock"));
}

TEST_F(PeersTest, AFolderThatCannotBeMadeLeavesADaemonAlone) {
    std::ofstream{folder / "daemons"} << "in the way";
    const auto alone = make("alone");
    EXPECT_FALSE(alone->known->join(address()));
    alone->start(-1);
    alone->wait(alone->known->announce_end_of_database(deadline::after(patience)));
}

TEST(ListensOn, KnowsASocketByWhatTheKernelSays) {
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
