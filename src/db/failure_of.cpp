#include "failure_of.hpp"

#include <fmt/format.h>

namespace reelsd::db {

outage outage_of(std::string_view sqlstate) noexcept {
    if (sqlstate == "25006") return outage::read_only;
    if (sqlstate == "57014") return outage::statement_timeout;
    if (sqlstate == "55P03" || sqlstate.starts_with("40")) return outage::contention;
    if (sqlstate.starts_with("08")) return outage::connection_lost;
    return outage::server_unready;
}

std::exception_ptr failure_of(std::string_view query_name, const server_error& why) {
    const auto message = fmt::format("{}: {}", query_name, why.message);
    if (errc_of(why.sqlstate) == errc::database_unavailable) {
        return std::make_exception_ptr(
            unavailable{outage_of(why.sqlstate), fmt::format("{} ({})", message, why.sqlstate)});
    }
    return std::make_exception_ptr(refused{why.sqlstate, why.constraint, message});
}

}  // namespace reelsd::db
