#pragma once

#include <reelsd/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Parsers of the two streams of the API, which arrive in chunks of any size.
namespace reelsd::cli {

/// One server-sent event.
struct server_event {
    std::string name;  ///< "message" if the server sent no name.
    std::string data;  ///< Lines, joined by line feeds.

    friend bool operator==(const server_event&, const server_event&) = default;
};

/// Parses server-sent events. Source: the HTML standard, "Server-sent events", 9.2.6.
class event_reader {
public:
    /// `bytes_max` limits one event and the buffer of an incomplete event.
    explicit event_reader(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    /// Returns the events that these bytes complete. Errors: connection_failed if an event exceeds
    /// `bytes_max`; the stream is unusable afterwards.
    [[nodiscard]] result<std::vector<server_event>> take(std::string_view bytes);

    /// Position in the stream for `Last-Event-ID`; empty until the server sends an id.
    [[nodiscard]] const std::string& last_event_id() const noexcept { return last_event_id_; }
    /// Reconnection delay that the server requested, if any.
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

/// Detects an incomplete export. The last line of a complete one contains `end` and the number of
/// lines before it. Stores only the beginning of each line.
class export_lines {
public:
    void take(std::string_view piece);

    /// Number of lines before the last one; empty unless the last line confirms it.
    [[nodiscard]] std::optional<std::int64_t> count_if_complete() const;

private:
    std::string line_;  ///< Beginning of the incomplete line.
    std::string last_;  ///< Beginning of the last complete line.
    std::int64_t ended_ = 0;
};

}  // namespace reelsd::cli
