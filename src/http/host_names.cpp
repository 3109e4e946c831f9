#include <reelsd/http/header_fields.hpp>
#include <reelsd/http/host_names.hpp>

#include <boost/asio/ip/address.hpp>

namespace reelsd::http {

std::string_view host_without_port(std::string_view authority) noexcept {
    if (authority.starts_with('[')) {
        const auto end = authority.find(']');
        const auto after = end == std::string_view::npos ? authority : authority.substr(end + 1);
        return after.empty() || after.front() == ':' ? authority.substr(1, end - 1) : authority;
    }
    return authority.substr(0, authority.find(':'));
}

bool is_own_host(std::string_view host, std::string_view own_name) {
    auto name = host_without_port(host);
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.find('.') == std::string_view::npos && name.find(':') == std::string_view::npos) {
        return true;
    }
    if (same_name(name, own_name)) return true;
    constexpr std::string_view local_domain = ".localhost";
    if (name.size() > local_domain.size() &&
        same_name(name.substr(name.size() - local_domain.size()), local_domain)) {
        return true;
    }
    boost::system::error_code failed;
    boost::asio::ip::make_address(std::string{name}, failed);
    return !failed;
}

}  // namespace reelsd::http
