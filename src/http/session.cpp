#include "session.hpp"

#include <reelsd/async/with_deadline.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

namespace reelsd::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::string_view no_memory_message =
    "the server is receiving too much data; try again shortly";

constexpr std::string_view continue_response = "HTTP/1.1 100 Continue\r\n\r\n";

/// Unspecified when the peer has left already.
asio::ip::address address_of(const tcp::socket& socket) {
    error_code failed;
    const auto remote = socket.remote_endpoint(failed);
    return failed ? asio::ip::address{} : unmapped(remote.address());
}

std::string text_of(const asio::ip::address& peer) {
    return peer.is_unspecified() ? "unknown" : peer.to_string();
}

/// Bound on reading the rest of a refused body, as large as a video. A reset would overtake the
/// response.
constexpr std::size_t linger_bytes_max = std::size_t{128} * 1024 * 1024;

response response_for(const refusal& why) {
    return problem_response(why.code, why.message);
}

}  // namespace

/// Marks the session as answering while a handler runs.
struct session::handler_scope : boost::noncopyable {
    handler_scope(session& owner, request_context& ctx) : owner_{owner} {
        owner_.await_handler();
        owner_.context_ = &ctx;
        ++owner_.host_.counts.requests_running;
    }
    ~handler_scope() {
        owner_.context_ = nullptr;
        --owner_.host_.counts.requests_running;
    }

private:
    session& owner_;
};

session::session(tcp::socket socket, session_host& host)
    : host_{host},
      transport_{std::move(socket), host.options.tls.get()},
      reader_{
          {.header_bytes_max = host.options.header_bytes_max,
           .body_bytes_max = host.options.body_bytes_max,
           .routes = &host.routes}},
      buffered_{host.buffered},
      address_{address_of(transport_.socket())},
      remote_{text_of(address_)},
      is_proxy_{
          host.options.forwarded_for && any_contains(host.options.proxy_addresses, address_)} {
    ++host_.counts.connections_open;
}

session::~session() {
    --host_.counts.connections_open;
}

void session::enter(phase next, std::chrono::milliseconds at_most) {
    phase_ = next;
    late_at_ = clock::now() + at_most;
    const bool reads = next == phase::greeting || next == phase::idle || next == phase::header ||
                       next == phase::body;
    if (!host_.draining || !reads) return;
    late_at_ = std::min(late_at_, clock::now() + host_.options.drain_time_max);
}

void session::cut_if_late(clock::time_point now) {
    if (now < late_at_) return;
    if (phase_ == phase::writing && has_client_read()) return;
    error_code ignored;  // Without a pending wait, the next one checks the deadline first.
    transport_.socket().cancel(ignored);
}

void session::drain(clock::time_point now) {
    switch (phase_) {
        case phase::greeting:
        case phase::idle:
        case phase::header:
        case phase::body: late_at_ = std::min(late_at_, now + host_.options.drain_time_max); break;
        case phase::handling: hurry_handler(); break;
        case phase::writing:
        case phase::lingering: break;
    }
    cut_if_late(now);
}

void session::await_handler() noexcept {
    // The handler has its own deadlines.
    phase_ = phase::handling;
    late_at_ = clock::time_point::max();
}

void session::hurry_handler() {
    if (context_) context_->request_stop();
}

void session::enter_reading(request_reader::step step) {
    const auto& options = host_.options;
    const bool is_idle = served_before_ && !reader_.has_begun();
    if (step == request_reader::step::need_body) {
        if (phase_ != phase::body) enter(phase::body, options.body_time_max);
    } else if (is_idle) {
        if (phase_ != phase::idle) enter(phase::idle, options.idle_time_max);
    } else if (phase_ != phase::header) {
        enter(phase::header, options.header_time_max);
    }
}

session::reading session::on_read_end(arrival kind) {
    const bool silent = kind == arrival::gone || phase_ == phase::idle ||
                        (!reader_.has_begun() && (kind == arrival::ended || host_.draining));
    if (silent) return reading::closed;
    if (kind == arrival::ended) {
        refusal_ = {status::bad_request, "the connection ended before the request was complete"};
    } else if (host_.draining) {
        refusal_ = {status::service_unavailable, "the service is shutting down"};
    } else if (phase_ == phase::body) {
        refusal_ = {status::request_timeout, "the request body did not arrive in time"};
    } else {
        refusal_ = {status::request_timeout, "the request header did not arrive in time"};
    }
    return reading::refused;
}

