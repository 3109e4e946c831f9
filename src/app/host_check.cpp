#include "host_check.hpp"

#include <reelsd/http/addresses.hpp>

#include <boost/asio/ip/address.hpp>

#include <unistd.h>

#include <array>
#include <string>

namespace reelsd::app {
namespace {

bool is_loopback(const std::string& host) {
    boost::system::error_code failed;
    const auto address = boost::asio::ip::make_address(host, failed);
    return !failed && address.is_loopback();
}

std::string machine_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return {};
    return name.data();
}

/// The host that people use.
std::string own_name(const settings& with) {
    if (with.public_url.empty()) return machine_name();
    constexpr std::string_view scheme_end = "://";
    const std::string_view url = with.public_url;
    return std::string{
        http::host_without_port(url.substr(url.find(scheme_end) + scheme_end.size()))};
}

}  // namespace

bool needs_own_host(std::string_view path) noexcept {
    constexpr std::string_view api = "/api/v1";
    const bool is_api =
        path.starts_with(api) && (path.size() == api.size() || path[api.size()] == '/');
    return !is_api && path != "/healthz" && path != "/readyz";
}

http::middleware::decision host_check_of(const settings& with) {
    if (with.public_url.empty() && !is_loopback(with.listen.host)) return {};
    return [own =
                own_name(with)](const http::request_context& ctx) -> std::optional<http::response> {
        const auto host = ctx.header("Host");
        if (!host || !needs_own_host(ctx.request().target.path())) return std::nullopt;
        if (http::is_own_host(*host, own)) return std::nullopt;
        return ctx.problem(
            http::status::misdirected_request,
            "this server has another name than the request's Host; if people use that name, set "
            "public-url");
    };
}

}  // namespace reelsd::app
