#include <reelsd/net/address_guard.hpp>

#include <algorithm>

namespace reelsd::net {
namespace {

error refused(const url& target, const std::string& why) {
    return error{errc::address_refused, target.host() + ": " + why};
}

bool is_default_https(const url& target) {
    return target.scheme() == "https" && target.has_default_port();
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

bool address_guard::is_listed(const url& target, const std::optional<ip_address>& literal) const {
    const auto& listed = policy_.host_suffixes;
    if (listed.empty()) return true;
    const auto canonical = literal ? literal->to_string() : std::string{};
    return std::any_of(listed.begin(), listed.end(), [&](const std::string& one) {
        return literal ? one == canonical : has_suffix(target.host(), one);
    });
}

result<void> address_guard::check(const url& target) const {
    if (trusts(target)) return {};
    const auto literal = ip_address::parse(target.host());
    if (!is_listed(target, literal)) {
        const auto& setting = policy_.hosts_setting;
        return refused(target, setting.empty() ? "not a listed host" : "not in " + setting);
    }
    if (literal && !allows(target, *literal)) return refusal_of(target, literal->to_string());
    if (policy_.allow_private) return {};
    // The network of a name is known only when the client connects.
    if (policy_.plain_in_networks && !policy_.networks.empty()) return {};
    if (target.scheme() != "https") return refused(target, "not https");
    if (!target.has_default_port()) return refused(target, "not the port of https");
    return {};
}

bool address_guard::allows(const url& target, const ip_address& address) const {
    if (trusts(target)) return true;
    const bool takes_plain = policy_.allow_private || is_default_https(target);
    const auto& networks = policy_.networks;
    if (std::any_of(networks.begin(), networks.end(), [&](const ip_network& network) {
            return network.contains(address);
        }))
        return takes_plain || policy_.plain_in_networks;
    if (!takes_plain) return false;
    switch (reach_of(address)) {
        case reach::world: return true;
        case reach::local: return policy_.allow_private;
        case reach::nowhere: return false;
    }
    return false;
}

error address_guard::refusal_of(const url& target, const std::string& address) const {
    std::string why = "leads to " + address + ", which is not allowed";
    if (!policy_.networks_setting.empty()) why += "; " + policy_.networks_setting + " can allow it";
    return refused(target, why);
}

}  // namespace reelsd::net
