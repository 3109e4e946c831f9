#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.
#include <reelsd/db/rows.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::jobs {

/// A done reel that has no vector of an embedder yet.
struct unembedded_reel {
    job_id job;
    std::int64_t claim = 0;  ///< Under which it is held.
    std::string result;      ///< The five sections as JSON text.
};

/// Every reel's id is below it.
inline constexpr job_id after_all_reels{std::numeric_limits<std::int64_t>::max()};

/// A position in the backlog: the reels of one embedder, the newest first.
struct backlog_position {
    /// Whose vectors are to be replaced; nothing for reels that have no vector.
    std::optional<std::string> embedder = {};
    job_id before = after_all_reels;  ///< Reels from here on have been looked at.
};

struct embedding_claim_request {
    std::string embedder;  ///< The asker's.
    backlog_position at;
    seconds_f lease{180.0};
    std::vector<account_id> skipped_accounts = {};
};

struct embedding_claim {
    /// False: another embedder is in force, and nothing was claimed.
    bool is_in_force = false;
    account_id account;                       ///< Of all the reels.
    std::vector<unembedded_reel> reels = {};  ///< At most `backlog_window`.
    /// Where to look next, after these reels; nothing when there is no reel further on.
    std::optional<job_id> next_before = {};
};

/// How many reels one claim looks at. With their jobs and what is locked and changed, a claim reads
/// at most 100 rows, however large the backlog is.
inline constexpr int backlog_window = 24;

struct stored_vector {
    job_id job;
    std::vector<std::byte> vector;
};

/// Vectors as the database sent them. Decoding takes the time of some 10 ns a byte, so that it does
/// not belong on the loop.
class vector_page {
public:
    vector_page() = default;
    explicit vector_page(db::rows rows) : rows_{std::move(rows)} {}

    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
    /// From any one thread at a time. Throws db::schema_mismatch.
    [[nodiscard]] std::vector<stored_vector> decode() const;

private:
    db::rows rows_;
};

/// The dense vectors of reels, and which embedder makes them. Throws like job_store. A cheap value
/// around the pool.
class vector_store {
public:
    explicit vector_store(db::pool& pool) : pool_{&pool} {}

    /// Puts an embedder in force whose name the database has not seen; nothing changes for others.
    boost::asio::awaitable<void> propose(std::string embedder, deadline by);
    /// Puts it in force, whatever was before.
    boost::asio::awaitable<void> make_active(std::string embedder, deadline by);
    /// Nothing before the first was proposed.
    boost::asio::awaitable<std::optional<std::string>> in_force(deadline by);

    /// Takes reels of one account for `lease`: no other claim gets them during that time.
    boost::asio::awaitable<embedding_claim> claim(embedding_claim_request wanted, deadline by);

    /// The next embedder in order of names, behind `after` or from the first on, that has made
    /// vectors here and is not `own`.
    boost::asio::awaitable<std::optional<std::string>> next_other_embedder(
        std::optional<std::string> after, std::string own, deadline by);

    /// False: the reel is gone, or was claimed again since, and nothing was stored.
    boost::asio::awaitable<bool> store(
        account_id account, const unembedded_reel& reel, std::string embedder,
        std::vector<std::byte> vector, deadline by);

    /// Ends claims: the reels are not claimed again before `wait` has passed.
    boost::asio::awaitable<void> release(
        account_id account, const std::vector<unembedded_reel>& reels, seconds_f wait, deadline by);

    /// Vectors that `embedder` made of the account's reels below `before`, the newest first: at
    /// most `vectors_max`.
    boost::asio::awaitable<vector_page> load(
        account_id account, std::string embedder, job_id before, int vectors_max, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::jobs
