#include "request_body.hpp"

#include <reelsd/base/text.hpp>

#include <fmt/format.h>

namespace reelsd::dashboard {
namespace {

/// "http://host:1" has the authority "host:1".
std::string_view authority_of(std::string_view origin) {
    const auto scheme_end = origin.find("://");
    return scheme_end == std::string_view::npos ? origin : origin.substr(scheme_end + 3);
}

bool is_from_elsewhere(const http::request_context& ctx, std::string_view own_origin) {
    if (const auto site = ctx.header("Sec-Fetch-Site")) {
        return *site != "same-origin" && *site != "none";
    }
    const auto origin = ctx.header("Origin");
    if (!origin || *origin == own_origin) return false;
    return authority_of(*origin) != ctx.header("Host").value_or("");
}

/// "application/json; charset=utf-8", in any letter case.
bool is_json(std::string_view content_type) {
    auto type = content_type.substr(0, content_type.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    return equals_ignoring_case(type, "application/json");
}

}  // namespace

result<std::string> text_in(const json& body, std::string_view name, std::size_t bytes_max) {
    const auto member = body.find(name);
    if (member == body.end() || !member->is_string()) {
        return error{errc::invalid_argument, fmt::format("{} must be a string", name)};
    }
    auto text = member->get<std::string>();
    if (text.size() > bytes_max) {
        return error{
            errc::invalid_argument, fmt::format("{} has more than {} bytes", name, bytes_max)};
    }
    // PostgreSQL cannot store it.
    if (text.find('\0') != std::string::npos) {
        return error{errc::invalid_argument, fmt::format("{} must not contain U+0000", name)};
    }
    return text;
}

result<std::optional<bool>> flag_in(const json& body, std::string_view name) {
    const auto member = body.find(name);
    if (member == body.end()) return std::optional<bool>{};
    if (!member->is_boolean()) {
        return error{errc::invalid_argument, fmt::format("{} must be true or false", name)};
    }
    return std::optional{member->get<bool>()};
}

std::optional<http::response> refuse_other_sites(
    const http::request_context& ctx, std::string_view own_origin) {
    if (is_from_elsewhere(ctx, own_origin)) {
        return ctx.problem(http::status::forbidden, "only the dashboard's own pages may ask this");
    }
    const auto type = ctx.header("Content-Type").value_or("");
    if (!ctx.request().body.empty() && !is_json(type)) {
        return ctx.problem(
            http::status::unsupported_media_type, "the body must be application/json");
    }
    return std::nullopt;
}

}  // namespace reelsd::dashboard
