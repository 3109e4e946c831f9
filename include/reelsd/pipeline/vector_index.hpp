#pragma once

#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/vector_store.hpp>
#include <reelsd/model/dense_embedder.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/pipeline/call_recorder.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::model {
class embedder;
}

namespace reelsd::pipeline {

/// What the index works with. All outlive it.
struct vector_index_parts {
    const model::dense_embedder& embedder;
    const model::embedder& words;  ///< Reads results.
    const model::price_table& prices;
    jobs::vector_store store;
    const call_recorder& recorder;
    async::offload_pool& offload;
    log::logger log;
};

/// Gives each reel a dense vector in the background, and finds what is near a query. A reel is
/// found by words and concepts until it has one; when the operator sets another embedder, all are
/// made anew, the newest first, and those of the old one are not looked at.
/// Thread: the loop's.
class vector_index {
public:
    explicit vector_index(vector_index_parts parts);

    /// Makes vectors until it is cancelled. Several daemons share the work.
    boost::asio::awaitable<void> run();

    /// The caller's reels near `query`, the nearest first; empty when none is, or when the embedder
    /// does not answer in time: a search goes on without. Does not throw.
    boost::asio::awaitable<std::vector<job_id>> near(account_id caller, std::string query);

    /// Ends calls that are under way.
    void stop() { stopping_.request_stop(); }

private:
    boost::asio::awaitable<bool> embed_some();
    boost::asio::awaitable<bool> embed_reels(
        account_id account, std::vector<jobs::unembedded_reel> reels);
    boost::asio::awaitable<std::vector<job_id>> look(account_id caller, std::string query);
    boost::asio::awaitable<std::shared_ptr<const model::dense_vector>> vector_of(
        account_id caller, std::string query);
    boost::asio::awaitable<result<model::embeddings>> ask(
        std::vector<std::string> texts, model::embedding_purpose purpose, deadline by);
    void book(account_id account, std::optional<job_id> job, std::int64_t tokens);

    vector_index_parts parts_;
    std::stop_source stopping_;
    seconds_f pause_{0};
    /// Vectors of the latest queries, the latest first: paging through a search is paid once.
    std::list<std::pair<std::string, std::shared_ptr<const model::dense_vector>>> queries_;
};

/// Which of the similarities are near: at least 0.3, and at most 0.12 below the best. Pure.
[[nodiscard]] std::vector<job_id> nearest(std::vector<std::pair<double, job_id>> found);

}  // namespace reelsd::pipeline
