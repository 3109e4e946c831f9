#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/static_files.hpp>

#include <boost/beast/http/rfc7230.hpp>

#include <optional>

namespace reelsd::http {

namespace {

/// Each encoding of a file has its own tag (RFC 9110 8.8.3.3).
std::string gzipped_tag(std::string_view entity_tag) {
    std::string tag{entity_tag.substr(0, entity_tag.size() - 1)};
    return tag.append("-gzip\"");
}

/// Whether a coding has the weight 0: ";q=0", ";q=0.000".
bool is_refused(const boost::beast::http::param_list& parameters) {
    for (const auto& [name, value] : parameters) {
        if (equals_ignoring_case(name, "q"))
            return value.find_first_not_of("0.") == std::string_view::npos;
    }
    return false;
}

awaitable<response> get_file(
    const request_context& ctx, const embedded_file& file, const file_policy& policy) {
    const auto codings = ctx.header("Accept-Encoding");
    const bool is_gzipped = !file.gzipped.empty() && codings && accepts_gzip(*codings);
    auto tag = is_gzipped ? gzipped_tag(file.entity_tag) : std::string{file.entity_tag};
    const auto known = ctx.header("If-None-Match");
    const bool is_unchanged = known && names_entity_tag(*known, tag);
    auto answer =
        is_unchanged ? response{status::not_modified}
                     : response::of_static(
                           status::ok, file.content_type, is_gzipped ? file.gzipped : file.content);
    if (is_gzipped && !is_unchanged) answer.set("Content-Encoding", "gzip");
    if (!file.gzipped.empty()) answer.set("Vary", "Accept-Encoding");
    answer.set("ETag", std::move(tag));
    answer.set("Cache-Control", "no-cache");
    answer.set("Content-Security-Policy", policy.content_security_policy);
    co_return answer;
}

}  // namespace

void add_file_routes(
    router& routes, std::span<const embedded_file> files, const file_policy& policy) {
    for (const auto& file : files) {
        // Not a coroutine itself: it owns `policy` as long as the router exists.
        routes.add(verb::get, std::string{file.path}, [&file, policy](request_context& ctx) {
            return get_file(ctx, file, policy);
        });
    }
}

bool names_entity_tag(std::string_view if_none_match, std::string_view entity_tag) noexcept {
    // A tag is in quotes and has none inside: it cannot be a part of another one.
    return if_none_match == "*" || if_none_match.find(entity_tag) != std::string_view::npos;
}

bool accepts_gzip(std::string_view accept_encoding) {
    std::optional<bool> named;
    std::optional<bool> any;
    // Beast 1.81 gives a last coding without parameters those of the previous one; with a comma
    // at the end no coding is the last.
    const auto field = std::string{accept_encoding} + ',';
    const boost::beast::http::ext_list codings{{field.data(), field.size()}};
    for (const auto& [coding, parameters] : codings) {
        if (equals_ignoring_case(coding, "gzip") || equals_ignoring_case(coding, "x-gzip"))
            named = !is_refused(parameters);
        if (coding == "*") any = !is_refused(parameters);
    }
    return named.value_or(any.value_or(false));
}

}  // namespace reelsd::http
