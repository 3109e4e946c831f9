#include "documents.hpp"

#include <reelsd/http/router.hpp>
#include <reelsd/http/static_files.hpp>

#include <boost/asio/awaitable.hpp>

#include <span>

namespace reelsd::api {

/// Written by the build: what src/api/documents/CMakeLists.txt lists.
std::span<const http::embedded_file> document_files() noexcept;

namespace {

namespace asio = boost::asio;

/// Scripts, styles and requests of the page go to this server alone, and nothing inline runs. The
/// viewer's style sheet has its icons as data.
constexpr auto viewer_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// GET /docs, /docs/: 302 to the viewer.
asio::awaitable<http::response> redirect_to_viewer(const http::request_context& /*ctx*/) {
    co_return http::response{http::status::found}.set("Location", "/docs/index.html");
}

}  // namespace

void add_document_routes(http::router& router) {
    http::add_file_routes(router, document_files(), {.content_security_policy = viewer_policy});
    router.add(http::verb::get, "/docs", &redirect_to_viewer);
    router.add(http::verb::get, "/docs/", &redirect_to_viewer);
}

}  // namespace reelsd::api
