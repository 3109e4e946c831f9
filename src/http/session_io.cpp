#include "session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <span>

// What a session waits for: the socket, as its transport wants it, and never beyond its time.
namespace reelsd::http {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// A refused upload is read to its end, so that the answer is not lost to a reset, but not for
/// ever.
constexpr std::size_t linger_bytes_max = std::size_t{8} * 1024 * 1024;

}  // namespace

asio::awaitable<bool> session::wait_for(transport::outcome wanted) {
    const auto direction =
        wanted == transport::outcome::want_write ? tcp::socket::wait_write : tcp::socket::wait_read;
    const auto [failed] =
        co_await transport_.socket().async_wait(direction, asio::as_tuple(asio::deferred));
    co_return !failed || is_late();
}

asio::awaitable<session::reading> session::shake_hands() {
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
        const bool goes_on = wants && !is_late() && co_await wait_for(step);
        if (goes_on) continue;
        host_.log.debug(
            "TLS was not agreed on", {{"reason", transport_.failure()}, {"remote", remote_}});
        co_return reading::closed;
    }
    phase_ = phase::header;  // Within what is left of its time.
    co_return reading::complete;
}

bool session::awaits_plain_head() const noexcept {
    const bool awaits_head = phase_ == phase::idle || phase_ == phase::header;
    return awaits_head && !reader_.has_begun() && !transport_.is_secure();
}

std::string_view session::with_what_follows(std::size_t arrived) {
    const std::string_view begin{arriving_.data(), arrived};
    if (arrived < arriving_.size()) return begin;
    const std::span all{host_.scratch};
    begin.copy(all.data(), arrived);
    const auto more = transport_.read_some(all.subspan(arrived));
    // An end, or a failure, is met again by the next read.
    const auto following = more.how == transport::outcome::done ? more.bytes : std::size_t{0};
    return {all.data(), arrived + following};
}

asio::awaitable<session::received> session::receive() {
    using outcome = transport::outcome;
    auto wanted = outcome::want_read;
    bool is_here = transport_.has_pending();
    if (awaits_plain_head() && !is_late()) {
        const auto [failed, size] = co_await transport_.socket().async_read_some(
            asio::buffer(arriving_), asio::as_tuple(asio::deferred));
        if (!failed) co_return received{arrival::bytes, with_what_follows(size)};
        if (failed == asio::error::eof) co_return received{arrival::ended, {}};
        if (!is_late()) co_return received{arrival::gone, {}};
    }
    for (;;) {
        if (!is_late() && !is_here && !co_await wait_for(wanted)) {
            co_return received{arrival::gone, {}};
        }
        const bool late = is_late();
        // A request that has reached us in time is answered, though still unread: the daemon may
        // have been told to stop, or the whole process may have stood still.
        const bool last_look = phase_ != phase::lingering && !reader_.has_begun();
        if (late && !last_look) co_return received{arrival::late, {}};
        const auto got = transport_.read_some(host_.scratch);
        switch (got.how) {
            case outcome::done:
                co_return received{arrival::bytes, {host_.scratch.data(), got.bytes}};
            case outcome::ended: co_return received{arrival::ended, {}};
            case outcome::failed: co_return received{arrival::gone, {}};
            case outcome::want_read:
            case outcome::want_write: wanted = got.how; break;
        }
        if (late) co_return received{arrival::late, {}};
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

asio::awaitable<bool> session::write(std::string_view head, std::string_view body) {
    using outcome = transport::outcome;
    const auto& options = host_.options;
    const auto end_at = clock::now() + options.write_time_max;
    enter(phase::writing, std::min(options.write_stall_max, options.write_time_max));
    for (;;) {
        const auto left = head.size() + body.size();
        const auto how = write_now(head, body);
        if (head.size() + body.size() < left) {
            late_at_ = std::min(clock::now() + options.write_stall_max, end_at);
        }
        if (how == outcome::done) co_return true;
        if (how == outcome::ended || how == outcome::failed || is_late()) co_return false;
        const bool goes_on = co_await wait_for(how);
        if (!goes_on || is_late()) co_return false;
    }
}

asio::awaitable<void> session::linger() {
    // Closing a socket with unread bytes resets the connection, and a reset may overtake the
    // answer.
    enter(phase::lingering, host_.options.linger_time_max);
    auto said = transport_.end_sending();
    while (said == transport::outcome::want_write) {
        const bool goes_on = co_await wait_for(said);
        if (!goes_on || is_late()) co_return;
        said = transport_.end_sending();
    }
    if (said != transport::outcome::done) co_return;
    std::size_t discarded = 0;
    while (discarded < linger_bytes_max) {
        const auto got = co_await receive();
        if (got.kind != arrival::bytes) co_return;
        discarded += got.bytes.size();
    }
}

}  // namespace reelsd::http
