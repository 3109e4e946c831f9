#pragma once

#include <reelsd/http/request_context.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <deque>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::http {

/// Answers one request. The context outlives the call.
using handler = std::function<boost::asio::awaitable<response>(request_context&)>;

/// One line of a layer's route table. `pattern` is a literal: "/reels/{id}"; a `{name}`
/// takes exactly one segment that is not empty, ".", ".." or one with a slash or a control
/// character in it. Literal segments win over `{name}` ("/reels/search" over "/reels/{id}"),
/// whatever the order, and match only as spelled: "/%6detrics" is not "/metrics", so that proxies
/// that compare raw paths see what the router sees.
template <class Service>
struct route {
    verb method = verb::other;
    std::string_view pattern;
    boost::asio::awaitable<response> (*handle)(request_context&, Service&);
    route_options options = {};
};

/// Finds who answers a request. Order of decisions, as the contract wants it: the check of every
/// request, `OPTIONS *` (204 with `Allow`), the middleware's `authenticate`, path (malformed escape
/// 400, unknown 404), method (405 with `Allow`), its `accept`, query (malformed 400),
/// handler. HEAD is answered by GET's handler; the session leaves the body out. Filled at start,
/// constant afterwards. Thread: any for `answer`, as far as the handlers allow.
class router {
public:
    router() = default;
    router(router&&) noexcept = default;
    router& operator=(router&&) noexcept = default;

    /// Aborts for a pattern that does not begin with '/' or is there twice for one method: our bug.
    /// `prefix` is the beginning of `pattern` that the route's table was added below.
    void add(
        verb method, std::string pattern, handler handle, route_options options = {},
        std::string_view prefix = {});

    /// A whole table: an array or a span of routes, below `prefix` ("/api/v1"). `service` outlives
    /// the router.
    template <std::ranges::input_range Table, class Service>
    requires std::same_as<std::ranges::range_value_t<Table>, route<Service>>
    void add(const Table& table, Service& service, std::string_view prefix = {}) {
        for (const auto& line : table) {
            auto* const handle = line.handle;
            auto pattern = std::string{prefix}.append(line.pattern);
            auto call = [handle, &service](request_context& ctx) { return handle(ctx, service); };
            add(line.method, std::move(pattern), std::move(call), line.options, prefix);
        }
    }

    /// Answers people who have come to an unknown path without middleware: GETs that accept
    /// text/html.
    void show_when_unknown(handler handle);

    /// Runs before everything else and may answer instead. At most one; optional.
    void check_every_request(middleware::decision check);

    /// The longest prefix that holds for a path is the one whose middleware runs.
    void use(middleware added);

    struct known_route {
        verb method;
        std::string_view pattern;
    };
    /// All routes, in the order of their patterns' first addition.
    [[nodiscard]] std::vector<known_route> routes() const;

    /// Whether the handler of a request reads its body, while it arrives.
    [[nodiscard]] bool streams_body(const request& asked) const;

    /// Never fails for a request of any shape; throws what a handler throws.
    [[nodiscard]] boost::asio::awaitable<response> answer(request_context& ctx) const;

private:
    struct segment {
        std::string_view text;
        bool is_parameter;
    };
    struct method_handler {
        verb method;
        handler handle;
        route_options options;
    };
    struct path_entry {
        std::string_view pattern;
        std::string_view prefix;
        /// Names and the indices of their segments.
        std::vector<std::pair<std::string_view, std::size_t>> parameters;
        std::vector<method_handler> methods;
    };
    /// Patterns that begin alike share their beginning: a path is compared with the few segments
    /// that may follow each of its own, not with every pattern.
    struct branch {
        segment leads_here;
        /// What is literal stands before what is not, and is tried first.
        std::vector<branch> next;
        /// In `paths_`, of the pattern that ends here.
        std::optional<std::size_t> entry;
    };
    struct middleware_entry {
        std::vector<segment> segments;
        middleware rules;
    };

    /// Who answers; null when the request is refused.
    struct located {
        const path_entry* entry = nullptr;
        const handler* handle = nullptr;
    };

    [[nodiscard]] static std::vector<segment> segments_of(std::string_view pattern);
    [[nodiscard]] const middleware* middleware_for(const request_target& target) const noexcept;
    /// Where the pattern ends, which is added if it is not there.
    [[nodiscard]] branch& branch_of(const std::vector<segment>& pattern);
    /// The most specific pattern behind `from` that fits the segments from `at` on.
    [[nodiscard]] const path_entry* entry_for(
        const branch& from, const request_target& target, std::size_t at) const noexcept;
    /// Tells 404 from 405, and the context its route.
    [[nodiscard]] located locate(request_context& ctx, const middleware* rules) const;
    /// To `OPTIONS *`: the methods of all routes.
    [[nodiscard]] response server_options(const request_context& ctx) const;
    /// To what nobody handles. `entry` is that of the path, if it is known.
    [[nodiscard]] static response refuse(const request_context& ctx, const path_entry* entry);

    /// Where the patterns stand that everything else refers to.
    std::deque<std::string> patterns_;
    std::vector<path_entry> paths_;
    branch root_{};
    std::vector<middleware_entry> middlewares_;
    handler when_unknown_;
    middleware::decision check_;
};

}  // namespace reelsd::http
