#include "message.hpp"

#include "../text.hpp"
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

#include <array>

namespace reelsd::cli::mcp {
namespace {

rpc_fault invalid_message(json id, std::string why) {
    return {.id = std::move(id), .code = rpc_code::invalid_request, .message = std::move(why)};
}

/// Unlike JSON-RPC, the protocol excludes null.
bool is_valid_id(const json& id) {
    return id.is_string() || id.is_number_integer();
}

rpc_message read_call(const json& object, const json& method) {
    const bool wants_answer = object.contains("id");
    const auto id = wants_answer ? object.at("id") : json(nullptr);
    if (wants_answer && !is_valid_id(id)) {
        return invalid_message(nullptr, "id must be a string or an integer");
    }
    if (!method.is_string()) return invalid_message(id, "method must be a string");
    auto params = object.value("params", json());
    if (params.is_null()) params = json::object();
    if (!wants_answer) return rpc_notification{method.get<std::string>(), std::move(params)};
    if (!params.is_object()) {
        return rpc_fault{
            .id = id, .code = rpc_code::invalid_params, .message = "params must be an object"};
    }
    return rpc_request{id, method.get<std::string>(), std::move(params)};
}

rpc_message read_message(const json& message) {
    if (!message.is_object()) return invalid_message(nullptr, "a message must be an object");
    const auto& given_id = member(message, "id");
    const auto id = is_valid_id(given_id) ? given_id : json(nullptr);
    if (member(message, "jsonrpc") != "2.0") {
        return invalid_message(id, "jsonrpc must be \"2.0\"");
    }
    const auto method = message.find("method");
    if (method != message.end()) return read_call(message, *method);
    if (message.contains("result") || message.contains("error")) return rpc_answer{};
    return invalid_message(id, "method is missing");
}

}  // namespace

std::string_view name_of(revision version) noexcept {
    switch (version) {
        case revision::of_2024_11_05: return "2024-11-05";
        case revision::of_2025_03_26: return "2025-03-26";
        case revision::of_2025_06_18: return "2025-06-18";
        case revision::of_2025_11_25: return "2025-11-25";
    }
    return {};
}

revision negotiated(std::string_view requested) noexcept {
    constexpr std::array older{
        revision::of_2024_11_05, revision::of_2025_03_26, revision::of_2025_06_18};
    for (const auto version : older) {
        if (name_of(version) == requested) return version;
    }
    return newest_revision;
}

rpc_line read_line(std::string_view line) {
    const auto document = parse_foreign_json(line);
    if (document.is_discarded()) {
        rpc_fault fault{
            .id = nullptr,
            .code = rpc_code::parse_error,
            .message = fmt::format(
                "a line must be JSON in UTF-8, nested at most {} levels", foreign_json_depth_max)};
        return {.messages = {std::move(fault)}};
    }
    if (!document.is_array()) return {.messages = {read_message(document)}};
    if (document.empty()) {
        return {.messages = {invalid_message(nullptr, "a batch must have a message")}};
    }
    if (document.size() > batch_messages_max) {
        auto why = fmt::format("a batch must have at most {} messages", batch_messages_max);
        return {.messages = {invalid_message(nullptr, std::move(why))}};
    }
    rpc_line batch{.messages = {}, .is_batch = true};
    for (const auto& message : document) batch.messages.push_back(read_message(message));
    return batch;
}

json answer(json id, json outcome) {
    return {{"jsonrpc", "2.0"}, {"id", std::move(id)}, {"result", std::move(outcome)}};
}

json answer(rpc_fault fault) {
    json why{{"code", static_cast<int>(fault.code)}, {"message", std::move(fault.message)}};
    return {{"jsonrpc", "2.0"}, {"id", std::move(fault.id)}, {"error", std::move(why)}};
}

json notification(std::string_view method, json params) {
    return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::string line_of(const json& message) {
    return safe_json(message.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace reelsd::cli::mcp
