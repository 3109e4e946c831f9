#include "session.hpp"

#include "../text.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <system_error>

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

/// Serializes a message as one line without a line break, in UTF-8 without terminal controls.
std::string line_of(const json& message) {
    return safe_json(dumped(message));
}

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

/// Makes the progress notifications of one call. Used only by the call's thread.
class call_progress {
public:
    call_progress(json token, revision version)
        : token_(std::move(token)), version_{version} {}  // Braces would make a list of the token.

    /// The notification for a job that has not ended. Its `progress` is the time since the call
    /// began in seconds, because the protocol requires strictly increasing values. Empty if the
    /// text, whole seconds included, is unchanged. Empty for a job that has ended: the answer
    /// follows, and a client that reads both together may close the call before it handles the
    /// notification.
    std::optional<json> notification_for(const job_progress& state) {
        if (has_ended(state)) return std::nullopt;
        const auto milliseconds =
            std::chrono::duration_cast<std::chrono::milliseconds>(monotonic_clock::now() - since_)
                .count();
        auto text = fmt::format("{}, {} s", progress_text(state), milliseconds / 1000);
        if (milliseconds <= last_milliseconds_ || text == last_text_) return std::nullopt;
        last_milliseconds_ = milliseconds;
        last_text_ = text;
        json params{
            {"progressToken", token_}, {"progress", static_cast<double>(milliseconds) / 1000}};
        if (version_ >= revision::of_2025_03_26) params["message"] = std::move(text);
        return notification("notifications/progress", std::move(params));
    }

private:
    json token_;
    revision version_;
    monotonic_clock::time_point since_ = monotonic_clock::now();
    std::int64_t last_milliseconds_ = -1;
    std::string last_text_;
};

/// Part of a client's text that is shown to the user.
constexpr std::size_t foreign_text_shown_max = 100;

std::string shown(std::string_view foreign) {
    return one_line(foreign.substr(0, foreign_text_shown_max));
}

json fault_of(const rpc_request& request, rpc_code code, std::string why) {
    return answer(rpc_fault{.id = request.id, .code = code, .message = std::move(why)});
}

json invalid_request(const rpc_request& request, std::string why) {
    return fault_of(request, rpc_code::invalid_request, std::move(why));
}

json invalid_params(const rpc_request& request, std::string why) {
    return fault_of(request, rpc_code::invalid_params, std::move(why));
}

const json& progress_token_of(const rpc_request& request) {
    return member(member(request.params, "_meta"), "progressToken");
}

bool is_valid_token(const json& token) {
    return token.is_null() || token.is_string() || token.is_number_integer();
}

}  // namespace

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

call_table::~call_table() {
    stop();
}

call_table::start_outcome call_table::start(tool_call& call) {
    join_ended();
    const std::scoped_lock lock{mutex_};
    std::size_t active_calls = 0;
    for (const auto& item : entries_) {
        if (item.is_answered) continue;
        if (item.call.id == call.id) return start_outcome::id_in_use;
        ++active_calls;
    }
    if (active_calls >= calls_max || entries_.size() >= threads_max) return start_outcome::too_many;
    auto& item = entries_.emplace_back();
    std::swap(item.call, call);
    try {
        item.thread = std::jthread{[this, &item](const std::stop_token& stop) { run(item, stop); }};
    } catch (const std::system_error&) {  // No further thread.
        std::swap(item.call, call);
        entries_.pop_back();
        return start_outcome::too_many;
    }
    return start_outcome::started;
}

void call_table::cancel(const json& id) {
    std::stop_source stop_source{std::nostopstate};
    {
        const std::scoped_lock lock{mutex_};
        for (auto& item : entries_) {
            if (item.is_answered || item.call.id != id) continue;
            item.is_cancelled = true;
            stop_source = item.thread.get_stop_source();
        }
    }
    stop_source.request_stop();  // Without the lock: the callbacks it runs may need it.
}

void call_table::stop() {
    {
        const std::scoped_lock lock{mutex_};
        for (auto& item : entries_) item.is_cancelled = true;
    }
    // Only this thread adds and removes entries.
    for (auto& item : entries_) item.thread.request_stop();
    entries_.clear();
}

bool call_table::wait_for_end(std::chrono::milliseconds at_most) {
    std::unique_lock lock{mutex_};
    return ended_.wait_for(lock, at_most, [this] {
        return std::ranges::all_of(entries_, [](const entry& item) { return item.has_ended; });
    });
}

void call_table::run(entry& item, const std::stop_token& stop) {
    auto answer = item.call.run(stop);
    bool is_cancelled = false;
    {
        const std::scoped_lock lock{mutex_};
        is_cancelled = item.is_cancelled;
        // Later cancellations have no effect, and the client may use the id again.
        item.is_answered = true;
    }
    item.call.reply(is_cancelled ? std::nullopt : std::optional{std::move(answer)});
    const std::scoped_lock lock{mutex_};
    item.has_ended = true;
    ended_.notify_all();
}

void call_table::join_ended() {
    const std::scoped_lock lock{mutex_};
    std::erase_if(entries_, [](const entry& item) { return item.has_ended; });
}

session::session(const api_client& server, session_outlets outlets)
    : server_{server}, outlets_{std::move(outlets)}, tools_{make_tools()} {}

void session::take(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    auto parsed = read_line(line);
    if (parsed.is_batch) return take_batch(std::move(parsed.messages));
    const auto send = outlets_.send;
    handle(std::move(parsed.messages.front()), [send](std::optional<json> response) {
        if (response) send(line_of(*response));
    });
}

void session::refuse_long_line() {
    refuse_line(fmt::format("a line must have at most {} bytes", line_bytes_max));
}

