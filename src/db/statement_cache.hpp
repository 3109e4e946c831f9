#pragma once

#include <reelsd/db/query.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace reelsd::db {

/// The statements that one connection has prepared or is preparing. Does no I/O.
///
/// Requests are pipelined: when a PREPARE fails, other requests that rely on it are already in
/// flight. Each PREPARE has its own number, so that their later failures do not undo a newer one.
/// The server's name for the statement includes the number, so that names never collide.
class statement_cache {
public:
    struct use {
        std::uint64_t number;     ///< From 1.
        std::string server_name;  ///< "jobs.claim_due#1".
        bool must_prepare;        ///< True for the first use: send PREPARE first.
    };

    /// Returns the statement that runs `what`. Aborts if another text has the same name.
    [[nodiscard]] use acquire(const query& what);

    /// Prepares again at the next use, because the server lost statement `number` or no longer
    /// supports it. No effect if a newer one was prepared.
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
