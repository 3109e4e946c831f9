#pragma once

#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::api {

/// Reads a multipart/form-data body (RFC 7578) as its bytes arrive, and performs no I/O. Memory:
/// the bytes that have arrived and are not taken, and at most 8 KiB of headers. Source: access.md
/// 4.1.
class multipart_reader {
public:
    /// The value of Content-Type. errc::invalid_argument without a valid boundary.
    [[nodiscard]] static result<multipart_reader> create(std::string_view content_type);

    struct event {
        enum class kind : std::uint8_t {
            part,   ///< A part begins.
            data,   ///< The next bytes of the part.
            end,    ///< The part is whole.
            close,  ///< The body is whole. What follows is ignored.
        };
        kind what;
        std::string name = {};                      ///< Of the part.
        std::optional<std::string> file_name = {};  ///< As sent; nothing for a text.
        std::string_view bytes = {};                ///< Valid until the next append().
    };

    void append(std::string_view bytes);
    /// The next event; nothing when more bytes are needed. errc::invalid_argument for a malformed
    /// body, with a text for the client that names the part.
    [[nodiscard]] result<std::optional<event>> next();

private:
    enum class state : std::uint8_t { preamble, delimiter, headers, data, closed };

    explicit multipart_reader(std::string_view boundary);

    [[nodiscard]] std::string_view rest() const noexcept {
        return std::string_view{arrived_}.substr(taken_);
    }
    [[nodiscard]] error malformed(std::string_view why) const;
    [[nodiscard]] result<std::optional<event>> read_delimiter();
    [[nodiscard]] result<std::optional<event>> read_headers();
    [[nodiscard]] result<event> begin_part(std::string_view headers);
    [[nodiscard]] std::optional<event> read_data();

    std::string delimiter_;  ///< With the CRLF before it.
    std::string arrived_ = "\r\n";
    std::size_t taken_ = 0;
    state state_ = state::preamble;
    std::string part_;  ///< The name of the last part.
};

}  // namespace reelsd::api
