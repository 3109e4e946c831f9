#pragma once

#include <reelsd/db/query.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace reelsd::db {

/// Which statements one connection has prepared, or has asked to prepare. Pure bookkeeping.
///
/// Requests are pipelined: when a PREPARE fails, others that rely on it are under way already. Each
/// gets a number of its own, so that their failures, which come later, don't undo a newer PREPARE;
/// and the server knows the statement by name and number, so that a newer one never collides with
/// an older.
class statement_cache {
public:
    struct use {
        std::uint64_t number;     ///< From 1.
        std::string server_name;  ///< "jobs.claim_due#1".
        bool must_prepare;        ///< True for the first use: send PREPARE first.
    };

    /// The statement to run `what` with. Aborts when another text has the same name.
    [[nodiscard]] use acquire(const query& what);

    /// The server does not have statement `number` (or no longer a fitting one): prepare anew at
    /// the next use. No effect when that has been done.
    void forget(const query& what, std::uint64_t number);

    [[nodiscard]] static std::string server_name(const query& what, std::uint64_t number);

private:
    struct entry {
        const char* text;
        std::uint64_t number;  ///< Zero: not prepared.
    };

    std::unordered_map<std::string_view, entry> entries_;
    std::uint64_t last_number_ = 0;
};

}  // namespace reelsd::db
