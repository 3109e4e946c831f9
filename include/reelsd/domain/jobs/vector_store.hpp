#pragma once

#include <reelsd/db/rows.hpp>
#include <reelsd/db/store.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::jobs {

/// A done reel without a vector of the active embedder.
struct unembedded_reel {
    job_id job;
    std::int64_t claim = 0;  ///< Its current claim.
    std::string result;      ///< The five sections as JSON text.
};

/// Greater than every reel's id.
inline constexpr job_id after_all_reels{std::numeric_limits<std::int64_t>::max()};

/// A position in the backlog: the reels of one embedder, the newest first.
struct backlog_position {
    /// The embedder whose vectors are replaced; empty for reels without a vector.
    std::optional<std::string> embedder = {};
    job_id before = after_all_reels;  ///< Reels from this id on were examined.
};

struct embedding_claim_request {
    std::string embedder;  ///< The caller's.
    backlog_position at;
    seconds_f lease{180.0};
    std::vector<account_id> skipped_accounts = {};
};

struct embedding_claim {
    /// False: another embedder is active, and nothing was claimed.
    bool is_in_force = false;
    account_id account;                       ///< Owner of all the reels.
    std::vector<unembedded_reel> reels = {};  ///< At most `backlog_window`.
    /// Where to continue after these reels; empty at the end.
    std::optional<job_id> next_before = {};
};

/// Number of reels that one claim examines. It reads at most 100 rows, for any backlog.
inline constexpr int backlog_window = 24;

/// Upper bound on the wait of a released reel.
inline constexpr seconds_f embedding_wait_max{86'400.0};

struct stored_vector {
    job_id job;
    std::vector<std::byte> vector;
};

/// Undecoded vectors. Decoding takes about 10 ns a byte; do it outside of the loop.
class vector_page {
public:
    vector_page() = default;
    explicit vector_page(db::rows rows) : rows_{std::move(rows)} {}

    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
    /// Any thread, one at a time. Throws db::schema_mismatch.
    [[nodiscard]] std::vector<stored_vector> decode() const;

private:
    db::rows rows_;
};

/// Dense vectors of reels, and the active embedder.
class vector_store : public db::store {
public:
    using db::store::store;

    /// Makes an embedder active if its name is new to the database.
    awaitable<void> propose(std::string embedder, deadline by);
    awaitable<void> make_active(std::string embedder, deadline by);

    /// Claims reels of one account exclusively for `lease`.
    awaitable<embedding_claim> claim(embedding_claim_request request, deadline by);

    /// The next embedder by name after `after`, or the first, with vectors here; never `own`.
    awaitable<std::optional<std::string>> next_other_embedder(
        std::optional<std::string> after, std::string own, deadline by);

    /// False when the reel is gone or was claimed again: nothing was stored.
    awaitable<bool> store(
        account_id account, const unembedded_reel& reel, std::string embedder,
        std::vector<std::byte> vector, deadline by);

    /// Ends claims: the reels are claimed again after `wait`, at most `embedding_wait_max`.
    awaitable<void> release(
        account_id account, const std::vector<unembedded_reel>& reels, seconds_f wait, deadline by);

    /// At most `vectors_max` vectors of `embedder` for the account's reels below `before`, newest
    /// first.
    awaitable<vector_page> load(
        account_id account, std::string embedder, job_id before, int vectors_max, deadline by);
};

}  // namespace reelsd::jobs
