#pragma once

#include <reelsd/base/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reelsd::cli::mcp {

/// What is wrong with a message. Source: JSON-RPC 2.0, 5.1.
enum class rpc_code : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
};

/// Wants an answer. `id` is a string or an integer, `params` an object.
struct rpc_request {
    json id;
    std::string method;
    json params;
};

/// Wants none.
struct rpc_notification {
    std::string method;
    json params;
};

/// An answer to a request of ours; we make none, so that it means nothing to us.
struct rpc_answer {};

/// What is answered instead of a result. `id` is null where the message had no good one.
struct rpc_fault {
    json id;
    rpc_code code = rpc_code::internal_error;
    std::string message;
};

using rpc_message = std::variant<rpc_request, rpc_notification, rpc_answer, rpc_fault>;

/// One line of the other side's: a message, or several as a batch. At least one message.
struct rpc_line {
    std::vector<rpc_message> messages;
    bool is_batch = false;
};

/// More than any client has to say at once; each could be asked for a long answer.
inline constexpr std::size_t batch_messages_max = 64;

/// Reads any bytes; what is no message comes out as a fault.
[[nodiscard]] rpc_line read_line(std::string_view line);

[[nodiscard]] json answer(json id, json outcome);
[[nodiscard]] json answer(rpc_fault fault);
[[nodiscard]] json notification(std::string_view method, json params);

/// One message as one line without its line break, of UTF-8 that no terminal obeys.
[[nodiscard]] std::string line_of(const json& message);

}  // namespace reelsd::cli::mcp
