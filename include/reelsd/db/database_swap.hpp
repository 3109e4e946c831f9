#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace reelsd::db {

/// What a database holds before something is put into it.
struct database_contents {
    bool has_relations = false;  ///< Tables and the like, of whomever.
    bool has_rows = false;       ///< In one of the tables that were asked about.
};

/// Looks, and changes nothing. Tables that are not there have no rows. Blocking, over a connection
/// of its own. Errors: database_unavailable; what errc_of() says.
[[nodiscard]] result<database_contents> look_into(
    const std::string& connection_string, std::span<const std::string_view> tables, deadline by);

/// A new, empty database beside another one on the same server, which takes its place as a whole
/// or not at all: two renamings in one transaction. Whoever dies on the way leaves the old one
/// where it was; the new one is then dropped by the next replacement. Blocking; any one thread.
class database_swap {
public:
    /// Errors: conflict when somebody is connected to the old database, another replacement of it
    /// is under way, or the role may not create databases; database_unavailable; storage_failed.
    [[nodiscard]] static result<database_swap> make(
        const std::string& connection_string, deadline by);

    database_swap(database_swap&& other) noexcept;
    database_swap& operator=(database_swap&& other) noexcept;
    database_swap(const database_swap&) = delete;
    database_swap& operator=(const database_swap&) = delete;
    /// Drops the new database, unless it has taken the old one's place.
    ~database_swap();

    /// Of the new database.
    [[nodiscard]] const std::string& connection_string() const noexcept;

    /// The new database gets the old one's name, and the old one is dropped. Errors, with
    /// everything as it was: conflict when somebody is connected to the old one by now; what
    /// errc_of() says.
    [[nodiscard]] result<void> commit(deadline by);

private:
    struct state;
    explicit database_swap(std::unique_ptr<state> made) noexcept;

    std::unique_ptr<state> state_;
};

}  // namespace reelsd::db