awaitable<bool> session::wait_for(transport::outcome readiness) {
    const auto direction = readiness == transport::outcome::want_write ? tcp::socket::wait_write
                                                                       : tcp::socket::wait_read;
    const auto [failed] =
        co_await transport_.socket().async_wait(direction, asio::as_tuple(asio::deferred));
    co_return !failed || is_late();
}

awaitable<session::reading> session::shake_hands() {
    using outcome = transport::outcome;
    enter(phase::greeting, host_.options.header_time_max);
    for (;;) {
        const auto step = transport_.shake_hands();
        if (step == outcome::done) break;
        if (transport_.has_met_plain_http()) {
            refusal_ = {status::bad_request, "a plain HTTP request was sent to an HTTPS port"};
            co_return reading::refused;
        }
        const bool wants = step == outcome::want_read || step == outcome::want_write;
        const bool is_ready = wants && !is_late() && co_await wait_for(step);
        if (is_ready) continue;
        host_.log.debug(
            "TLS handshake failed", {{"reason", transport_.failure()}, {"remote", remote_}});
        co_return reading::closed;
    }
    phase_ = phase::header;  // The handshake has used some of its time.
    co_return reading::complete;
}

bool session::awaits_plain_head() const noexcept {
    const bool awaits_head = phase_ == phase::idle || phase_ == phase::header;
    return awaits_head && !reader_.has_begun() && !transport_.is_secure();
}

std::string_view session::with_following(std::size_t arrived) {
    const std::string_view begin{arriving_.data(), arrived};
    if (arrived < arriving_.size()) return begin;
    const std::span all{host_.scratch};
    begin.copy(all.data(), arrived);
    const auto more = transport_.read_some(all.subspan(arrived));
    // The next read reports an end or a failure again.
    const auto following = more.how == transport::outcome::done ? more.bytes : std::size_t{0};
    return {all.data(), arrived + following};
}

awaitable<session::received> session::receive() {
    using outcome = transport::outcome;
    auto readiness = outcome::want_read;
    bool is_here = transport_.has_pending();
    if (awaits_plain_head() && !is_late()) {
        const auto [failed, size] = co_await transport_.socket().async_read_some(
            asio::buffer(arriving_), asio::as_tuple(asio::deferred));
        if (!failed) co_return received{arrival::bytes, with_following(size)};
        if (failed == asio::error::eof) co_return received{arrival::ended};
        if (!is_late()) co_return received{arrival::gone};
    }
    for (;;) {
        if (!is_late() && !is_here && !co_await wait_for(readiness)) {
            co_return received{arrival::gone};
        }
        const bool late = is_late();
        // A request that arrived in time is answered although it was not read in time: the daemon
        // may be stopping, or the whole process may have been suspended.
        const bool last_look = phase_ != phase::lingering && !reader_.has_begun();
        if (late && !last_look) co_return received{arrival::late};
        const auto got = transport_.read_some(host_.scratch);
        switch (got.how) {
            case outcome::done:
                co_return received{arrival::bytes, {host_.scratch.data(), got.bytes}};
            case outcome::ended: co_return received{arrival::ended};
            case outcome::failed: co_return received{arrival::gone};
            case outcome::want_read:
            case outcome::want_write: readiness = got.how; break;
        }
        if (late) co_return received{arrival::late};
        is_here = false;
    }
}

transport::outcome session::write_now(std::string_view& head, std::string_view& body) {
    while (!head.empty() || !body.empty()) {
        const auto sent = transport_.write_some(head, body, host_.scratch);
        if (sent.how != transport::outcome::done) return sent.how;
        const auto of_head = std::min(sent.bytes, head.size());
        head.remove_prefix(of_head);
        body.remove_prefix(sent.bytes - of_head);
    }
    return transport::outcome::done;
}

