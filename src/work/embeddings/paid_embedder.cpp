#include <reelsd/work/embeddings/paid_embedder.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace reelsd::work {
namespace {

/// Before a call, the ledger is written; a search has 3 s for everything.
constexpr auto begin_time_max = std::chrono::seconds{2};
/// One answer without vectors may be a transfer error; this many in a row are not.
constexpr int useless_answers_max = 3;

}  // namespace

awaitable<paid_vectors> paid_embedder::embed(
    embedding_order order, std::vector<std::string> texts, deadline by) {
    if (has_given_up_) {
        co_return paid_vectors{
            error{errc::model_misconfigured, "embedding has stopped until the next start"}};
    }
    usage::account_call_intent intent{
        .account = order.account,
        .job = order.job,
        .provider = std::string{parts_.embedder.provider()},
        .model = std::string{parts_.embedder.model()},
        .estimated_tokens = model::estimated_tokens(texts),
        .is_operators = order.is_operators,
        .booking_key = {}};
    const auto begun =
        co_await parts_.recorder.begin_later(std::move(intent), by.at_most(begin_time_max));
    if (!begun) co_return paid_vectors{begun.error()};

    model::embedding_reply reply{.vectors = error{errc::cancelled, "not asked"}};
    const std::function<bool()> call = [&] {
        reply = parts_.embedder.embed(texts, order.purpose, by, aborted_.get_token());
        return true;
    };
    const auto called = co_await parts_.threads.run(by, call);
    if (!called) reply.vectors = called.error();  // Not sent.
    const auto cost = write_down(*begun, reply);
    judge(reply);
    co_return paid_vectors{std::move(reply.vectors), cost};
}

std::optional<std::int64_t> paid_embedder::write_down(
    std::int64_t call, const model::embedding_reply& reply) {
    switch (reply.billed) {
        case model::billing::none: parts_.recorder.release_later(call); return 0;
        case model::billing::unknown: return std::nullopt;  // Not settled: counts as unknown.
        case model::billing::counted: break;
    }
    const std::string model{parts_.embedder.model()};
    const auto cost = parts_.prices.cost_of(model, {.prompt = reply.tokens});
    parts_.recorder.settle_later(call, {.prompt_tokens = reply.tokens, .cost_picodollars = cost});
    return cost;
}

void paid_embedder::judge(const model::embedding_reply& reply) {
    if (reply.vectors) {
        useless_answers_ = 0;
        return;
    }
    // An unusable vector is the fault of its text: embed the others.
    const bool is_of_text = reply.vectors.error().code() == errc::model_refused;
    if (reply.billed != model::billing::counted || is_of_text || has_given_up_) return;
    ++useless_answers_;
    const bool is_final = reply.vectors.error().code() == errc::model_misconfigured;
    if (!is_final && useless_answers_ < useless_answers_max) return;
    has_given_up_ = true;
    parts_.log.error(
        "embedding stopped until the next start: the provider's answers are unusable",
        {{"embedder", parts_.embedder.name()}, {"reason", reply.vectors.error().to_string()}});
}

}  // namespace reelsd::work
