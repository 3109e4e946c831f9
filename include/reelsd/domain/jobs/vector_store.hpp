#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::jobs {

/// A done reel that has no vector of an embedder yet.
struct unembedded_reel {
    account_id account;
    job_id job;
    std::string result;  ///< The five sections as JSON text.
};

struct stored_vector {
    job_id job;
    std::vector<std::byte> vector;
};

/// The dense vectors of reels. Throws like job_store. A cheap value around the pool.
class vector_store {
public:
    explicit vector_store(db::pool& pool) : pool_{&pool} {}

    /// Takes reels that `embedder` has not seen, the newest first, for `lease`: nobody else gets
    /// them meanwhile.
    boost::asio::awaitable<std::vector<unembedded_reel>> claim(
        std::string embedder, int reels_max, seconds_f lease, deadline by);

    /// Stores a vector; a reel that is gone by now changes nothing.
    boost::asio::awaitable<void> store(
        account_id account, job_id job, std::string embedder, std::vector<std::byte> vector,
        deadline by);

    /// Nobody tries again before `wait` has passed.
    boost::asio::awaitable<void> put_off(std::vector<job_id> jobs, seconds_f wait, deadline by);

    /// The vectors that `embedder` made of the account's reels: at most `vectors_max`, the newest.
    boost::asio::awaitable<std::vector<stored_vector>> load(
        account_id account, std::string embedder, int vectors_max, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::jobs