awaitable<bool> session::write(std::string_view head, std::string_view body) {
    using outcome = transport::outcome;
    const auto& options = host_.options;
    enter(phase::writing, std::min(options.write_stall_max, options.write_time_max));
    write_end_at_ = clock::now() + options.write_time_max;
    unread_bytes_ = std::numeric_limits<std::size_t>::max();
    for (;;) {
        const auto left = head.size() + body.size();
        const auto how = write_now(head, body);
        if (how == outcome::done) co_return true;
        if (how == outcome::ended || how == outcome::failed) co_return false;
        if (head.size() + body.size() < left) {
            late_at_ = std::min(clock::now() + options.write_stall_max, write_end_at_);
            unread_bytes_ = transport_.unread_bytes();
        }
        if (is_late() && !has_client_read()) co_return false;
        if (!co_await wait_for(how)) co_return false;
    }
}

bool session::has_client_read() {
    const auto unread = transport_.unread_bytes();
    if (unread >= unread_bytes_) return false;
    unread_bytes_ = unread;
    late_at_ = std::min(clock::now() + host_.options.write_stall_max, write_end_at_);
    return !is_late();
}

awaitable<void> session::linger() {
    // Closing a socket with unread bytes resets the connection, which may discard the response.
    enter(phase::lingering, host_.options.linger_time_max);
    auto outcome = transport_.end_sending();
    while (outcome == transport::outcome::want_write) {
        const bool is_ready = co_await wait_for(outcome);
        if (!is_ready || is_late()) co_return;
        outcome = transport_.end_sending();
    }
    if (outcome != transport::outcome::done) co_return;
    std::size_t discarded = 0;
    while (discarded < linger_bytes_max) {
        const auto got = co_await receive();
        if (got.kind != arrival::bytes) co_return;
        discarded += got.bytes.size();
    }
}

awaitable<session::reading> session::read_request() {
    using step = request_reader::step;
    for (;;) {
        const auto next = reader_.advance();
        if (next == step::complete) co_return reading::complete;
        if (next == step::refused) {
            refusal_ = reader_.why();
            co_return reading::refused;
        }
        if (next == step::send_continue) {
            const bool sent = co_await write(continue_response, {});
            if (!sent) co_return reading::closed;
            continue;
        }
        enter_reading(next);
        const auto got = co_await receive();
        if (got.kind != arrival::bytes) co_return on_read_end(got.kind);
        reader_.append(got.bytes);
        if (!buffered_.resize(reader_.bytes_held())) {
            refusal_ = {status::service_unavailable, no_memory_message};
            co_return reading::refused;
        }
    }
}

class session::stream_reader final : public body_reader {
public:
    explicit stream_reader(session& owner) : owner_{owner} {}

    awaitable<body_piece> read() override {
        using step = request_reader::step;
        auto& reader = owner_.reader_;
        for (;;) {
            const auto next = reader.advance_stream();
            if (next == step::end) co_return body_piece{};
            if (next == step::refused) co_return body_piece{.bytes = {}, .refused = reader.why()};
            if (next == step::piece) {
                piece_ = reader.take_piece();
                owner_.await_handler();
                co_return body_piece{.bytes = piece_};
            }
            if (next == step::send_continue) {
                const bool sent = co_await owner_.write(continue_response, {});
                if (!sent) co_return gone();
                continue;
            }
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - clock::now());
            owner_.enter(phase::body, std::min(owner_.host_.options.stream_stall_max, left));
            const auto got = co_await owner_.receive();
            if (got.kind != arrival::bytes) {
                static_cast<void>(owner_.on_read_end(got.kind));
                owner_.await_handler();
                co_return got.kind == arrival::gone ? gone() : body_piece{{}, owner_.refusal_};
            }
            reader.append(got.bytes);
        }
    }

private:
    static body_piece gone() {
        return {
            .bytes = {}, .refused = refusal{status::bad_request, "the client has disconnected"}};
    }

    session& owner_;
    clock::time_point end_ = clock::now() + owner_.host_.options.stream_time_max;
    std::string piece_;
};

/// Between two pieces the session waits for the source as for a handler.
class session::stream_writer final : public body_writer {
public:
    /// `held`: bytes of the connection besides the piece that is being written.
    stream_writer(session& owner, request_context& ctx, bool in_chunks, std::size_t held)
        : owner_{owner}, ctx_{ctx}, in_chunks_{in_chunks}, held_{held} {}

