#include "handover.hpp"

#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/async/with_deadline.hpp>

#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using descriptor = asio::posix::stream_descriptor;

/// A daemon answers at once unless its loop hangs.
constexpr auto peer_response_max = 1s;
/// A private server that is stopped has ended after 10 s, or is ended; see db::private_cluster.
constexpr auto database_end_max = 20s;
constexpr auto unwind_time_max = 1s;
/// Another daemon is past this in milliseconds, unless it asks one that hangs.
constexpr auto start_time_max = 5s;
/// After a newcomer could not be let in.
constexpr auto door_pause = 100ms;

}  // namespace

handover::handover(
    const asio::any_io_executor& loop, const std::filesystem::path& data_dir, std::string name,
    log::logger log)
    : loop_{loop},
      name_{std::move(name)},
      log_{std::move(log)},
      tasks_{loop, [this](std::string_view task, const std::exception_ptr& thrown) {
                 try {
                     std::rethrow_exception(thrown);
                 } catch (const std::exception& failure) {
                     log_.error("task failed", {{"task", task}, {"reason", failure.what()}});
                 }
             }} {
    auto folder = handover_directory::open(data_dir);
    if (folder) {
        folder_.emplace(std::move(*folder));
    } else {
        log_.warning("other daemons cannot be met", {{"reason", folder.error().detail()}});
    }
}

handover::~handover() {
    if (folder_) folder_->withdraw(name_);
}

void handover::add(unique_fd connected) {
    links_.emplace_back(loop_, connected.get());
    static_cast<void>(connected.release());
}

unique_fd handover::join(const std::optional<http::listen_address>& wanted) {
    unique_fd listener;
    if (!folder_) return listener;
    starting_ = folder_->lock(deadline::after(start_time_max));
    for (auto& one : folder_->link_to_all()) {
        if (wanted && !listener && send_message(one.get(), message_type::request_listener)) {
            auto said = await_message(one.get(), deadline::after(peer_response_max)).message;
            if (said.descriptor && listens_on(said.descriptor.get(), *wanted)) {
                listener = std::move(said.descriptor);
            }
        }
        add(std::move(one));
    }
    return listener;
}

void handover::start(handover_callbacks duties) {
    duties_ = std::move(duties);
    for (auto known = links_.begin(); known != links_.end(); ++known) {
        tasks_.spawn("attend a daemon", attend(known));
    }
    if (!folder_) return;
    auto offered = folder_->offer(name_);
    if (!offered) {
        log_.warning("other daemons cannot be met", {{"reason", offered.error().detail()}});
        starting_.close();
        return;
    }
    acceptor_.emplace(loop_, offered->get());
    static_cast<void>(offered->release());
    tasks_.spawn("welcome daemons", accept_loop());
    starting_.close();
}

asio::awaitable<void> handover::accept_loop() {
    for (;;) {
        co_await acceptor_->async_wait(descriptor::wait_read, asio::use_awaitable);
        auto newcomer = handover_directory::accept(acceptor_->native_handle());
        if (!newcomer) {
            // Want of descriptors does not pass by trying again at once.
            co_await async::pause(door_pause);
            continue;
        }
        add(std::move(newcomer));
        tasks_.spawn("attend a daemon", attend(std::prev(links_.end())));
    }
}

asio::awaitable<void> handover::attend(position to) {
    for (bool is_there = true; is_there;) {
        co_await to->channel.async_wait(descriptor::wait_read, asio::use_awaitable);
        bool database_ends = false;
        is_there = answer_all(*to, database_ends);
        // What arrives then is read next: the end of the link, or word that the database is back.
        if (database_ends) co_await hand_over_database(*to);
    }
    links_.erase(to);
    changed_.notify_all();
}

bool handover::answer_all(link& to, bool& database_ends) {
    const int channel = to.channel.native_handle();
    for (;;) {
        const auto arrived = receive_message(channel);
        if (arrived.what == received_message::kind::nothing_yet) return true;
        if (arrived.what == received_message::kind::ended) return false;
        switch (arrived.message.word) {
            case message_type::request_listener: {
                const int shared = duties_.listener();
                const auto word = shared < 0 ? message_type::no_listener : message_type::listener;
                if (!send_message(channel, word, shared)) return false;
                break;
            }
            case message_type::database_ends: database_ends = true; return true;
            case message_type::database_suspended:
                to.has_suspended = true;
                changed_.notify_all();
                break;
            case message_type::database_resumed:  // hand_over_database() has waited for it.
            case message_type::listener:
            case message_type::no_listener: break;  // The answer came after join() had given up.
        }
    }
}

asio::awaitable<void> handover::hand_over_database(link& to) {
    co_await duties_.suspend_database();
    if (send_message(to.channel.native_handle(), message_type::database_suspended)) {
        // Its end, or `database_resumed`, is the next that arrives.
        auto ended = to.channel.async_wait(descriptor::wait_read, asio::use_awaitable);
        static_cast<void>(
            co_await async::with_deadline(std::move(ended), deadline::after(database_end_max)));
    }
    co_await duties_.resume_database();
}

asio::awaitable<void> handover::announce_end_of_database(deadline by) {
    for (auto& one : links_) {
        // A peer that cannot be told anything has gone, or will see the database's end.
        one.has_suspended = !send_message(one.channel.native_handle(), message_type::database_ends);
    }
    const auto has_suspended = [](const link& one) { return one.has_suspended; };
    while (!std::all_of(links_.begin(), links_.end(), has_suspended) && !by.passed()) {
        co_await changed_.wait(by);
    }
}

void handover::announce_database() {
    // A daemon of an earlier release resumes at any packet, and then closes its link.
    for (auto& one : links_) {
        static_cast<void>(
            send_message(one.channel.native_handle(), message_type::database_resumed));
    }
}

asio::awaitable<void> handover::stop(deadline by) {
    if (folder_) folder_->withdraw(name_);
    co_await tasks_.stop(by, deadline::after(unwind_time_max));
}

}  // namespace reelsd::app
