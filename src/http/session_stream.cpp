#include "session_answering.hpp"

#include <fmt/format.h>

#include <utility>

namespace reelsd::http {

namespace asio = boost::asio;

std::string reason_for(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& why) {
        return why.what();
    } catch (...) {
        // Only the reason for the log is asked for here; the answer is 500 either way.
        return "an exception of unknown type";
    }
}

/// Between two pieces the session waits for the source as for any handler.
class session::stream_writer final : public body_writer {
public:
    /// `held`: what the connection holds beside the piece that is being written.
    stream_writer(session& owner, request_context& ctx, bool in_chunks, std::size_t held)
        : owner_{owner}, ctx_{ctx}, in_chunks_{in_chunks}, held_{held} {}

    asio::awaitable<bool> write(std::string_view piece) override {
        if (piece.empty() || !is_whole_) co_return is_whole_;  // An empty chunk would be the last.
        if (!owner_.buffered_.resize(held_ + piece.size())) {
            is_whole_ = false;  // No other way is left to say that there is no memory for it.
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

asio::awaitable<bool> session::stream(
    request_context& ctx, const body_source& source, stream_form form, std::size_t& written) {
    const answering shown{*this, ctx};
    const bool in_chunks = form.in_chunks;
    stream_writer writer{*this, ctx, in_chunks, form.bytes_held};
    bool is_whole = false;
    try {
        co_await source(writer);
        is_whole = writer.is_whole();
    } catch (...) {
        // The header is out: all that is left is not to end the body.
        host_.log.warning(
            "streamed answer was cut",
            {{"reason", reason_for(std::current_exception())}, {"request", ctx.request().id}});
    }
    written = writer.bytes();
    if (is_whole && in_chunks) is_whole = co_await write("0\r\n\r\n", {});
    co_return is_whole;
}

}  // namespace reelsd::http
