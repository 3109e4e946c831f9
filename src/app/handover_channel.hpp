#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/http/server.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the daemons of one data directory say to each other, and over what: packets of one byte, one
// of them with a descriptor, between Unix sockets in a folder that their user alone may enter.
namespace reelsd::app {

enum class message_type : char {
    request_listener = 'w',  ///< Answered with one of the next two.
    listener = 'l',          ///< Comes with the listening socket.
    no_listener = 'n',
    database_ends = 'e',       ///< The sender stops the private database once all have let go.
    database_suspended = 'g',  ///< The answer to that.
    database_resumed = 'b',  ///< The sender has started it again; sent after `database_ends` alone.
};

struct handover_message {
    message_type word = message_type::no_listener;
    unique_fd descriptor;  ///< With `listener` alone.
};

/// What became of a look for a message.
struct received_message {
    enum class kind : std::uint8_t { message, nothing_yet, ended } what = kind::nothing_yet;
    handover_message message = {};
};

/// Sends at once; `descriptor` stays the caller's. False when the peer has gone, or takes nothing.
[[nodiscard]] bool send_message(int link, message_type word, int descriptor = -1);

/// Takes what has arrived, without waiting. A packet that means nothing ends the link.
[[nodiscard]] received_message receive_message(int link);

/// As receive_message(), but waits for it until `by`.
[[nodiscard]] received_message await_message(int link, deadline by);

/// The sockets of a data directory's daemons.
class handover_directory {
public:
    /// Makes `data_dir`/daemons when it is missing. Errors: storage_failed with what is wrong.
    [[nodiscard]] static result<handover_directory> open(const std::filesystem::path& data_dir);

    /// Keeps other daemons from starting until it is closed; none if one has done so until `by`.
    [[nodiscard]] unique_fd lock(deadline by) const;
    /// A listening socket under `name`, which others find from now on. Errors: storage_failed.
    [[nodiscard]] result<unique_fd> offer(const std::string& name) const;
    /// Links to all daemons that are there. What dead ones have left is removed.
    [[nodiscard]] std::vector<unique_fd> link_to_all() const;
    /// The next one that links to us: nothing when none waits, or it is another user's.
    [[nodiscard]] static unique_fd accept(int offered);
    void withdraw(const std::string& name) const;

private:
    handover_directory(std::filesystem::path path, unique_fd folder)
        : path_{std::move(path)}, folder_{std::move(folder)} {}

    /// A socket's path is short, a data directory's may not be: it goes by the folder's descriptor.
    [[nodiscard]] std::string short_path(std::string_view name) const;

    std::filesystem::path path_;
    unique_fd folder_;
};

/// Whether `descriptor` is a TCP socket that listens on `address`. Pure but for the look at it.
[[nodiscard]] bool listens_on(int descriptor, const http::listen_address& address);

}  // namespace reelsd::app
