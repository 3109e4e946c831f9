#include <reelsd/http/router.hpp>

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>
#include <support/http_request.hpp>
#include <support/loop.hpp>

#include <initializer_list>
#include <string>
#include <vector>

// Goal: exactly one handler or one refusal for every method and path, decided in the documented
// order. Method: a small router whose handlers answer with their own name.
namespace reelsd::http {
namespace {

namespace asio = boost::asio;
using testing::make_request;

struct zoo {
    std::string name = "zoo";
};

asio::awaitable<response> list_animals(request_context& ctx, zoo& service) {
    co_return ctx.json_text(status::ok, service.name + " list");
}
asio::awaitable<response> show_animal(request_context& ctx, zoo& /*service*/) {
    co_return ctx.json_text(status::ok, "animal " + std::string{ctx.path_parameter("id")});
}
asio::awaitable<response> remove_animal(request_context& ctx, zoo& /*service*/) {
    co_return ctx.no_content();
}
asio::awaitable<response> search_animals(request_context& ctx, zoo& /*service*/) {
    co_return ctx.json_text(status::ok, "search " + std::string{ctx.query("q").value_or("")});
}
asio::awaitable<response> show_leg(request_context& ctx, zoo& /*service*/) {
    const std::string id{ctx.path_parameter("id")};
    co_return ctx.json_text(status::ok, id + "/" + std::string{ctx.path_parameter("leg")});
}
asio::awaitable<response> show_root(request_context& ctx, zoo& /*service*/) {
    co_return ctx.json_text(status::ok, "root");
}

const std::initializer_list<route<zoo>> routes{
    {verb::get, "/", &show_root},
    {verb::get, "/api/zoo/{id}", &show_animal},
    {verb::remove, "/api/zoo/{id}", &remove_animal},
    {verb::get, "/api/zoo", &list_animals},
    {verb::get, "/api/zoo/search", &search_animals},
    {verb::get, "/api/zoo/{id}/legs/{leg}", &show_leg},
    {verb::get, "/docs/", &show_root},
};

asio::awaitable<std::optional<response>> know_caller(request_context& ctx) {
    if (ctx.header("Authorization") != "Bearer good")
        co_return ctx.unauthorized(error_reason::token_required, "token required");
    ctx.set_caller({.account = account_id{7}});
    co_return std::nullopt;
}

asio::awaitable<std::optional<response>> admit_calm_callers(request_context& ctx) {
    if (ctx.caller() != account_id{7}) co_return ctx.problem(status::forbidden, "who?");
    if (!ctx.header("X-Hasty")) co_return std::nullopt;
    co_return ctx.problem(status::too_many_requests, "too hasty");
}

asio::awaitable<std::optional<response>> keep_outer(request_context& ctx) {
    co_return ctx.problem(status::forbidden, "outer");
}

asio::awaitable<std::optional<response>> keep_inner(request_context& ctx) {
    co_return ctx.problem(status::conflict, "inner");
}

struct Router : ::testing::Test {
    Router() { open.add(routes, service); }

    response ask(const router& asked, request incoming) {
        const auto by = deadline::after(std::chrono::hours{1});
        request_context ctx{std::move(incoming), log, by};
        return testing::run_on(loop, asked.answer(ctx));
    }

