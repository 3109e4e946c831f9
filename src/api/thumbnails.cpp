#include "thumbnails.hpp"

#include "reels.hpp"
#include <reelsd/http/router.hpp>

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

/// A reel's picture never changes once it is there. `private`: it is the caller's alone.
constexpr std::string_view cache_control = "private, max-age=86400, immutable";

std::string text_of(const std::vector<std::byte>& bytes) {
    std::string text;
    text.reserve(bytes.size());
    std::transform(bytes.begin(), bytes.end(), std::back_inserter(text), [](std::byte one) {
        return static_cast<char>(one);
    });
    return text;
}

/// GET /api/v1/reels/{id}/thumbnail?size=: the picture of one of the caller's reels. 200 a JPEG;
/// 400 a malformed `size`; 404 also when the reel has none, or none yet.
asio::awaitable<http::response> get_thumbnail(http::request_context& ctx, jobs::job_store& jobs) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto size = requested_size(ctx.query("size"));
    if (!size) co_return ctx.problem(size.error());
    const auto jpeg = co_await jobs.find_thumbnail(ctx.caller(), *id, *size, ctx.database_by());
    if (!jpeg) co_return ctx.problem(error{errc::not_found});
    http::response answer{http::status::ok, "image/jpeg", text_of(*jpeg)};
    answer.set("Cache-Control", std::string{cache_control});
    // Of a browser that two people use, each asks anew.
    answer.set("Vary", "Cookie, Authorization");
    co_return answer;
}

constexpr auto thumbnail_routes = std::to_array<http::route<jobs::job_store>>({
    {http::verb::get, "/reels/{id}/thumbnail", &get_thumbnail},
});

}  // namespace

void add_thumbnail_routes(http::router& router, std::string_view prefix, jobs::job_store& jobs) {
    router.add(thumbnail_routes, jobs, prefix);
}

result<jobs::thumbnail_size> requested_size(std::optional<std::string_view> text) {
    if (!text || *text == "large") return jobs::thumbnail_size::large;
    if (*text == "small") return jobs::thumbnail_size::small;
    return error{errc::invalid_argument, "size must be one of small, large"};
}

}  // namespace reelsd::api
