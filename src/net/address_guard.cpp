#include <reelsd/net/address_guard.hpp>

#include <algorithm>

namespace reelsd::net {
namespace {

error refused(const url& target, const char* why) {
    return error{errc::address_refused, target.host() + ": " + why};
}

bool is_local_name(const url& target, const std::optional<ip_address>& literal) {
    if (literal) return reach_of(*literal) == reach::local;
    return target.host() == "localhost";
}

}  // namespace

bool has_suffix(std::string_view host, std::string_view suffix) noexcept {
    if (suffix.empty() || !host.ends_with(suffix)) return false;
    return host.size() == suffix.size() || host[host.size() - suffix.size() - 1] == '.';
}

bool address_guard::trusts(const url& target) const {
    const auto& origins = policy_.trusted_origins;
    return std::find(origins.begin(), origins.end(), target.origin()) != origins.end();
}

result<void> address_guard::check(const url& target) const {
    if (trusts(target)) return {};
    const auto literal = ip_address::parse(target.host());
    if (literal && !allows(target, *literal)) return refused(target, "not a public address");

    if (!policy_.allow_private) {
        if (target.scheme() != "https") return refused(target, "not https");
        if (!target.has_default_port()) return refused(target, "not the port of https");
    }
    if (policy_.allow_private && is_local_name(target, literal)) return {};

    const auto& suffixes = policy_.host_suffixes;
    const bool listed = std::any_of(suffixes.begin(), suffixes.end(), [&](const std::string& s) {
        return has_suffix(target.host(), s);
    });
    if (!suffixes.empty() && !listed) return refused(target, "not a host of the list");
    return {};
}

bool address_guard::allows(const url& target, const ip_address& address) const {
    if (trusts(target)) return true;
    switch (reach_of(address)) {
        case reach::world: return true;
        case reach::local: return policy_.allow_private;
        case reach::nowhere: return false;
    }
    return false;
}

}  // namespace reelsd::net
