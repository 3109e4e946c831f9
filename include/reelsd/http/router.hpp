#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/http/request_context.hpp>

#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace reelsd::http {

/// Answers one request. The context outlives the call.
using handler = std::function<awaitable<response>(request_context&)>;

/// One line of a table of routes. `pattern` is a literal: "/reels/{id}"; a `{name}`
/// matches exactly one segment that is not empty, ".", ".." or one with a slash or a control
/// character. Literal segments have precedence over `{name}` ("/reels/search" over "/reels/{id}")
/// in any order, and match only as spelled: "/%6detrics" is not "/metrics", because proxies compare
/// raw paths.
template <class Service>
struct route {
    verb method = verb::other;
    std::string_view pattern;
    awaitable<response> (*handle)(request_context&, Service&);
    route_options options = {};
};

/// Dispatches requests to handlers. Order of decisions: the check of every request, `OPTIONS *`
/// (204 with `Allow`), the middleware's `authenticate`, path (malformed escape 400, unknown 404),
/// method (405 with `Allow`), the middleware's `accept`, query (malformed 400), content coding of
/// the body (415), handler. HEAD uses GET's handler; the session omits the body. Filled at start,
/// constant afterwards. Thread: any for `answer`, as far as the handlers allow.
class router {
public:
    router() = default;
    router(router&&) noexcept = default;
    router& operator=(router&&) noexcept = default;

    /// Aborts for a pattern that does not begin with '/' or that already has this method.
    /// `prefix` is the beginning of `pattern` that the route's table was added below.
    void add(
        verb method, std::string pattern, handler handle, route_options options = {},
        std::string_view prefix = {});

    /// Several routes below `prefix` ("/api/v1"). `service` outlives the router.
    template <class Service>
    void add(
        std::initializer_list<route<std::type_identity_t<Service>>> table, Service& service,
        std::string_view prefix = {}) {
        for (const auto& line : table) {
            auto* const handle = line.handle;
            auto pattern = std::string{prefix}.append(line.pattern);
            auto call = [handle, &service](request_context& ctx) { return handle(ctx, service); };
            add(line.method, std::move(pattern), std::move(call), line.options, prefix);
        }
    }

    /// Handles browsers' requests for an unknown path without middleware: GETs that accept
    /// text/html.
    void show_when_unknown(handler handle) { when_unknown_ = std::move(handle); }

    /// Runs before everything else and may refuse. At most one; optional.
    void check_every_request(middleware::decision check) { check_ = std::move(check); }

    /// Of several middlewares for a path, the one with the longest prefix runs.
    void use(middleware added);

    struct known_route {
        verb method;
        std::string_view pattern;
    };
    /// All routes, in the order of their patterns' first addition.
    [[nodiscard]] std::vector<known_route> routes() const;

    /// Whether the handler of a request reads its body while it arrives.
    [[nodiscard]] bool streams_body(const request& head) const;

    /// Never fails for a request of any shape; throws what a handler throws.
    [[nodiscard]] awaitable<response> answer(request_context& ctx) const;

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

        /// Null for a method without a handler.
        [[nodiscard]] const method_handler* handler_of(verb method) const noexcept;
    };
    /// A node of the prefix tree of all patterns.
    struct branch {
        segment edge;
        /// Literal segments before parameters, because they have precedence.
        std::vector<branch> next;
        /// Index in `paths_` of the pattern that ends here.
        std::optional<std::size_t> entry;
    };
    struct middleware_entry {
        std::vector<segment> segments;
        middleware rules;
    };

    /// `handle` is null when the request is refused.
    struct located {
        const path_entry* entry = nullptr;
        const handler* handle = nullptr;
    };

    [[nodiscard]] static std::vector<segment> segments_of(std::string_view pattern);
    [[nodiscard]] const middleware* middleware_for(const request_target& target) const noexcept;
    /// The node where the pattern ends; missing nodes are added.
    [[nodiscard]] branch& branch_of(const std::vector<segment>& pattern);
    /// The most specific pattern below `from` that matches the segments from `at` on.
    [[nodiscard]] const path_entry* entry_for(
        const branch& from, const request_target& target, std::size_t at) const noexcept;
    /// Finds path and handler, and sets the context's route.
    [[nodiscard]] located locate(request_context& ctx, const middleware* rules) const;
    /// Answers `OPTIONS *` with the methods of all routes.
    [[nodiscard]] response server_options(const request_context& ctx) const;
    /// 400, 404 or 405. `entry` is that of the path, if it is known.
    [[nodiscard]] static response refuse(const request_context& ctx, const path_entry* entry);

    /// Owns the texts that all views refer to.
    std::deque<std::string> patterns_;
    std::vector<path_entry> paths_;
    branch root_{};
    std::vector<middleware_entry> middlewares_;
    handler when_unknown_;
    middleware::decision check_;
};

}  // namespace reelsd::http
