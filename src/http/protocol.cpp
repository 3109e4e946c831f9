#include <reelsd/http/protocol.hpp>

#include <boost/beast/http/status.hpp>

#include <array>
#include <ostream>  // For Beast 1.81, which only declares it.
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
    // Its name in RFC 9110; Beast has the one of RFC 7231.
    if (code == status::content_too_large) return "Content Too Large";
    return boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(number_of(code)));
}

}  // namespace reelsd::http