void session::refuse_line(std::string reason) {
    outlets_.send(line_of(answer(rpc_fault{
        .id = nullptr, .code = rpc_code::invalid_request, .message = std::move(reason)})));
}

void session::take_batch(std::vector<rpc_message> messages) {
    if (revision_ != revision::of_2025_03_26) {
        return refuse_line("only protocol 2025-03-26 allows batches");
    }
    // Owned by the calls of the batch: the last one sends it.
    const auto batch = std::make_shared<batch_response>(messages.size(), outlets_.send);
    for (auto& message : messages) {
        handle(std::move(message), [batch](std::optional<json> response) {
            batch->add(std::move(response));
        });
    }
}

void session::handle(rpc_message message, const reply& respond) {
    if (auto* const fault = std::get_if<rpc_fault>(&message)) {
        return respond(answer(std::move(*fault)));
    }
    if (auto* const request = std::get_if<rpc_request>(&message)) {
        // A call that was started responds later.
        if (auto response = handle_request(*request, respond)) respond(std::move(response));
        return;
    }
    // Other notifications need no action.
    const auto* const notified = std::get_if<rpc_notification>(&message);
    if (notified && notified->method == "notifications/cancelled") {
        calls_.cancel(member(notified->params, "requestId"));
    }
    respond(std::nullopt);
}

std::optional<json> session::handle_request(rpc_request& request, const reply& respond) {
    if (request.method == "ping") return answer(request.id, json::object());
    if (request.method == "initialize") return initialize(request);
    if (!revision_) return invalid_request(request, "initialize must come first");
    if (request.method == "tools/list") return list_tools(request);
    if (request.method == "tools/call") return call_tool(request, respond);
    auto why = fmt::format("there is no method \"{}\"", shown(request.method));
    return fault_of(request, rpc_code::method_not_found, std::move(why));
}

json session::initialize(const rpc_request& request) {
    if (revision_) return invalid_request(request, "the session is already initialized");
    const auto requested = text_of(request.params, "protocolVersion");
    if (!requested) return invalid_params(request, "protocolVersion must be a string");
    const auto agreed = negotiated(*requested);
    revision_ = agreed;
    const auto& client = member(request.params, "clientInfo");
    outlets_.note(fmt::format(
        "reels mcp: serving {} {} (protocol {})",
        shown(text_or(client, "name", "a client")),
        shown(text_or(client, "version", "without a version")),
        name_of(agreed)));
    json about{{"name", "reels"}};
    if (agreed >= revision::of_2025_06_18) about["title"] = "reelsd";
    about["version"] = REELSD_VERSION;
    return answer(
        request.id,
        {{"protocolVersion", name_of(agreed)},
         {"capabilities", {{"tools", json::object()}}},
         {"serverInfo", std::move(about)},
         {"instructions", instructions()}});
}

json session::list_tools(const rpc_request& request) const {
    if (!member(request.params, "cursor").is_null()) {
        return invalid_params(request, "cursor is unknown: the list has one page");
    }
    auto listed = json::array();
    for (const auto& available : tools_) listed.push_back(to_json(available, *revision_));
    return answer(request.id, {{"tools", std::move(listed)}});
}

std::optional<json> session::call_tool(rpc_request& request, const reply& respond) {
    const auto name = text_of(request.params, "name");
    if (!name) return invalid_params(request, "name must be a string");
    const auto chosen =
        std::ranges::find_if(tools_, [&name](const tool& known) { return known.name == *name; });
    if (chosen == tools_.end()) {
        return invalid_params(request, fmt::format("there is no tool \"{}\"", shown(*name)));
    }
    auto& arguments = request.params["arguments"];
    if (arguments.is_null()) arguments = json::object();
    if (!arguments.is_object()) return invalid_params(request, "arguments must be an object");
    if (!is_valid_token(progress_token_of(request))) {
        return invalid_params(request, "_meta.progressToken must be a string or an integer");
    }
    const auto& called = *chosen;
    tool_call pending_call{
        .id = request.id,
        .run = [this, &called, request](
                   const std::stop_token& stop) { return answer_of_tool(called, request, stop); },
        .reply = respond};
    switch (calls_.start(pending_call)) {
        case call_table::start_outcome::started: return std::nullopt;
        case call_table::start_outcome::id_in_use:
            return invalid_request(request, "the id belongs to a request that is still running");
        case call_table::start_outcome::too_many: break;
    }
    auto refusal = failed(fmt::format(
        "{} calls are running, which is the limit: call again when one of them has ended.",
        call_table::calls_max));
    return answer(request.id, to_json(std::move(refusal), *revision_));
}

json session::answer_of_tool(
    const tool& chosen, const rpc_request& request, const std::stop_token& stop) const {
    // An exception of a tool fails only this call.
    try {
        const tool_context context{
            .server = server_, .stop = stop, .on_progress = progress_reporter(request, stop)};
        auto result = call(chosen, request.params.at("arguments"), context);
        return answer(request.id, to_json(std::move(result), *revision_));
    } catch (const std::exception& why) {
        outlets_.note(fmt::format("reels mcp: {}: {}", chosen.name, shown(why.what())));
        return fault_of(request, rpc_code::internal_error, "internal error");
    }
}

std::function<void(const job_progress&)> session::progress_reporter(
    const rpc_request& request, const std::stop_token& stop) const {
    const auto& token = progress_token_of(request);
    if (token.is_null()) return [](const job_progress&) {};
    const auto reporter = std::make_shared<call_progress>(token, *revision_);
    return [this, reporter, stop](const job_progress& state) {
        if (stop.stop_requested()) return;
        if (const auto message = reporter->notification_for(state))
            outlets_.send(line_of(*message));
    };
}

}  // namespace reelsd::cli::mcp
