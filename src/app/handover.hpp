#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/http/server.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Handover of the listening socket and of the private database between daemons on one data
/// directory. They exchange packets of one byte, some with a descriptor, over Unix sockets in a
/// directory that only their user may enter. See docs/adr/0015.
namespace reelsd::app {

enum class message_type : char {
    request_listener = 'w',    ///< Answered with one of the next two.
    listener = 'l',            ///< Carries the listening socket.
    no_listener = 'n',         ///< The sender does not share its socket.
    database_stopping = 'e',   ///< The sender stops the database once all others have suspended it.
    database_suspended = 'g',  ///< The answer.
    database_started = 'b',  ///< The sender has started the database again after announcing a stop.
};

struct received_message {
    enum class kind : std::uint8_t { message, nothing_yet, ended } what = kind::nothing_yet;
    message_type type = message_type::no_listener;
    unique_fd descriptor = {};  ///< Only with `listener`.
};

/// Sends without waiting; `descriptor` remains the caller's. Returns false when the peer has ended
/// or does not read.
[[nodiscard]] bool send_message(int link, message_type type, int descriptor = -1);

/// Receives the next message without waiting. An unknown message ends the link.
[[nodiscard]] received_message receive_message(int link);

/// Waits for a message until `by`.
[[nodiscard]] received_message await_message(int link, deadline by);

class handover_directory {
public:
    /// Creates `data_dir`/daemons if it does not exist. Errors: storage_failed.
    [[nodiscard]] static result<handover_directory> open(const std::filesystem::path& data_dir);

    /// Keeps other daemons from starting until the descriptor is closed. Returns no descriptor if
    /// another daemon holds the lock until `by`.
    [[nodiscard]] unique_fd lock(deadline by) const;
    /// A listening socket under `name`, which others find from now on. Errors: storage_failed.
    [[nodiscard]] result<unique_fd> listen(const std::string& name) const;
    /// Connects to all daemons, and removes the sockets of daemons that have died.
    [[nodiscard]] std::vector<unique_fd> connect_to_all() const;
    /// Accepts a connection; none when none waits, or when it is another user's.
    [[nodiscard]] static unique_fd accept(int listener);
    void remove(const std::string& name) const;

private:
    handover_directory(std::filesystem::path path, unique_fd folder)
        : path_{std::move(path)}, folder_{std::move(folder)} {}

    /// A path through the folder's descriptor, because the path of a socket must be short.
    [[nodiscard]] std::string short_path(std::string_view name) const;

    std::filesystem::path path_;
    unique_fd folder_;
};

/// Whether `descriptor` is a TCP socket that listens on `address`.
[[nodiscard]] bool listens_on(int descriptor, const http::listen_address& address);

/// What a daemon does at the request of another one.
struct handover_callbacks {
    /// The listening socket to share; -1: none.
    std::function<int()> listener;
    /// Sends nothing to the private database until resume_database(), and closes its connections.
    std::function<awaitable<void>()> suspend_database;
    /// Another daemon has stopped the database, or has died: starts it unless it runs, and resumes.
    std::function<awaitable<void>()> resume_database;
};

/// The daemons on one data directory, each linked to each other one: a new daemon can take over the
/// listening socket of an old one, and the private database can change owners between two
/// statements.
///
/// Thread: only the loop's. Must be stopped before it is destroyed; the links last until then.
class handover {
public:
    /// Some network file systems support no sockets. The daemon is then alone, which is logged.
    handover(
        const boost::asio::any_io_executor& loop, const std::filesystem::path& data_dir,
        std::string name, log::logger log);
    ~handover();

    /// Connects to all running daemons. Returns the socket of one that listens on `address`, if an
    /// address is given. Until start(), this call excludes other daemons: of two that start at the
    /// same time, one finds the other. Blocks for a few seconds at most: call it before the loop
    /// runs.
    [[nodiscard]] unique_fd join(const std::optional<http::listen_address>& address);

    /// Serves the daemons that run and those that start later.
    void start(handover_callbacks callbacks);

    [[nodiscard]] bool is_alone() const noexcept { return links_.empty(); }

    /// Announces that the private database will be stopped, and waits until every other daemon has
    /// suspended it or has ended, or until `by`.
    [[nodiscard]] awaitable<void> announce_database_stop(deadline by);

    /// Announces that the private database serves again after announce_database_stop().
    void announce_database_start();

    [[nodiscard]] awaitable<void> stop(deadline by);

private:
    struct link {
        link(const boost::asio::any_io_executor& loop, int descriptor)
            : channel{loop, descriptor} {}

        boost::asio::posix::stream_descriptor channel;
        bool has_suspended = false;
    };
    using position = std::list<link>::iterator;
    enum class link_state : std::uint8_t { open, ended, database_stopping };

    void add(unique_fd connected);
    awaitable<void> accept_loop();
    awaitable<void> serve(position place);
    [[nodiscard]] link_state answer_all(link& peer);
    /// Suspends the database until the peer has ended, or has started the database again.
    awaitable<void> hand_over_database(link& peer);

    boost::asio::any_io_executor loop_;
    std::string name_;
    log::logger log_;
    std::optional<handover_directory> folder_;
    unique_fd start_lock_;
    handover_callbacks callbacks_;
    std::optional<boost::asio::posix::stream_descriptor> acceptor_;
    std::list<link> links_;
    async::condition changed_;
    async::task_group tasks_;
};

}  // namespace reelsd::app
