#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/jobs/vector_store.hpp>
#include <reelsd/model/circuit_breaker.hpp>
#include <reelsd/model/dense_embedder.hpp>
#include <reelsd/work/embeddings/paid_embedder.hpp>

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::model {
class embedder;
}

namespace reelsd::work {

/// Dependencies of the index. All outlive it.
struct vector_index_dependencies {
    boost::asio::any_io_executor loop;
    paid_embedder_dependencies calls;
    const model::embedder& words;  ///< Reads results.
    jobs::vector_store store;
    async::offload_pool& offload;  ///< For computations that would block the loop.
    /// Part of the shutdown time in which a call in progress may still be answered.
    std::chrono::milliseconds drain{4000};
};

struct near_reels {
    std::vector<job_id> reels;                         ///< Nearest first.
    std::optional<std::int64_t> cost_picodollars = 0;  ///< Of the query; empty if unknown.
};

/// Computes a dense vector for each reel in the background, and finds reels near a query. Until a
/// reel has a vector, search finds it by words and concepts. One embedder is active in a
/// database: its daemons replace the vectors of other embedders, newest reels first. Daemons with
/// another embedder compute none. See docs/adr/0012.
/// Thread: the loop's.
class vector_index final : public async::background_task {
public:
    explicit vector_index(vector_index_dependencies parts)
        : background_task{"embed reels", parts.loop, parts.calls.log},
          store_{parts.store},
          words_{parts.words},
          offload_{parts.offload},
          calls_{parts.calls},
          drain_{parts.drain} {}

    /// Returns the caller's reels near `query`, nearest first. Empty if none is near, if the
    /// account's budget is spent, or if the embedder does not answer in time: the search continues
    /// without vectors. Does not throw.
    awaitable<near_reels> near(account_id caller, std::string query);

    /// Begins no new calls, waits up to `drain` for those in progress, then aborts them.
    [[nodiscard]] awaitable<bool> stop(deadline by) override;

    /// Whether this daemon computes vectors: its embedder is active and its answers are usable.
    [[nodiscard]] bool is_active() const noexcept { return is_in_force_ && !calls_.has_given_up(); }
    [[nodiscard]] std::string_view embedder() const noexcept { return calls_.model().name(); }

private:
    enum class step : std::uint8_t {
        embedded,  ///< More reels may be ready.
        nothing,   ///< No reel of this window can be embedded now.
        failed,    ///< The embedder returned no vectors.
        idle,      ///< This daemon does not embed now.
    };
    /// Result of processing one window of the backlog.
    struct window {
        step ended = step::nothing;
        std::optional<job_id> next_before = {};  ///< As in jobs::embedding_claim.
    };

    /// Computes vectors until stop(). Several daemons share the work.
    awaitable<void> run() override;
    awaitable<step> embed_next();
    awaitable<step> walk();
    awaitable<window> embed_at(jobs::backlog_position at);
    awaitable<step> embed_reels(jobs::embedding_claim held, bool is_operators);
    /// After a refused batch, which one text may have caused: embeds its reels one by one, the
    /// shortest text first. The refused ones are postponed, unless the embedder refuses any text.
    awaitable<step> embed_singly(
        jobs::embedding_claim held, std::vector<std::string> texts, embedding_order order,
        deadline by);
    /// Whether the embedder accepts a harmless text. The operator pays for it.
    awaitable<bool> accepts_any_text(account_id account, deadline by);
    /// Embeds a text, or the longest half, quarter and so on that the embedder accepts. Errors: as
    /// paid_embedder::embed().
    awaitable<result<model::dense_vector>> embed_shortened(
        embedding_order order, std::string text, deadline by);
    awaitable<step> give_back(jobs::embedding_claim held, error why);
    awaitable<void> keep(
        account_id account, const jobs::unembedded_reel& reel, const model::dense_vector& vector);
    [[nodiscard]] monotonic_clock::duration pause_after(step ended) const;
    void note_activation(bool is_in_force);
    void note_database_failure(const char* reason);
    std::vector<account_id> skipped_accounts();
    /// Sets the cost of `found` as soon as it is known, even if the search fails.
    awaitable<void> search(account_id caller, std::string query, near_reels& found);
    awaitable<std::shared_ptr<const model::dense_vector>> vector_of(
        account_id caller, std::string query, deadline by, near_reels& found);
    void note_query(const result<std::vector<model::dense_vector>>& vectors);
    [[nodiscard]] std::string embedder_name() const { return std::string{embedder()}; }

    jobs::vector_store store_;
    const model::embedder& words_;
    async::offload_pool& offload_;
    paid_embedder calls_;
    std::chrono::milliseconds drain_;

    bool is_stopping_ = false;
    async::condition stopping_;  ///< Notified when is_stopping_ is set.
    bool is_in_force_ = true;    ///< As last read from the database.
    seconds_f pause_{0};         ///< Pause after a failure of the embedder, doubled each time.
    int database_failures_ = 0;  ///< Consecutive failures.
    /// Position of the current round through the backlog; nothing between two rounds.
    std::optional<jobs::backlog_position> walk_;
    bool has_embedded_ = false;  ///< Whether a reel was embedded in this round.
    monotonic_clock::time_point next_round_at_{};
    /// Accounts whose budget is spent, and until when they are skipped.
    std::map<account_id, monotonic_clock::time_point> skipped_;
    model::circuit_breaker query_circuit_;  ///< Of queries alone: see note_query().
    /// Vectors of the latest queries, latest first, so that paging through a search is paid once.
    std::list<std::pair<std::string, std::shared_ptr<const model::dense_vector>>> queries_;
};

/// Returns the jobs whose similarity is at least 0.3 and at most 0.12 below the best. Pure.
[[nodiscard]] std::vector<job_id> nearest(std::vector<std::pair<double, job_id>> scores);

}  // namespace reelsd::work
