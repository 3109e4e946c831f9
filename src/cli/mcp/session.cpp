#include "session.hpp"

#include "../page.hpp"
#include "../text.hpp"
#include "call_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace reelsd::cli::mcp {
namespace {

/// Collects the responses to a batch and sends them as one array once every message is handled.
/// Thread-safe.
class batch_response {
public:
    /// Sends nothing when no message has a response.
    batch_response(std::size_t messages, std::function<void(std::string line)> send)
        : missing_{messages}, send_{std::move(send)} {}

    /// Called once for each message; empty for one without a response.
    void add(std::optional<json> response) {
        {
            const std::scoped_lock lock{mutex_};
            if (response) responses_.push_back(*std::move(response));
            if (--missing_ > 0 || responses_.empty()) return;
        }
        send_(line_of(responses_));  // Complete: no other thread calls add() again.
    }

private:
    std::mutex mutex_;
    std::size_t missing_;
    json responses_ = json::array();
    std::function<void(std::string line)> send_;
};

/// What a client says of itself is shown to people, in part.
constexpr std::size_t foreign_text_shown_max = 100;

std::string shown(std::string_view foreign) {
    return printable(foreign.substr(0, foreign_text_shown_max), line_breaks::to_blank);
}

json fault_of(const rpc_request& request, rpc_code code, std::string why) {
    return answer(rpc_fault{.id = request.id, .code = code, .message = std::move(why)});
}

/// Strings and integers, as for ids.
const json& progress_token_of(const rpc_request& request) {
    return member(member(request.params, "_meta"), "progressToken");
}

bool is_good_token(const json& token) {
    return token.is_null() || token.is_string() || token.is_number_integer();
}

}  // namespace

session::session(reel_server& server, session_outlets outlets)
    : server_{server}, outlets_{std::move(outlets)}, tools_{make_tools()} {}

void session::take(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    auto read = read_line(line);
    if (read.is_batch) return take_batch(std::move(read.messages));
    const auto send = outlets_.send;
    handle(std::move(read.messages.front()), [send](std::optional<json> made) {
        if (made) send(line_of(*made));
    });
}

void session::refuse_long_line() {
    outlets_.send(line_of(answer(rpc_fault{
        .id = nullptr,
        .code = rpc_code::invalid_request,
        .message = fmt::format("a line must have at most {} bytes", line_bytes_max)})));
}

void session::take_batch(std::vector<rpc_message> messages) {
    if (spoken_ != revision::of_2025_03_26) {
        outlets_.send(line_of(answer(rpc_fault{
            .id = nullptr,
            .code = rpc_code::invalid_request,
            .message = "only protocol 2025-03-26 allows batches"})));
        return;
    }
    // Owned by the calls that are part of it: whichever is last sends it.
    const auto batch = std::make_shared<batch_response>(messages.size(), outlets_.send);
    for (auto& message : messages) {
        handle(
            std::move(message), [batch](std::optional<json> made) { batch->add(std::move(made)); });
    }
}

void session::handle(rpc_message message, const reply& give) {
    if (auto* const fault = std::get_if<rpc_fault>(&message)) {
        return give(answer(std::move(*fault)));
    }
    if (auto* const request = std::get_if<rpc_request>(&message)) {
        return handle_request(std::move(*request), give);
    }
    if (const auto* const told = std::get_if<rpc_notification>(&message)) {
        handle_notification(*told);
    }
    give(std::nullopt);
}

void session::handle_request(rpc_request request, const reply& give) {
    if (request.method == "ping") return give(answer(request.id, json::object()));
    if (request.method == "initialize") return initialize(std::move(request), give);
    if (!spoken_) {
        return give(fault_of(request, rpc_code::invalid_request, "initialize must come first"));
    }
    if (request.method == "tools/list") return list_tools(std::move(request), give);
    if (request.method == "tools/call") return call_tool(std::move(request), give);
    auto why = fmt::format("there is no method \"{}\"", shown(request.method));
    give(fault_of(request, rpc_code::method_not_found, std::move(why)));
}

void session::handle_notification(const rpc_notification& told) {
    if (told.method == "notifications/cancelled") calls_.cancel(member(told.params, "requestId"));
    // Whatever else a client tells changes nothing here.
}

