#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Conditions and ranges of requests for a stored file (RFC 9110, sections 13 and 14).
namespace reelsd::api {

/// Fields of a request that select what is sent of a file.
struct range_request {
    std::optional<std::string_view> if_match = {};
    std::optional<std::string_view> if_none_match = {};
    std::optional<std::string_view> if_range = {};
    std::optional<std::string_view> range = {};
};

/// What to send.
struct range_answer {
    enum class kind : std::uint8_t {
        whole,
        part,
        not_satisfiable,
        not_modified,
        precondition_failed,
    };

    kind what = kind::whole;
    std::uint64_t first = 0;  ///< Offset of the first byte of the part or the whole.
    std::uint64_t bytes = 0;  ///< Bytes of the part or the whole.

    friend bool operator==(const range_answer&, const range_answer&) = default;
};

/// Decides which bytes of a file of `size` bytes (1 or more) with the strong `etag`, quotes
/// included, answer a request. Several ranges, another unit and malformed ranges are ignored: the
/// answer is the whole file. Pure.
[[nodiscard]] range_answer answer_range(
    const range_request& request, std::uint64_t size, std::string_view etag);

}  // namespace reelsd::api
