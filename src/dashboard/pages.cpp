#include "pages.hpp"

#include <reelsd/http/router.hpp>
#include <reelsd/http/static_files.hpp>

#include <array>
#include <span>
#include <vector>

namespace reelsd::dashboard {

/// Written by the build: what CMakeLists.txt lists.
std::span<const http::embedded_file> asset_files() noexcept;
std::span<const http::embedded_file> page_files() noexcept;

namespace {

/// Scripts, styles, pictures and requests are of this server alone, and nothing inline runs.
constexpr auto page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'";

/// The script shows each of these; see web/core/routes.js.
constexpr std::array<std::string_view, 9> page_paths{
    "/",
    "/sign-in",
    "/join",
    "/reels/{id}",
    "/tokens",
    "/webhooks",
    "/usage",
    "/account",
    "/admin"};

/// The one document under each path.
std::span<const http::embedded_file> pages() {
    static const auto all = [] {
        std::vector<http::embedded_file> made;
        for (const auto path : page_paths) {
            made.push_back(page_files().front());
            made.back().path = path;
        }
        return made;
    }();
    return all;
}

/// An unknown address: the script says so, in the dashboard's own look.
boost::asio::awaitable<http::response> show_not_found(const http::request_context& /*ctx*/) {
    const auto& page = page_files().front();
    auto answer =
        http::response::of_static(http::status::not_found, page.content_type, page.content);
    answer.set("Content-Security-Policy", page_policy);
    co_return answer;
}

}  // namespace

void add_page_routes(http::router& router) {
    const http::file_policy policy{.content_security_policy = page_policy};
    http::add_file_routes(router, asset_files(), policy);
    http::add_file_routes(router, pages(), policy);
    router.show_when_unknown(&show_not_found);
}

}  // namespace reelsd::dashboard
