#pragma once

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

/// One step of the schema's history: migrations/NNNN_verb_noun.sql. Never edited once merged.
/// The text may hold many statements, but no transaction control: it runs within one transaction.
/// A text that begins with `no_transaction` holds one CREATE INDEX CONCURRENTLY IF NOT EXISTS.
struct migration {
    std::int32_t version;       ///< NNNN, from 1, without gaps.
    std::string_view name;      ///< "verb_noun".
    std::string_view text;      ///< SQL.
    std::string_view checksum;  ///< SHA-256 of the file, 64 hex digits.
};

/// The current definition of a function of the schema: migrations/functions/NAME.sql, one or more
/// CREATE OR REPLACE FUNCTION. Edited in place.
struct sql_function {
    std::string_view name;
    std::string_view text;
    std::string_view checksum;  ///< As of a migration.
};

inline constexpr std::string_view no_transaction = "-- no transaction\n";

/// The index that a text without a transaction creates; empty when it does not begin, after
/// comments, with CREATE [UNIQUE] INDEX CONCURRENTLY IF NOT EXISTS and a name. Pure.
[[nodiscard]] std::optional<std::string> concurrent_index_of(std::string_view text);

/// The files of migrations/, compiled into the binary, in order of version. Link
/// reelsd::migrations.
[[nodiscard]] std::span<const migration> embedded_migrations() noexcept;

/// The files of migrations/functions/, in order of name. Link reelsd::migrations.
[[nodiscard]] std::span<const sql_function> embedded_functions() noexcept;

/// What the database has and what it lacks.
struct schema_status {
    struct step {
        std::int32_t version = 0;
        std::string name;
        std::string applied_at;  ///< RFC 3339; empty when pending.
    };
    std::vector<step> applied;
    std::vector<step> pending;
    std::vector<std::string> outdated_functions;  ///< Missing, or of another definition.

    [[nodiscard]] bool up_to_date() const noexcept {
        return pending.empty() && outdated_functions.empty();
    }
};

/// Brings a database's schema up to the binary's. Blocking, over a connection of its own: call it
/// before the loop runs or from a helper thread.
class migrator {
public:
    /// `migrations`, which are in order of version, and `functions` outlive this.
    migrator(
        std::string connection_string, std::span<const migration> migrations,
        std::span<const sql_function> functions, log::logger logger);

    /// Applies what is pending, each migration with its record in one transaction, and gives how
    /// many were applied here. After the last one, the functions whose checksums differ from the
    /// database's are replaced in one transaction. A migration without a transaction is recorded
    /// after its index is complete; an index that an interrupted build has left invalid is dropped
    /// and built again. Concurrent migrators wait for each other. The service may go on meanwhile:
    /// a migration that needs a table which others use waits for half a second at a time and lets
    /// them pass before it tries again, until `by`. Errors: database_unavailable; conflict when a
    /// migration was changed after it had been applied, or when the database has one that this
    /// binary does not know; storage_failed; internal when a migration's SQL fails.
    [[nodiscard]] result<std::size_t> migrate(deadline by) const;

    /// Changes nothing. Same errors.
    [[nodiscard]] result<schema_status> status(deadline by) const;

private:
    std::string connection_string_;
    std::span<const migration> migrations_;
    std::span<const sql_function> functions_;
    log::logger logger_;
};

/// Runs SQL of any number of statements over a connection of its own, as one transaction unless the
/// text says otherwise. Blocking, see migrator. Errors: database_unavailable; what errc_of() says.
[[nodiscard]] result<void> run_script(
    const std::string& connection_string, const std::string& text, deadline by);

}  // namespace reelsd::db
