#include "daemon.hpp"
#include <reelsd/base/json.hpp>  // A coroutine that returns it is destroyed here.

#include <chrono>
#include <stop_token>
#include <string_view>
#include <utility>

// What a daemon's workers work with.
namespace reelsd::app {
namespace {

/// Starting the media program takes a tenth of a second, more on a machine that is starting up.
constexpr std::chrono::seconds jail_time_max{10};

}  // namespace

void daemon::examine_jail() {
    const auto report =
        parts_.media->examine_jail(deadline::after(jail_time_max), std::stop_token{});
    if (!report) {
        log_.error("media jail not examined", {{"reason", report.error().to_string()}});
        return;
    }
    jail_layers_ = report->layers;
    const auto holding = report->layers_that_hold();
    const auto missing = report->layers_missing();
    if (!report->refusal.empty()) {
        log_.error(
            "no video can be decoded on this machine",
            {{"holding", holding}, {"missing", missing}, {"reason", report->refusal}});
    } else if (report->is_weak()) {
        log_.warning("media jail is weak", {{"holding", holding}, {"missing", missing}});
    } else {
        log_.info("media jail holds", {{"holding", holding}, {"missing", missing}});
    }
}

std::unique_ptr<work::vector_index> daemon::make_vector_index() {
    const auto* const embedder = parts_.models->dense_embedder();
    if (embedder == nullptr) return nullptr;
    return std::make_unique<work::vector_index>(work::vector_index_parts{
        .calls =
            {.embedder = *embedder,
             .prices = parts_.models->prices(),
             .recorder = recorder_,
             .threads = embedding_calls_,
             .log = log_},
        .words = *parts_.embedder,
        .store = jobs::vector_store{pool_},
        .offload = offload_});
}

std::unique_ptr<work::attempt_runner> daemon::make_attempt_runner() {
    const auto work = [this](const jobs::claimed_job& job, std::stop_token stop) {
        return executor_.run(job, std::move(stop));
    };
    return std::make_unique<work::threaded_attempt_runner>(
        loop_.get_executor(), with_.workers, work);
}

work::executor_parts daemon::executor_parts() {
    return {
        .source = *parts_.source,
        .pacer = pacer_,
        .media = *parts_.media,
        .analyzer = parts_.models->chosen(),
        .free_analyzer = parts_.models->free(),
        .embedder = *parts_.embedder,
        .scratch = *parts_.scratch,
        .loop = loop_.get_executor(),
        .store = job_store_,
        .recorder = recorder_,
        .analysis_costs_money = !parts_.models->remote().empty(),
        .on_step = [this](const jobs::claimed_job& job, std::string_view step) {
            note_step(job, step);
        }};
}

}  // namespace reelsd::app