    asio::io_context loop;
    log::logger log = log::logger::silent();
    zoo service;
    router open;
};

TEST_F(Router, FindsTheHandler) {
    struct test_case {
        verb method;
        const char* target;
        unsigned status;
        const char* body;
        const char* allow = "";
    };
    const char* const not_found = R"({"message":"not found","status":"error"})";
    const char* const not_allowed = R"({"message":"method not allowed","status":"error"})";
    const test_case cases[] = {
        {verb::get, "/", 200, "root"},
        {verb::get, "http://any.host", 200, "root"},
        {verb::get, "/api/zoo", 200, "zoo list"},
        {verb::head, "/api/zoo", 200, "zoo list"},
        {verb::get, "/api/zoo/9", 200, "animal 9"},
        {verb::get, "/api/zoo/a%20b", 200, "animal a b"},
        {verb::get, "/api/zoo/%C3%BC", 200, "animal \xC3\xBC"},
        {verb::get, "/api/zoo/9/legs/4", 200, "9/4"},
        {verb::get, "/api/zoo/search/legs/4", 200, "search/4"},
        {verb::get, "/api/zoo/search?q=big+cat", 200, "search big cat"},
        {verb::get, "/api/zoo/%73earch", 200, "animal search"},
        {verb::remove, "/api/zoo/9", 204, ""},
        {verb::get, "/docs/", 200, "root"},

        {verb::get, "/api", 404, not_found},
        {verb::get, "/api/zoo/", 404, not_found},
        {verb::get, "/api//zoo", 404, not_found},
        {verb::get, "//api/zoo", 404, not_found},
        {verb::get, "/api/zoo/9/", 404, not_found},
        {verb::get, "/api/zoo/./search", 404, not_found},
        {verb::get, "/api/zoo/%2e%2e", 404, not_found},
        {verb::get, "/api/zoo/a%2Fb", 404, not_found},
        {verb::get, "/api%2Fzoo", 404, not_found},
        {verb::get, "/%61pi/zoo", 404, not_found},
        {verb::get, "/api/%7Aoo/9", 404, not_found},
        {verb::get, "/api/zoo/9/leg%73/4", 404, not_found},
        {verb::get, "/api/zoo/%00", 404, not_found},
        {verb::get, "/api/zoo/%FF", 404, not_found},
        {verb::get, "/api/zoo/a%C3", 404, not_found},
        {verb::get, "/API/zoo", 404, not_found},
        {verb::get, "/docs", 404, not_found},
        {verb::options, "*", 204, "", "GET, HEAD, OPTIONS, DELETE"},
        {verb::other, "/nowhere", 404, not_found},

        {verb::post, "/api/zoo", 405, not_allowed, "GET, HEAD"},
        {verb::post, "/api/zoo/9", 405, not_allowed, "GET, HEAD, DELETE"},
        {verb::remove, "/api/zoo/search", 405, not_allowed, "GET, HEAD"},
        {verb::options, "/api/zoo", 405, not_allowed, "GET, HEAD"},
        {verb::other, "/api/zoo", 405, not_allowed, "GET, HEAD"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(std::string{name_of(expected.method)} + " " + expected.target);
        const auto got = ask(open, make_request(expected.method, expected.target));
        EXPECT_EQ(number_of(got.code()), expected.status);
        EXPECT_EQ(got.body(), expected.body);
        EXPECT_EQ(got.find("Allow"), expected.allow);
    }
}

TEST_F(Router, RefusesMalformedEscapes) {
    for (const char* const target : {"/api/zoo/%zz", "/%", "/api/zoo?q=%zz", "/api/zoo?q=%ff"}) {
        EXPECT_EQ(ask(open, make_request(verb::get, target)).code(), status::bad_request) << target;
    }
}

TEST_F(Router, MiddlewareRunsInTheDocumentedOrder) {
    router guarded;
    guarded.add(routes, service);
    guarded.use({.prefix = "/api", .authenticate = know_caller, .accept = admit_calm_callers});
    struct test_case {
        const char* name;
        const char* target;
        verb method;
        bool token;
        bool hasty;
        unsigned status;
    };
    const test_case cases[] = {
        {"token before route", "/api/nowhere", verb::get, false, false, 401},
        {"token before malformed path", "/api/%zz", verb::get, false, false, 401},
        {"token before method", "/api/zoo", verb::post, false, true, 401},
        {"token before query", "/api/zoo?a=%zz", verb::get, false, true, 401},
        {"the prefix itself", "/api", verb::get, false, false, 401},
        {"the prefix escaped is another path", "/%61pi/zoo", verb::get, false, false, 404},
        {"escaped below the prefix", "/api/%7aoo", verb::get, false, false, 401},
        {"dots do not leave the prefix", "/api/../docs/", verb::get, false, false, 401},
        {"route before rate", "/api/nowhere", verb::get, true, true, 404},
        {"method before rate", "/api/zoo", verb::post, true, true, 405},
        {"rate before query", "/api/zoo?a=%zz", verb::get, true, true, 429},
        {"query last", "/api/zoo?a=%zz", verb::get, true, false, 400},
        {"accepted", "/api/zoo", verb::get, true, false, 200},
        {"another prefix", "/apis", verb::get, false, false, 404},
        {"outside", "/", verb::get, false, false, 200},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto incoming = make_request(expected.method, expected.target);
        if (expected.token) incoming.headers.add("authorization", "Bearer good");
        if (expected.hasty) incoming.headers.add("X-Hasty", "1");
        EXPECT_EQ(number_of(ask(guarded, std::move(incoming)).code()), expected.status);
    }
}

asio::awaitable<response> authenticate_and_show(request_context& ctx, zoo& /*service*/) {
    auto refused = co_await ctx.authenticate();
    if (!refused) refused = co_await ctx.accept();
    if (refused) co_return std::move(*refused);
    co_return ctx.json_text(status::ok, "shown");
}

TEST_F(Router, LeavesAuthenticationToTheHandler) {
    static const std::initializer_list<route<zoo>> table{
        {verb::get,
         "/animals/{id}",
         &authenticate_and_show,
         {.authenticated_by = route_options::authenticator::handler}}};
    router guarded;
    guarded.add(table, service, "/api");
    int authentications = 0;
    guarded.use(
        {.prefix = "/api",
         .authenticate =
             [&authentications](request_context& ctx) {
                 ++authentications;
                 return know_caller(ctx);
             },
         .accept = admit_calm_callers});
    const auto asked = [&](verb method, const char* target, bool token) {
        auto incoming = make_request(method, target);
        if (token) incoming.headers.add("Authorization", "Bearer good");
        authentications = 0;
        return number_of(ask(guarded, std::move(incoming)).code());
    };
    EXPECT_EQ(asked(verb::get, "/api/animals/7", true), 200U);
    EXPECT_EQ(authentications, 1) << "only the handler's";
    EXPECT_EQ(asked(verb::get, "/api/animals/7", false), 401U);
    EXPECT_EQ(asked(verb::get, "/api/animals/7?a=%zz", false), 401U) << "token before query";
    EXPECT_EQ(asked(verb::get, "/api/animals/7?a=%zz", true), 400U);
    EXPECT_EQ(asked(verb::post, "/api/animals/7", false), 401U) << "token before method";
    EXPECT_EQ(asked(verb::post, "/api/animals/7", true), 405U);
}

TEST_F(Router, UsesTheMiddlewareOfTheLongestPrefix) {
    router guarded;
    guarded.use({.prefix = "/a/b", .authenticate = keep_inner, .accept = {}});
    guarded.use({.prefix = "/a", .authenticate = keep_outer, .accept = {}});
    EXPECT_EQ(ask(guarded, make_request(verb::get, "/a/b/c")).code(), status::conflict);
    EXPECT_EQ(ask(guarded, make_request(verb::get, "/a/c")).code(), status::forbidden);
}

TEST_F(Router, AddsATableBelowSeveralPrefixes) {
    static const std::initializer_list<route<zoo>> animals{{verb::get, "/animals", &list_animals}};
    zoo other{.name = "other"};
    router known;
    known.add(animals, service, "/a");
    known.add(animals, other, "/b");
    EXPECT_EQ(ask(known, make_request(verb::get, "/a/animals")).body(), "zoo list");
    EXPECT_EQ(ask(known, make_request(verb::get, "/b/animals")).body(), "other list");
    EXPECT_EQ(ask(known, make_request(verb::get, "/animals")).code(), status::not_found);
    EXPECT_EQ(known.routes().front().pattern, "/a/animals");
}

TEST_F(Router, ShowsBrowsersAPageForUnknownPaths) {
    open.use({.prefix = "/closed", .authenticate = &know_caller, .accept = {}});
    open.show_when_unknown([](request_context& /*ctx*/) -> asio::awaitable<response> {
        co_return response{status::not_found, "text/html", std::string{"nothing here"}};
    });
    const auto asked = [&](verb method, const char* path, const char* accept) {
        auto incoming = make_request(method, path);
        incoming.headers.add("Accept", accept);
        incoming.headers.add("Authorization", "Bearer good");
        const auto answer = ask(open, std::move(incoming));
        EXPECT_EQ(answer.code(), status::not_found);
        return std::string{answer.body()};
    };
    const char* const reader = "text/html,application/xhtml+xml,*/*;q=0.8";
    EXPECT_EQ(asked(verb::get, "/nope", reader), "nothing here");
    const std::string plain = R"({"message":"not found","status":"error"})";
    EXPECT_EQ(asked(verb::get, "/nope", "application/xml, text/html;q=0.5"), "nothing here");
    for (const auto* const program : {"*/*", "text/html;q=0, application/json", "text/html; q=0.0"})
        EXPECT_EQ(asked(verb::get, "/nope", program), plain);
    EXPECT_EQ(asked(verb::post, "/nope", reader), plain);
    EXPECT_EQ(asked(verb::get, "/closed/nope", reader), plain);
}

TEST_F(Router, ListsAllRoutes) {
    std::vector<std::string> named;
    for (const auto& known : open.routes()) {
        named.push_back(std::string{name_of(known.method)} + " " + std::string{known.pattern});
    }
    const std::vector<std::string> expected{
        "GET /",
        "GET /api/zoo/{id}",
        "DELETE /api/zoo/{id}",
        "GET /api/zoo",
        "GET /api/zoo/search",
        "GET /api/zoo/{id}/legs/{leg}",
        "GET /docs/"};
    EXPECT_EQ(named, expected);
}

}  // namespace
}  // namespace reelsd::http
