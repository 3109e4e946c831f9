#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::db {

class pool;

/// One schema change: migrations/NNNN_verb_noun.sql. Never edited once merged.
/// The text may contain many statements but no transaction control: it runs in one transaction.
/// A text that begins with `no_transaction` contains one CREATE INDEX CONCURRENTLY IF NOT EXISTS.
struct migration {
    std::int32_t version;       ///< NNNN, from 1, without gaps.
    std::string_view name;      ///< "verb_noun".
    std::string_view text;      ///< SQL.
    std::string_view checksum;  ///< SHA-256 of the file, 64 hex digits.
};

/// Current definition of an SQL function: migrations/functions/NAME.sql, with one or more
/// CREATE OR REPLACE FUNCTION statements. Edited in place.
struct sql_function {
    std::string_view name;
    std::string_view text;
    std::string_view checksum;  ///< As for a migration.
};

inline constexpr std::string_view no_transaction = "-- no transaction\n";

/// Returns the name of the index that a migration without a transaction creates. Empty unless the
/// text begins, after comments, with CREATE [UNIQUE] INDEX CONCURRENTLY IF NOT EXISTS and a name.
/// Pure.
[[nodiscard]] std::optional<std::string> concurrent_index_of(std::string_view text);

/// The files of migrations/, compiled into the binary, by version. Link reelsd::migrations.
[[nodiscard]] std::span<const migration> embedded_migrations() noexcept;

/// The files of migrations/functions/, by name. Link reelsd::migrations.
[[nodiscard]] std::span<const sql_function> embedded_functions() noexcept;

struct schema_status {
    std::size_t applied = 0;  ///< Migrations.
    std::size_t pending = 0;
    std::vector<std::string> outdated_functions;  ///< Missing, or with another definition.

    [[nodiscard]] bool up_to_date() const noexcept {
        return pending == 0 && outdated_functions.empty();
    }
};

/// Upgrades a database's schema to the binary's version. Blocking; opens its own connection. Call
/// it before the loop runs or from a helper thread.
class migrator {
public:
    /// `migrations`, ordered by version, and `functions` outlive this.
    migrator(
        std::string connection_string, std::span<const migration> migrations,
        std::span<const sql_function> functions, log::logger logger);

    /// Applies pending migrations, each together with its record in one transaction, and returns
    /// how many it applied. Then replaces the functions whose checksums differ from the database's,
    /// in one transaction. A migration without a transaction is recorded after its index is
    /// complete; an invalid index of an interrupted build is dropped and built again. Concurrent
    /// migrators wait for each other. The service may run during a migration: a migration that
    /// needs a table in use waits half a second for its lock, lets the other transactions pass, and
    /// retries until `by`. Errors: database_unavailable; conflict when an applied migration was
    /// changed, or when the database has one that this binary lacks; storage_failed; internal when
    /// a migration's SQL fails.
    [[nodiscard]] result<std::size_t> migrate(deadline by) const;

    /// Changes nothing. Same errors as migrate().
    [[nodiscard]] result<schema_status> status(deadline by) const;

private:
    std::string connection_string_;
    std::span<const migration> migrations_;
    std::span<const sql_function> functions_;
    log::logger logger_;
};

/// Runs any number of SQL statements on its own connection, in one transaction unless the text
/// controls transactions itself. Blocking, see migrator. Errors: database_unavailable; those of
/// errc_of().
[[nodiscard]] result<void> run_script(
    const std::string& connection_string, const std::string& text, deadline by);

/// Which programs may use the schema, as migration versions.
struct schema_compatibility {
    std::int32_t newest = 0;  ///< Newest applied migration.
    std::int32_t floor = 0;   ///< Programs must know at least this migration.
};

/// Reads the compatibility of the schema. Throws like pool::run().
[[nodiscard]] awaitable<schema_compatibility> read_schema_compatibility(
    pool& database, deadline by);

}  // namespace reelsd::db
