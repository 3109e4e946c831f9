#include <reelsd/base/invariant.hpp>
#include <reelsd/http/request_context.hpp>
#include <reelsd/http/static_files.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::http {

namespace {

namespace asio = boost::asio;

/// The compressor blocks the loop. The fastest level takes 1 ms for 100 KB of JSON and saves four
/// fifths of it.
constexpr int level = Z_BEST_SPEED;
/// Input that is compressed before the loop serves other requests.
constexpr std::size_t step_bytes = std::size_t{64} * 1024;
constexpr std::size_t output_bytes = std::size_t{16} * 1024;

class compressor {
public:
    compressor() {
        constexpr int gzip_format = 16;
        constexpr int memory_level_usual = 8;
        const int initialized = ::deflateInit2(
            &stream_,
            level,
            Z_DEFLATED,
            MAX_WBITS + gzip_format,
            memory_level_usual,
            Z_DEFAULT_STRATEGY);
        if (initialized != Z_OK) throw std::bad_alloc{};
    }
    compressor(const compressor&) = delete;
    compressor& operator=(const compressor&) = delete;
    ~compressor() { ::deflateEnd(&stream_); }

    /// Appends the compressed form of `in` to `out`; with Z_FINISH, also all buffered output.
    void run(std::string_view in, int flush, std::string& out) {
        // zlib only reads there. NOLINTNEXTLINE(*-pro-type-const-cast,*-pro-type-reinterpret-cast)
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
        stream_.avail_in = static_cast<uInt>(in.size());
        do {
            const auto before = out.size();
            out.resize(before + output_bytes);
            // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): zlib's type for bytes
            stream_.next_out = reinterpret_cast<Bytef*>(&out[before]);
            stream_.avail_out = static_cast<uInt>(output_bytes);
            // Z_BUF_ERROR means that there is nothing left to do.
            invariant(::deflate(&stream_, flush) != Z_STREAM_ERROR);
            out.resize(out.size() - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

private:
    z_stream stream_{};
};

class gzip_writer final : public body_writer {
public:
    explicit gzip_writer(body_writer& target) : target_{target} {}

    asio::awaitable<bool> write(std::string_view piece) override {
        while (!piece.empty()) {
            const auto step = piece.substr(0, step_bytes);
            piece.remove_prefix(step.size());
            if (!co_await send(step, Z_NO_FLUSH)) co_return false;
            co_await asio::post(co_await asio::this_coro::executor, asio::deferred);
        }
        co_return true;
    }

    asio::awaitable<bool> finish() { return send({}, Z_FINISH); }

private:
    asio::awaitable<bool> send(std::string_view piece, int flush) {
        std::string out;
        compressor_.run(piece, flush, out);
        // The compressor may buffer a whole piece; then the client's presence is not known.
        co_return out.empty() || co_await target_.write(out);
    }

    body_writer& target_;
    compressor compressor_;
};

/// `source` outlives the call.
asio::awaitable<void> send_compressed(const body_source& source, body_writer& body) {
    gzip_writer compressed{body};
    co_await source(compressed);
    static_cast<void>(co_await compressed.finish());  // The session knows whether it was sent.
}

response compressed(response& answer) {
    if (answer.stream() != nullptr) {
        auto send = [source = answer.take_stream()](body_writer& body) {
            return send_compressed(source, body);
        };
        return response::of_stream(answer.content_type(), std::move(send));
    }
    std::string body;
    compressor{}.run(answer.body(), Z_FINISH, body);
    return response{answer.code(), answer.content_type(), std::move(body)};
}

}  // namespace

response gzip_if_accepted(const request_context& ctx, response answer) {
    const auto codings = ctx.header("Accept-Encoding");
    if (codings && accepts_gzip(*codings)) {
        auto smaller = compressed(answer);
        for (const auto& [name, value] : answer.fields()) smaller.add(name, value);
        smaller.set("Content-Encoding", "gzip");
        answer = std::move(smaller);
    }
    answer.set("Vary", "Accept-Encoding");
    return answer;
}

}  // namespace reelsd::http