    awaitable<bool> write(std::string_view piece) override {
        if (piece.empty() || !is_whole_) co_return is_whole_;  // An empty chunk would be the last.
        if (!owner_.buffered_.resize(held_ + piece.size())) {
            is_whole_ = false;  // The header is sent: an error can no longer be reported.
        } else if (in_chunks_) {
            is_whole_ = co_await owner_.write(fmt::format("{:x}\r\n", piece.size()), piece) &&
                        co_await owner_.write("\r\n", {});
        } else {
            is_whole_ = co_await owner_.write(piece, {});
        }
        if (is_whole_) bytes_ += piece.size();
        static_cast<void>(owner_.buffered_.resize(held_));  // Less than before.
        owner_.await_handler();
        if (owner_.host_.draining || !is_whole_) ctx_.request_stop();
        co_return is_whole_;
    }

    [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    session& owner_;
    request_context& ctx_;
    bool in_chunks_;
    std::size_t held_;
    bool is_whole_ = true;
    std::size_t bytes_ = 0;
};

awaitable<bool> session::stream(
    request_context& ctx, const body_source& source, stream_form form, std::size_t& written) {
    const handler_scope shown{*this, ctx};
    stream_writer writer{*this, ctx, form.in_chunks, form.bytes_held};
    bool is_whole = false;
    try {
        co_await source(writer);
        is_whole = writer.is_whole();
    } catch (...) {
        // The header is sent: a body without its end tells the client.
        host_.log.warning(
            "streamed response aborted",
            {{"reason", text_of(std::current_exception())}, {"request", ctx.request().id}});
    }
    written = writer.bytes();
    if (is_whole && form.in_chunks) is_whole = co_await write("0\r\n\r\n", {});
    co_return is_whole;
}

response session::map_exception(request_context& ctx, const std::exception_ptr& thrown) const {
    if (host_.options.map_exception) {
        if (const auto known = host_.options.map_exception(thrown)) return ctx.problem(*known);
    }
    if (async::detail::is_cancellation(thrown)) {
        return ctx.problem(error{errc::cancelled, "the request was stopped"});
    }
    return ctx.problem(error{errc::internal, text_of(thrown)});
}

void session::set_client(request& incoming) const {
    // A proxy on this machine connects from a loopback address, too, and the client that it names
    // may be unreadable.
    incoming.is_local = address_.is_loopback() && !incoming.headers.find("X-Forwarded-For") &&
                        !incoming.headers.find("Forwarded");
    incoming.remote =
        is_proxy_
            ? client_behind(address_, incoming.headers, host_.options.proxy_addresses).to_string()
            : remote_;
}

/// The client's id if it is usable, else a random one.
std::string session::response_id(std::optional<std::string_view> client_id) {
    if (client_id && is_sane_request_id(*client_id)) return std::string{*client_id};
    return fmt::format("{:016x}", host_.random());
}

void session::count_response(status code) {
    const auto group = number_of(code) / 100;
    ++host_.counts.responses[group < host_.counts.responses.size() ? group : 0];
}

void session::report_request(
    const request_context& ctx, const response& answer, std::size_t bytes, clock::duration took,
    bool sent) {
    const auto& incoming = ctx.request();
    if (host_.options.on_request_end) {
        host_.options.on_request_end(
            {.method = incoming.method,
             .route = ctx.route(),
             .code = answer.code(),
             .bytes = bytes,
             .took = took});
    }
    // Without the query, which can contain personal data.
    host_.log.info(
        sent ? "request" : "request abandoned by its client",
        {{"method", incoming.method_text},
         {"path", incoming.target.path()},
         {"status", number_of(answer.code())},
         {"bytes", bytes},
         {"ms", std::chrono::duration<double, std::milli>(took).count()},
         {"request", incoming.id},
         {"remote", incoming.remote}});
}

request session::take_request(request_form& form) {
    auto message = reader_.take();
    form = message;
    auto& incoming = message.request;
    incoming.id = response_id(incoming.headers.find("X-Request-Id"));
    set_client(incoming);
    return std::move(incoming);
}

awaitable<bool> session::exchange() {
    const auto began = clock::now();
    const auto answer_by = deadline::at(began + host_.options.answer_time_max);
    request_form form;
    request_context ctx{take_request(form), host_.log, answer_by};
    stream_reader body{*this};
    if (form.streams_body) ctx.set_body_stream(body);

    response answer{status::internal_server_error};
    try {
        const handler_scope shown{*this, ctx};
        answer = co_await host_.routes.answer(ctx);
    } catch (...) {
        // The request boundary: an exception of a handler fails one request.
        answer = map_exception(ctx, std::current_exception());
    }
    // Only reads are refused: a request that has changed something must report so, and its response
    // has few bytes more than the request.
    const auto of_request = form.head_bytes + ctx.request().body.size();
    const bool is_read_only =
        ctx.request().method == verb::get || ctx.request().method == verb::head;
    if (!buffered_.resize(reader_.bytes_held() + of_request + answer.bytes_held()) &&
        is_read_only) {
        answer = response_for({status::service_unavailable, no_memory_message});
    }

    const auto* const streamed = answer.stream();
    const bool is_sized = answer.stream_bytes().has_value();
    const bool has_end = streamed == nullptr || is_sized || form.is_version_1_1;
    const bool is_body_read = !reader_.has_open_body();
    bool keep_alive = form.keep_alive && !host_.draining && has_end && is_body_read;
    const auto head = response_head(
        answer,
        {.request_id = ctx.request().id,
         .date = host_.date.text(std::chrono::system_clock::now()),
         .keep_alive = keep_alive,
         .is_version_1_1 = form.is_version_1_1,
         .hsts = host_.options.hsts,
         .idle_time_max =
             std::chrono::duration_cast<std::chrono::seconds>(host_.options.idle_time_max)});
    const bool with_body = may_have_body(answer.code()) && ctx.request().method != verb::head;
    auto bytes = with_body ? answer.body().size() : std::size_t{0};
    std::string_view head_left = head;
    auto body_left = with_body ? answer.body() : std::string_view{};
    // Nearly always all of it fits into the send buffer.
    bool sent = write_now(head_left, body_left) == transport::outcome::done;
    if (!sent) sent = co_await write(head_left, body_left);
    if (sent && with_body && streamed != nullptr) {
        const stream_form pieces{
            .in_chunks = form.is_version_1_1 && !is_sized,
            .bytes_held = reader_.bytes_held() + of_request};
        sent = co_await stream(ctx, *streamed, pieces, bytes);
        sent = sent && (!is_sized || bytes == *answer.stream_bytes());
        keep_alive = keep_alive && !host_.draining;
    }
    count_response(answer.code());
    report_request(ctx, answer, bytes, clock::now() - began, sent);
    served_before_ = true;
    if (!is_body_read) reader_.drop();
    static_cast<void>(buffered_.resize(reader_.bytes_held()));  // Less than before.
    if (sent && !keep_alive) co_await linger();
    co_return sent&& keep_alive;
}

awaitable<void> session::refuse() {
    const auto id = response_id(reader_.request_id());
    // The client may read the response slowly.
    reader_.drop();
    buffered_.clear();
    const auto refused = response_for(refusal_);
    // Not over plain HTTP (RFC 6797 7.2).
    const auto hsts = transport_.has_met_plain_http() ? strict_transport::off : host_.options.hsts;
    const auto head = response_head(
        refused,
        {.request_id = id,
         .date = host_.date.text(std::chrono::system_clock::now()),
         .keep_alive = false,
         .is_version_1_1 = true,
         .hsts = hsts});
    const bool sent = co_await write(head, refused.body());
    count_response(refusal_.code);
    host_.log.info(
        "request refused",
        {{"status", number_of(refusal_.code)},
         {"reason", refusal_.message},
         {"request", id},
         {"remote", remote_}});
    if (sent) co_await linger();
}

awaitable<void> session::run() {
    auto outcome = co_await shake_hands();
    if (outcome == reading::complete) outcome = co_await read_request();
    for (;;) {
        switch (outcome) {
            case reading::complete: break;
            case reading::refused: co_await refuse(); co_return;
            case reading::closed: transport_.send_close_notify(); co_return;
        }
        const bool keep_alive = co_await exchange();
        if (!keep_alive) co_return;
        outcome = co_await read_request();
    }
}

awaitable<void> session::reject(std::string_view reason) {
    const auto outcome = co_await shake_hands();
    if (outcome == reading::closed) co_return;
    if (outcome == reading::complete) refusal_ = {status::service_unavailable, reason};
    co_await refuse();
}

}  // namespace reelsd::http
