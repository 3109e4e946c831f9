#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace reelsd::db {

/// What a database contains before data is restored into it.
struct database_contents {
    bool has_relations = false;  ///< Any tables, views or sequences, of any owner.
    bool has_rows = false;       ///< At least one of the requested tables has rows.
};

/// Inspects a database without changing it. Missing tables count as empty. Blocking; opens its own
/// connection. Errors: database_unavailable; those of errc_of().
[[nodiscard]] result<database_contents> look_into(
    const std::string& connection_string, std::span<const std::string_view> tables, deadline by);

/// Replaces a database with a new one on the same server. The swap is atomic: two renames in one
/// transaction. If the process dies before it, the old database stays in place, and the next swap
/// drops the new one. Blocking; any thread, one at a time.
class database_swap {
public:
    /// Creates the new, empty database. Errors: conflict when another client is connected to the
    /// old database, another swap of it is in progress, or the role may not create databases;
    /// database_unavailable; storage_failed.
    [[nodiscard]] static result<database_swap> make(
        const std::string& connection_string, deadline by);

    database_swap(database_swap&& other) noexcept;
    database_swap& operator=(database_swap&& other) noexcept;
    /// Drops the new database unless commit() succeeded.
    ~database_swap();

    /// Connects to the new database.
    [[nodiscard]] const std::string& connection_string() const noexcept;

    /// Gives the new database the old one's name and drops the old one. An error changes nothing:
    /// conflict when another client is connected to the old database; those of errc_of().
    [[nodiscard]] result<void> commit(deadline by);

private:
    struct state;
    explicit database_swap(std::unique_ptr<state> initial) noexcept;

    std::unique_ptr<state> state_;
};

}  // namespace reelsd::db
