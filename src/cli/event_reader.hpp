#pragma once

#include <reelsd/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli {

/// One server-sent event.
struct server_event {
    std::string name;  ///< "message" if the server has not named it.
    std::string data;  ///< Lines, joined by line feeds.

    friend bool operator==(const server_event&, const server_event&) = default;
};

/// Takes a stream of server-sent events apart, however its bytes are cut. Source: the HTML
/// standard, "Server-sent events", 9.2.6.
class event_reader {
public:
    /// `bytes_max`: of one event, and of what of it is kept while it is not whole.
    explicit event_reader(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    /// The events that became whole with these bytes. Errors: connection_failed when one is longer
    /// than it may be; the stream is of no use then.
    [[nodiscard]] result<std::vector<server_event>> take(std::string_view bytes);

    /// Where the stream stands, for `Last-Event-ID`; empty as long as the server has not said.
    [[nodiscard]] const std::string& last_event_id() const noexcept { return last_event_id_; }
    /// How long the server wishes to be left alone after a break; nothing when it has not said.
    [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

private:
    void end_line(std::vector<server_event>& events);
    void end_event(std::vector<server_event>& events);

    std::size_t bytes_max_;
    bool is_first_line_ = true;
    bool was_return_ = false;  ///< A line feed that follows belongs to it.
    std::string line_;
    std::string name_;
    std::string data_;
    std::string id_;
    std::string last_event_id_;
    std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace reelsd::cli
