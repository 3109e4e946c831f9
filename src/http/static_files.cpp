#include <reelsd/http/router.hpp>
#include <reelsd/http/static_files.hpp>

#include <boost/asio/awaitable.hpp>

namespace reelsd::http {

namespace {

namespace asio = boost::asio;

asio::awaitable<response> get_file(
    const request_context& ctx, const embedded_file& file, const file_policy& policy) {
    const auto known = ctx.header("If-None-Match");
    const bool is_unchanged = known && names_entity_tag(*known, file.entity_tag);
    auto answer = is_unchanged ? response{status::not_modified}
                               : response::of_static(status::ok, file.content_type, file.content);
    answer.set("ETag", std::string{file.entity_tag});
    answer.set("Cache-Control", "no-cache");
    answer.set("Content-Security-Policy", policy.content_security_policy);
    answer.set("Referrer-Policy", "no-referrer");
    co_return answer;
}

}  // namespace

void add_file_routes(
    router& routes, std::span<const embedded_file> files, const file_policy& policy) {
    for (const auto& file : files) {
        // No coroutine itself, but it owns what the coroutine refers to, as long as the router.
        routes.add(verb::get, std::string{file.path}, [&file, policy](request_context& ctx) {
            return get_file(ctx, file, policy);
        });
    }
}

bool names_entity_tag(std::string_view if_none_match, std::string_view entity_tag) noexcept {
    // A tag has its quotes about it and none within: it cannot be a part of another one.
    return if_none_match == "*" || if_none_match.find(entity_tag) != std::string_view::npos;
}

}  // namespace reelsd::http
