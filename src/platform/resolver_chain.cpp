#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/resolver.hpp>

#include <optional>

namespace reelsd::platform {
namespace {

/// How much a failure tells about why a link can't be resolved now.
int weight_of(errc code) noexcept {
    switch (code) {
        case errc::platform_rate_limited: return 5;
        case errc::platform_changed: return 4;
        case errc::platform_failed: return 3;
        case errc::connection_failed: return 2;
        case errc::timed_out: return 1;
        case errc::invalid_argument:
        case errc::not_found:
        case errc::unauthorized:
        case errc::limit_reached:
        case errc::conflict:
        case errc::cancelled:
        case errc::address_refused:
        case errc::video_unavailable:
        case errc::unsupported_format:
        case errc::video_too_long:
        case errc::video_too_large:
        case errc::media_failed:
        case errc::model_refused:
        case errc::model_unavailable:
        case errc::storage_failed:
        case errc::database_unavailable:
        case errc::internal: break;
    }
    return 0;
}

void tell(const resolution_observer& observer, std::string_view resolver, const resolution& found) {
    if (!observer) return;
    if (found) return observer(resolver, nullptr);
    const no_post none = found.error();
    observer(resolver, &none.why);
}

}  // namespace

bool is_definite(errc code) noexcept {
    return code == errc::video_unavailable || code == errc::unsupported_format;
}

const error& more_telling(const error& left, const error& right) noexcept {
    return weight_of(right.code()) > weight_of(left.code()) ? right : left;
}

resolver_chain::resolver_chain(
    std::vector<std::unique_ptr<resolver>> order, log::logger log, resolution_observer observer)
    : order_{std::move(order)}, log_{std::move(log)}, observer_{std::move(observer)} {
    invariant(!order_.empty());
}

result<post> resolver_chain::resolve(
    const link& wanted, deadline by, const std::stop_token& stop) const {
    std::optional<error> in_doubt;
    std::optional<error> most_telling;
    for (const auto& way : order_) {
        auto found = way->resolve(wanted, by, stop);
        tell(observer_, way->name(), found);
        if (found) return *std::move(found);
        const no_post none = found.error();
        const error& why = none.why;
        if (why.code() == errc::cancelled) return why;
        log_.info(
            "resolver gave no post",
            {{"resolver", way->name()}, {"code", wanted.code}, {"reason", why.to_string()}});
        if (none.needs_confirmation && !in_doubt && order_.size() > 1) {
            in_doubt = why;
            continue;
        }
        if (is_definite(why.code())) return why;
        most_telling = most_telling ? more_telling(*most_telling, why) : why;
    }
    invariant(most_telling.has_value());  // Two doubts are a no, and one resolver's is.
    return *most_telling;
}

}  // namespace reelsd::platform
