#pragma once

#include <reelsd/base/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reelsd::cli::mcp {

/// Supported revisions of the protocol, oldest first. Each has the features of the earlier ones.
/// For a server that only has tools, 2025-11-25 adds nothing.
enum class revision : std::uint8_t {
    of_2024_11_05,
    of_2025_03_26,  ///< Annotations of tools, progress messages, batches (in this one only).
    of_2025_06_18,  ///< Structured results and their schemas, titles.
    of_2025_11_25,
};

inline constexpr auto newest_revision = revision::of_2025_11_25;

[[nodiscard]] std::string_view name_of(revision version) noexcept;

/// The client's revision if it is supported, else the newest: a client that does not support that
/// ends the session.
[[nodiscard]] revision negotiated(std::string_view requested) noexcept;

/// Error codes. Source: JSON-RPC 2.0, 5.1.
enum class rpc_code : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
};

/// A message that requires an answer. `id` is a string or an integer, `params` an object.
struct rpc_request {
    json id;
    std::string method;
    json params;
};

/// A message without an answer.
struct rpc_notification {
    std::string method;
    json params;
};

/// An answer of the client. Ignored, because this server sends no requests.
struct rpc_answer {};

/// An error response. `id` is null if the message has no valid id.
struct rpc_fault {
    json id;
    rpc_code code = rpc_code::internal_error;
    std::string message;
};

using rpc_message = std::variant<rpc_request, rpc_notification, rpc_answer, rpc_fault>;

/// One line of the client: a message, or several as a batch. At least one message.
struct rpc_line {
    std::vector<rpc_message> messages;
    bool is_batch = false;
};

/// Exceeds any real batch; bounds the answers that one line can request.
inline constexpr std::size_t batch_messages_max = 64;

/// Parses any bytes. Invalid messages become faults.
[[nodiscard]] rpc_line read_line(std::string_view line);

[[nodiscard]] json answer(json id, json outcome);
[[nodiscard]] json answer(rpc_fault fault);
[[nodiscard]] json notification(std::string_view method, json params);

/// Serializes a message as one line without a line break, in UTF-8 without terminal controls.
[[nodiscard]] std::string line_of(const json& message);

}  // namespace reelsd::cli::mcp
