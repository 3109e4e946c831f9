#pragma once

#include <reelsd/async/condition.hpp>
#include <reelsd/http/server.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>
#include <support/raw_http.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace reelsd::http {

inline constexpr const char* get_hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
inline constexpr const char* get_wait = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n";

/// The real server on loopback, on its own thread, with a few handlers. Tests use raw sockets.
struct Served : ::testing::Test {
    struct lost_database : std::runtime_error {
        lost_database() : runtime_error{"SELECT secret"} {}
    };

    Served() {
        options.linger_time_max = std::chrono::milliseconds{60};
        options.drain_time_max = std::chrono::milliseconds{60};
        options.address = {.host = "127.0.0.1", .port = 0};
        options.map_exception = &Served::map_exception;
        options.on_request_end = [this](const request_report& report) { note(report); };
    }

    ~Served() override {
        if (thread.joinable()) stop(deadline::after(std::chrono::seconds{5}));
    }

    void start() {
        routes.add(verb::get, "/hello", &Served::hello);
        routes.add(verb::post, "/echo", &Served::echo);
        routes.add(verb::post, "/count", &Served::count, {.streams_body = [](const request&) {
                       return true;
                   }});
        routes.add(verb::get, "/throw", &Served::fail);
        routes.add(verb::get, "/lost", &Served::lose_database);
        routes.add(verb::get, "/big", &Served::big);
        routes.add(verb::remove, "/thing", &Served::remove_thing);
        routes.add(verb::get, "/wait", [this](request_context& ctx) { return wait(ctx); });
        routes.add(verb::get, "/stream", [this](request_context& ctx) { return stream(ctx); });
        routes.add(verb::get, "/stuck", [this](request_context& ctx) { return stick(ctx); });
        served =
            std::make_unique<server>(loop.get_executor(), routes, log::logger::silent(), options);
        const auto bound = served->start();
        if (!bound) throw std::runtime_error{bound.error().to_string()};
        port = *bound;
        thread = std::thread{[this] { loop.run(); }};
    }

    void stop(deadline by) {
        boost::asio::co_spawn(loop, served->stop(by), boost::asio::use_future).get();
        thread.join();
    }

    /// Runs `ask` on the loop's thread and returns its value.
    template <class Ask>
    auto on_loop(Ask ask) {
        return boost::asio::post(loop, std::packaged_task<decltype(ask())()>{std::move(ask)}).get();
    }

    server_counts counts() {
        return on_loop([this] { return served->counts(); });
    }

    /// Waits until `holds(counts())`. The test's time limit ends an endless wait.
    template <class Condition>
    void await_counts(Condition holds) {
        while (!holds(counts())) std::this_thread::yield();
    }

    std::vector<std::string> exchanges() {
        const std::lock_guard held{reports_mutex};
        return reports;
    }

    static boost::asio::awaitable<response> hello(request_context& ctx) {
        co_return ctx.json_text(status::ok, "hello");
    }
    /// Reads the body while it arrives. Refuses one that begins with '-'.
    static boost::asio::awaitable<response> count(request_context& ctx) {
        std::size_t bytes = 0;
        for (;;) {
            const auto piece = co_await ctx.body_stream()->read();
            if (piece.refused) co_return ctx.problem(piece.refused->code, piece.refused->message);
            if (piece.bytes.empty()) break;
            if (bytes == 0 && piece.bytes.front() == '-') {
                co_return ctx.problem(status::conflict, "not this one");
            }
            bytes += piece.bytes.size();
        }
        co_return ctx.json_text(status::ok, std::to_string(bytes));
    }

    static boost::asio::awaitable<response> echo(request_context& ctx) {
        co_return ctx.json_text(status::ok, ctx.request().body);
    }
    static boost::asio::awaitable<response> fail(request_context& ctx) {
        if (ctx.request().id != "never") throw std::runtime_error{"/secret/path"};
        co_return ctx.no_content();
    }
    static boost::asio::awaitable<response> lose_database(request_context& ctx) {
        if (ctx.request().id != "never") throw lost_database{};
        co_return ctx.no_content();
    }
    static boost::asio::awaitable<response> big(request_context& ctx) {
        co_return ctx.json_text(status::ok, std::string(std::size_t{8} << 20U, 'x'));
    }
    static boost::asio::awaitable<response> remove_thing(request_context& ctx) {
        co_return ctx.no_content();
    }
    /// A long poll: waits until it is released or stopped.
    boost::asio::awaitable<response> wait(request_context& ctx) {
        const auto stop = ctx.stop();
        const std::stop_callback wake{stop, [this] { released.notify_all(); }};
        const auto by = deadline::after(std::chrono::hours{1});
        if (!stop.stop_requested()) co_await released.wait(by);
        co_return ctx.json_text(status::ok, stop.stop_requested() ? "stopped" : "released");
    }
    /// Two pieces, the second when it is released or stopped; `?cut` throws instead.
    boost::asio::awaitable<response> stream(request_context& ctx) {
        co_return response::of_stream(
            "text/plain", [this, &ctx](body_writer& body) { return write_pieces(ctx, body); });
    }
    boost::asio::awaitable<void> write_pieces(request_context& ctx, body_writer& body) {
        if (!co_await body.write("first;")) co_return;
        const auto stop = ctx.stop();
        const std::stop_callback wake{stop, [this] { released.notify_all(); }};
        const auto by = deadline::after(std::chrono::hours{1});
        if (!stop.stop_requested()) co_await released.wait(by);
        if (ctx.query("cut")) throw std::runtime_error{"cut"};
        const bool sent = co_await body.write(stop.stop_requested() ? "stopped;" : "second;");
        const std::lock_guard held{reports_mutex};
        reports.emplace_back(sent ? "stream sent" : "stream lost");
    }
    /// Ignores stop requests.
    boost::asio::awaitable<response> stick(request_context& ctx) {
        co_await never.wait(deadline::after(std::chrono::hours{1}));
        co_return ctx.no_content();
    }

    static std::optional<error> map_exception(const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const lost_database& why) {
            return error{errc::database_unavailable, why.what()};
        } catch (const std::exception&) {
            return std::nullopt;
        }
    }

    void note(const request_report& report) {
        const std::lock_guard held{reports_mutex};
        reports.push_back(
            std::string{name_of(report.method)} + " " + std::string{report.route} + " " +
            std::to_string(number_of(report.code)) + " " + std::to_string(report.bytes));
    }

    boost::asio::io_context loop;
    async::condition released;
    async::condition never;
    router routes;
    server_options options;
    std::unique_ptr<server> served;
    std::uint16_t port = 0;
    std::thread thread;
    std::mutex reports_mutex;
    std::vector<std::string> reports;
};

}  // namespace reelsd::http
