#include <reelsd/http/protocol.hpp>

#include <array>
#include <utility>

namespace reelsd::http {

namespace {

constexpr std::array<std::pair<verb, std::string_view>, 7> methods{{
    {verb::get, "GET"},
    {verb::head, "HEAD"},
    {verb::post, "POST"},
    {verb::put, "PUT"},
    {verb::patch, "PATCH"},
    {verb::remove, "DELETE"},
    {verb::options, "OPTIONS"},
}};

}  // namespace

verb verb_of(std::string_view method) noexcept {
    for (const auto& [known, name] : methods) {
        if (name == method) return known;
    }
    return verb::other;
}

std::string_view name_of(verb method) noexcept {
    for (const auto& [known, name] : methods) {
        if (known == method) return name;
    }
    return "OTHER";
}

std::string_view reason_of(status code) noexcept {
    switch (code) {
        case status::ok: return "OK";
        case status::created: return "Created";
        case status::accepted: return "Accepted";
        case status::no_content: return "No Content";
        case status::moved_permanently: return "Moved Permanently";
        case status::found: return "Found";
        case status::see_other: return "See Other";
        case status::not_modified: return "Not Modified";
        case status::bad_request: return "Bad Request";
        case status::unauthorized: return "Unauthorized";
        case status::forbidden: return "Forbidden";
        case status::not_found: return "Not Found";
        case status::method_not_allowed: return "Method Not Allowed";
        case status::request_timeout: return "Request Timeout";
        case status::conflict: return "Conflict";
        case status::content_too_large: return "Content Too Large";
        case status::unsupported_media_type: return "Unsupported Media Type";
        case status::misdirected_request: return "Misdirected Request";
        case status::too_many_requests: return "Too Many Requests";
        case status::request_header_fields_too_large: return "Request Header Fields Too Large";
        case status::internal_server_error: return "Internal Server Error";
        case status::service_unavailable: return "Service Unavailable";
        case status::version_not_supported: return "HTTP Version Not Supported";
    }
    return "Unknown";
}

}  // namespace reelsd::http
