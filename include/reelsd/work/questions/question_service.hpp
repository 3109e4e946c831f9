#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/questions/question.hpp>
#include <reelsd/model/question.hpp>
#include <reelsd/work/analysis/call_recorder.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::work {

class vector_index;

/// Owns the models that it refers to.
using remote_models = std::shared_ptr<const std::vector<const model::remote_analyzer*>>;

/// Dependencies of question_service. All outlive it.
struct question_service_dependencies {
    /// The current models, in the order of the operator's preference; may be empty.
    std::function<remote_models()> models;
    const model::embedder& embedder;
    jobs::job_store jobs;
    jobs::reel_search search;
    questions::question_store store;
    const call_recorder& recorder;
    vector_index* vectors;  ///< Null without a remote embedder.
    /// Only for questions: a call of a model blocks a thread for up to a minute.
    async::offload_pool& threads;
    std::size_t questions_max = 1;  ///< Answered at the same time; the others wait or are refused.
    int submissions_per_minute = 10;  ///< Of accounts without their own limit.
    /// Part of the shutdown time in which calls in progress may still be answered.
    std::chrono::milliseconds drain{4000};
    log::logger log;
};

struct question_cost {
    std::int64_t picodollars = 0;
    bool is_known = true;  ///< Whether that is the cost of all calls.
};

/// Answers questions from the stored results of done reels, and checks the citations of the answers
/// against them. Thread: the loop's.
class question_service final : public async::background_service {
public:
    explicit question_service(question_service_dependencies parts) : parts_{std::move(parts)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return "questions"; }
    void start() override {}
    /// Refuses new questions, waits up to `drain` for calls in progress, then aborts them. Aborted
    /// calls stay in the ledger.
    [[nodiscard]] awaitable<bool> stop(deadline by) override;

    /// See questions::answerer.
    [[nodiscard]] awaitable<questions::outcome> answer(
        account_id caller, questions::question asked, std::stop_token stop);

private:
    struct reply;

    [[nodiscard]] std::optional<questions::refusal> refusal_now(const remote_models& models) const;
    awaitable<questions::outcome> answer_admitted(
        account_id caller, questions::question asked, std::vector<jobs::job> reels,
        remote_models models, std::stop_token stop);
    awaitable<void> remove_deleted(std::vector<model::citation>& citations);
    awaitable<std::vector<jobs::job>> find_reels(
        account_id caller, const questions::question& asked, question_cost& cost);
    /// Tries the models in order. Blocks.
    [[nodiscard]] reply ask_models(
        const remote_models& models, const model::question_prompt& prompt,
        model::call_ledger& calls, deadline by) const;

    question_service_dependencies parts_;
    std::size_t in_progress_ = 0;
    bool is_stopping_ = false;
    async::condition ended_;  ///< Notified when a question has ended.
    std::stop_source aborted_;
};

}  // namespace reelsd::work
