#pragma once

#include <reelsd/base/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reelsd::cli::mcp {

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
