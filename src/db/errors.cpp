#include <reelsd/db/errors.hpp>

#include <array>
#include <utility>

namespace reelsd::db {
namespace {

struct error_class {
    std::string_view prefix;  ///< Two characters for a class, five for one state.
    errc code;
};

/// The longest matching prefix decides. Source: PostgreSQL 15 manual, appendix A.
constexpr std::array error_classes{
    error_class{"08", errc::database_unavailable},     // connection exception
    error_class{"0A000", errc::internal},              // feature not supported
    error_class{"21", errc::internal},                 // cardinality violation
    error_class{"22", errc::invalid_argument},         // data exception
    error_class{"23", errc::conflict},                 // integrity constraint violation
    error_class{"23502", errc::internal},              // not null: a statement omits a column
    error_class{"25006", errc::database_unavailable},  // read only: a standby, or set so
    error_class{"40", errc::database_unavailable},     // deadlock, serialization: retry
    error_class{"53", errc::database_unavailable},     // out of memory, processes, connections
    error_class{"53100", errc::storage_failed},        // disk full
    error_class{"54000", errc::invalid_argument},  // program limit, such as an index entry too long
    error_class{"55P03", errc::database_unavailable},  // lock not available (lock_timeout)
    error_class{"57014", errc::database_unavailable},  // query canceled (statement_timeout)
    error_class{
        "57P",
        errc::database_unavailable},  // shutdown, crash of another server process, starting up
    error_class{"58", errc::storage_failed},     // system error: input or output
    error_class{"XX001", errc::storage_failed},  // data corrupted
    error_class{"XX002", errc::storage_failed},  // index corrupted
};

}  // namespace

errc errc_of(std::string_view sqlstate) noexcept {
    errc best = errc::internal;
    std::size_t longest = 0;
    for (const auto& [prefix, code] : error_classes) {
        if (prefix.size() <= longest || !sqlstate.starts_with(prefix)) continue;
        best = code;
        longest = prefix.size();
    }
    return best;
}

unavailable::unavailable(outage reason, const std::string& message)
    : failure{errc::database_unavailable, std::string{name_of(reason)} + ": " + message},
      reason_{reason} {}

bool unavailable::may_have_run() const noexcept {
    return reason_ == outage::deadline_passed || reason_ == outage::connection_lost;
}

refused::refused(std::string sqlstate, const std::string& message)
    : failure{errc_of(sqlstate), sqlstate + ": " + message}, sqlstate_{std::move(sqlstate)} {}

}  // namespace reelsd::db
