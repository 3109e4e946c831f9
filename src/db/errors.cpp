#include <reelsd/db/errors.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace reelsd::db {
namespace {

struct meaning {
    std::string_view prefix;  ///< Two characters for a class, five for one state.
    errc code;
};

/// The longest prefix that fits decides. Source: PostgreSQL 15 manual, appendix A.
constexpr std::array meanings{
    meaning{"08", errc::database_unavailable},     // connection exception
    meaning{"0A000", errc::internal},              // feature not supported
    meaning{"21", errc::internal},                 // cardinality violation
    meaning{"22", errc::invalid_argument},         // data exception
    meaning{"23", errc::conflict},                 // integrity constraint violation
    meaning{"23502", errc::internal},              // not null: our statement forgot a column
    meaning{"25006", errc::database_unavailable},  // read only: a standby, or set so
    meaning{"40", errc::database_unavailable},     // deadlock, serialization: again
    meaning{"53", errc::database_unavailable},     // out of memory, processes, connections
    meaning{"53100", errc::storage_failed},        // disk full
    meaning{"54000", errc::invalid_argument},      // program limit, such as an index entry too long
    meaning{"55P03", errc::database_unavailable},  // lock not available (lock_timeout)
    meaning{"57014", errc::database_unavailable},  // query canceled (statement_timeout)
    meaning{"57P", errc::database_unavailable},    // shutdown, crash of a neighbour, starting up
    meaning{"58", errc::storage_failed},           // system error: input or output
    meaning{"XX001", errc::storage_failed},        // data corrupted
    meaning{"XX002", errc::storage_failed},        // index corrupted
};

}  // namespace

errc errc_of(std::string_view sqlstate) noexcept {
    errc best = errc::internal;
    std::size_t longest = 0;
    for (const auto& [prefix, code] : meanings) {
        if (prefix.size() <= longest || !sqlstate.starts_with(prefix)) continue;
        best = code;
        longest = prefix.size();
    }
    return best;
}

std::string_view name_of(outage reason) noexcept {
    switch (reason) {
        case outage::no_connection: return "no_connection";
        case outage::overloaded: return "overloaded";
        case outage::closed: return "closed";
        case outage::deadline_passed: return "deadline_passed";
        case outage::connection_lost: return "connection_lost";
        case outage::statement_timeout: return "statement_timeout";
        case outage::contention: return "contention";
        case outage::server_unready: return "server_unready";
        case outage::read_only: return "read_only";
    }
    return "unknown";
}

unavailable::unavailable(outage reason, const std::string& message)
    : failure{errc::database_unavailable, std::string{name_of(reason)} + ": " + message},
      reason_{reason} {}

bool unavailable::may_have_run() const noexcept {
    switch (reason_) {
        case outage::deadline_passed:
        case outage::connection_lost: return true;
        case outage::no_connection:
        case outage::overloaded:
        case outage::closed:
        case outage::statement_timeout:
        case outage::contention:
        case outage::server_unready:
        case outage::read_only: return false;
    }
    return true;
}

refused::refused(std::string sqlstate, std::string constraint, const std::string& message)
    : failure{errc_of(sqlstate), sqlstate + ": " + message},
      sqlstate_{std::move(sqlstate)},
      constraint_{std::move(constraint)} {}

}  // namespace reelsd::db
