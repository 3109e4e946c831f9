#pragma once

#include "handover_channel.hpp"
#include <reelsd/async/condition.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <list>
#include <optional>
#include <string>

namespace reelsd::app {

/// What a daemon does when another one asks for it.
struct handover_callbacks {
    /// The listening socket that it shares; -1 for none.
    std::function<int()> listener;
    /// Sends the private database nothing more until resume_database(), and closes its
    /// connections.
    std::function<boost::asio::awaitable<void>()> suspend_database;
    /// The other has stopped it, or has died: starts it again and goes on.
    std::function<boost::asio::awaitable<void>()> resume_database;
};

/// The daemons that share a data directory, each linked to each: so that a new one can take over
/// the listening socket of an old one, and the private database can change hands between two
/// statements. See docs/adr/0015.
///
/// Thread: the loop's only. Must be stopped before it is destroyed; the links last until then.
class handover {
public:
    /// Without a folder for sockets, as on some network file systems, it is alone: said in the log.
    handover(
        const boost::asio::any_io_executor& loop, const std::filesystem::path& data_dir,
        std::string name, log::logger log);
    handover(const handover&) = delete;
    handover& operator=(const handover&) = delete;
    ~handover();

    /// Links to those that are there. A socket that one of them listens on at `wanted`, if that is
    /// asked for. Until start(), no other daemon gets past this: of two that start at once, one
    /// finds the other. Blocks, seconds at most: for before the loop runs.
    [[nodiscard]] unique_fd join(const std::optional<http::listen_address>& wanted);

    /// Is there for those that are there and those that come.
    void start(handover_callbacks duties);

    [[nodiscard]] bool are_none() const noexcept { return links_.empty(); }

    /// Tells all that the private database is about to be stopped, and waits until each has let it
    /// go, or has gone itself, or `by` passed.
    [[nodiscard]] boost::asio::awaitable<void> announce_end_of_database(deadline by);

    /// Tells all that the private database, announced to end, serves again.
    void announce_database();

    /// Is there for nobody any more.
    [[nodiscard]] boost::asio::awaitable<void> stop(deadline by);

private:
    struct link {
        link(const boost::asio::any_io_executor& loop, int descriptor)
            : channel{loop, descriptor} {}

        boost::asio::posix::stream_descriptor channel;
        bool has_suspended = false;
    };
    using position = std::list<link>::iterator;

    void add(unique_fd connected);
    boost::asio::awaitable<void> accept_loop();
    boost::asio::awaitable<void> attend(position to);
    /// Whether the link is still there.
    [[nodiscard]] bool answer_all(link& to, bool& database_ends);
    /// The peer stops the database: until the peer has ended, or has started the database again.
    boost::asio::awaitable<void> hand_over_database(link& to);

    boost::asio::any_io_executor loop_;
    std::string name_;
    log::logger log_;
    std::optional<handover_directory> folder_;
    unique_fd starting_;  ///< The folder's lock.
    handover_callbacks duties_;
    std::optional<boost::asio::posix::stream_descriptor> acceptor_;
    std::list<link> links_;
    async::condition changed_;
    async::task_group tasks_;
};

}  // namespace reelsd::app