void session::initialize(rpc_request request, const reply& give) {
    if (spoken_) {
        return give(
            fault_of(request, rpc_code::invalid_request, "the session is already initialized"));
    }
    const auto asked_for = text_of(request.params, "protocolVersion");
    if (!asked_for) {
        return give(
            fault_of(request, rpc_code::invalid_params, "protocolVersion must be a string"));
    }
    const auto agreed = negotiated(*asked_for);
    spoken_ = agreed;
    const auto& client = member(request.params, "clientInfo");
    outlets_.note(fmt::format(
        "reels mcp: serving {} {} (protocol {})",
        shown(text_or(client, "name", "a client")),
        shown(text_or(client, "version", "without a version")),
        name_of(agreed)));
    json about{{"name", "reels"}};
    if (agreed >= revision::of_2025_06_18) about["title"] = "reelsd";
    about["version"] = REELSD_VERSION;
    give(answer(
        std::move(request.id),
        {{"protocolVersion", name_of(agreed)},
         {"capabilities", {{"tools", json::object()}}},
         {"serverInfo", std::move(about)},
         {"instructions", instructions()}}));
}

void session::list_tools(rpc_request request, const reply& give) const {
    if (!member(request.params, "cursor").is_null()) {
        return give(fault_of(
            request, rpc_code::invalid_params, "cursor is unknown: the list has one page"));
    }
    auto listed = json::array();
    for (const auto& one : tools_) listed.push_back(to_json(one, *spoken_));
    give(answer(std::move(request.id), {{"tools", std::move(listed)}}));
}

void session::call_tool(rpc_request request, const reply& give) {
    const auto name = text_of(request.params, "name");
    if (!name) return give(fault_of(request, rpc_code::invalid_params, "name must be a string"));
    const auto chosen = std::find_if(
        tools_.begin(), tools_.end(), [&name](const tool& one) { return one.name == *name; });
    if (chosen == tools_.end()) {
        auto why = fmt::format("there is no tool \"{}\"", shown(*name));
        return give(fault_of(request, rpc_code::invalid_params, std::move(why)));
    }
    auto& arguments = request.params["arguments"];
    if (arguments.is_null()) arguments = json::object();
    if (!arguments.is_object()) {
        return give(fault_of(request, rpc_code::invalid_params, "arguments must be an object"));
    }
    if (!is_good_token(progress_token_of(request))) {
        return give(fault_of(
            request,
            rpc_code::invalid_params,
            "_meta.progressToken must be a string or an integer"));
    }
    const auto& called = *chosen;
    tool_call pending_call{
        .id = request.id,
        .run = [this, &called, request](
                   const std::stop_token& stop) { return answer_of_tool(called, request, stop); },
        .reply = give};
    switch (calls_.start(pending_call)) {
        case call_table::start_outcome::started: return;
        case call_table::start_outcome::id_in_use:
            return give(fault_of(
                request,
                rpc_code::invalid_request,
                "the id belongs to a request that is still running"));
        case call_table::start_outcome::too_many: break;
    }
    auto refusal = failed(fmt::format(
        "{} calls are under way, which is the limit: call again when one of them has ended.",
        call_table::calls_max));
    give(answer(std::move(request.id), to_json(std::move(refusal), *spoken_)));
}

json session::answer_of_tool(
    const tool& chosen, const rpc_request& request, const std::stop_token& stop) const {
    // The request's boundary: whatever a tool throws is our fault, and this call's alone.
    try {
        const tool_context context{
            .server = server_, .stop = stop, .on_progress = progress_reporter(request, stop)};
        auto made = call(chosen, request.params.at("arguments"), context);
        return answer(request.id, to_json(std::move(made), *spoken_));
    } catch (const std::exception& why) {
        outlets_.note(fmt::format("reels mcp: {}: {}", chosen.name, shown(why.what())));
        return fault_of(request, rpc_code::internal_error, "internal error");
    }
}

std::function<void(const job_progress&)> session::progress_reporter(
    const rpc_request& request, const std::stop_token& stop) const {
    const auto& token = progress_token_of(request);
    if (token.is_null()) return [](const job_progress&) {};
    const auto reporter = std::make_shared<call_progress>(token, *spoken_);
    return [this, reporter, stop](const job_progress& state) {
        if (stop.stop_requested()) return;
        if (const auto message = reporter->message_about(state)) outlets_.send(line_of(*message));
    };
}

}  // namespace reelsd::cli::mcp
