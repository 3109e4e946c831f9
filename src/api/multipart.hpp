#pragma once

#include <reelsd/base/request_error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::api {

/// Parses a multipart/form-data body (RFC 7578) incrementally, without I/O. Memory: the bytes that
/// were appended and not yet returned, and at most 8 KiB of headers.
class multipart_reader {
public:
    /// Error: the Content-Type has no valid boundary; its text is for the client.
    [[nodiscard]] static input<multipart_reader> create(std::string_view content_type);

    struct event {
        enum class kind : std::uint8_t {
            part,   ///< A part begins.
            data,   ///< The next bytes of the part.
            end,    ///< The part is complete.
            close,  ///< The body is complete. Later bytes are ignored.
        };
        kind what;
        std::string name = {};                      ///< Name of the part.
        std::optional<std::string> file_name = {};  ///< As sent; empty for a text.
        std::string_view bytes = {};                ///< Valid until the next append().
    };

    void append(std::string_view bytes);
    /// Returns the next event; empty when more bytes are needed. Error: a malformed
    /// body; its text is for the client and names the part.
    [[nodiscard]] input<std::optional<event>> next();

private:
    enum class state : std::uint8_t { preamble, delimiter, headers, data, closed };

    explicit multipart_reader(std::string_view boundary);

    [[nodiscard]] std::string_view rest() const noexcept {
        return std::string_view{arrived_}.substr(taken_);
    }
    [[nodiscard]] request_error malformed(std::string_view why) const;
    [[nodiscard]] input<std::optional<event>> read_delimiter();
    [[nodiscard]] input<std::optional<event>> read_headers();
    [[nodiscard]] input<event> begin_part(std::string_view headers);
    [[nodiscard]] std::optional<event> read_data();

    std::string delimiter_;  ///< Includes the CRLF before it.
    std::string arrived_ = "\r\n";
    std::size_t taken_ = 0;
    state state_ = state::preamble;
    std::string part_;  ///< The name of the last part.
};

}  // namespace reelsd::api
