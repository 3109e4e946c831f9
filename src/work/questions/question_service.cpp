#include <reelsd/base/foreign_json.hpp>
#include <reelsd/model/search_document.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/work/embeddings/vector_index.hpp>
#include <reelsd/work/questions/question_service.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;
using questions::refusal;

/// The API answers 503 if the model is not reached within this time.
constexpr auto answer_time_max = 60s;
constexpr auto database_time_max = 5s;
/// About 6,000 tokens, which are 0.1 to 0.5 cents at usual prices. A reel of 90 s has a third of
/// that, so that one reel is nearly always sent whole.
constexpr std::size_t evidence_bytes_max = 24'000;
/// Paid calls of a question over all models: one, and a repetition for each of two kinds of faults.
constexpr int paid_calls_max = 3;
/// Done reels among which the newest of each post are found.
constexpr int newest_max = 100;
constexpr int retry_soon = 5;    ///< Seconds: a question takes about this long.
constexpr int retry_later = 30;  ///< Seconds: a model that failed now.
constexpr int retry_max = 3600;
constexpr std::string_view not_said = "The reels do not say.";
constexpr std::string_view not_answered = "The model gave no usable answer.";

refusal unavailable(std::string text, int retry_after) {
    return {
        .why = refusal::reason::unavailable, .text = std::move(text), .retry_after = retry_after};
}

int whole_seconds(seconds_f wait) {
    if (wait <= seconds_f{0}) return retry_later;
    return std::clamp(
        static_cast<int>(std::min(wait.count(), double{retry_max})) + 1, 1, retry_max);
}

/// Seconds until budgets are reset, at the start of the next month in UTC.
int seconds_to_next_month() {
    const auto now = std::chrono::system_clock::now();
    const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
    const auto next = (today.year() / today.month() + std::chrono::months{1}) / std::chrono::day{1};
    const std::chrono::sys_days begin{next};
    return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(begin - now).count());
}

/// The refusal when no model has answered.
refusal refusal_from(const model::analysis_failure& failed) {
    switch (failed.why.code()) {
        case errc::unauthorized:
            return {
                .why = refusal::reason::budget_spent,
                .text = failed.why.detail(),
                .retry_after = seconds_to_next_month()};
        case errc::model_misconfigured:
            return unavailable(
                "the model refuses this server's requests; its operator finds the reason in the "
                "log",
                whole_seconds(failed.not_before));
        case errc::cancelled: return unavailable("the server is stopping", retry_soon);
        case errc::database_unavailable:
            return unavailable("the database cannot be reached", retry_soon);
        default:
            return unavailable(
                "the model cannot be reached; try again", whole_seconds(failed.not_before));
    }
}

/// Whether another model may answer.
bool is_unavailable(const error& why) {
    return why.code() == errc::model_unavailable || why.code() == errc::model_misconfigured ||
           why.code() == errc::timed_out;
}

/// Records the paid calls of one question. Used by the thread that answers it.
class question_ledger final : public model::call_ledger {
public:
    /// `reel`: the only one that is asked.
    question_ledger(
        const call_recorder& recorder, account_id account, std::optional<job_id> reel,
        std::stop_token stop)
        : recorder_{recorder}, account_{account}, reel_{reel}, stop_{std::move(stop)} {}

    result<std::int64_t> begin_call(
        std::string_view provider, std::string_view name, model::call_kind /*kind*/) override {
        if (stop_.stop_requested()) return error{errc::cancelled, "the client has disconnected"};
        if (calls_ == paid_calls_max) return error{errc::limit_reached, "no paid calls left"};
        auto begun = recorder_.begin_for_account(
            {.account = account_,
             .purpose = usage::call_purpose::ask,
             .job = reel_,
             .provider = std::string{provider},
             .model = std::string{name},
             .booking_key = {}});
        if (!begun) return begun;
        ++calls_;
        ++unsettled_;
        return begun;
    }

    void settle(std::int64_t call, const model::call_usage& used) override {
        --unsettled_;
        cost_.picodollars += used.cost_picodollars.value_or(0);
        if (!used.cost_picodollars) cost_.is_known = false;
        recorder_.settle(call, ledger_usage(used));
    }

    void release(std::int64_t call) override {
        --calls_;
        --unsettled_;
        recorder_.release(call);
    }

    /// A call without an answer has an unknown cost.
    [[nodiscard]] question_cost cost() const {
        auto cost = cost_;
        if (unsettled_ > 0) cost.is_known = false;
        return cost;
    }

private:
    const call_recorder& recorder_;
    account_id account_;
    std::optional<job_id> reel_;
    std::stop_token stop_;
    int calls_ = 0;
    int unsettled_ = 0;
    question_cost cost_;
};

std::vector<model::reel_evidence> evidence_in(const std::vector<jobs::job>& reels) {
    std::vector<model::reel_evidence> all;
    for (const auto& reel : reels) {
        const auto result = parse_foreign_json(*reel.result);
        auto passages = model::evidence_of(result);
        if (passages.empty()) continue;
        all.push_back(
            {.id = reel.id,
             .code = text_or(member(result, "platform_meta"), "code", ""),
             .passages = std::move(passages)});
    }
    return all;
}

/// Identifies the post and slide of a done reel.
std::string post_of(const jobs::job& reel) {
    const auto link = platform::parse_link(reel.url);
    const auto slide = link ? link->img_index : std::nullopt;
    const auto code = reel.brief ? reel.brief->code : std::string{};
    return slide ? fmt::format("{}#{}", code, *slide) : code;
}

/// "0.000041": exact, without zeros at its end. Pure.
std::string dollars_of(std::int64_t picodollars) {
    constexpr std::int64_t picodollars_of_a_dollar = 1'000'000'000'000;
    auto text = fmt::format(
        "{}.{:012}", picodollars / picodollars_of_a_dollar, picodollars % picodollars_of_a_dollar);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

questions::answer answer_from(
    model::cited_answer found, bool is_readable, const question_cost& cost) {
    questions::answer answer;
    answer.is_answered = !found.citations.empty();
    answer.text = is_readable ? not_said : not_answered;
    if (answer.is_answered) answer.text = std::move(found.text);
    for (auto& cited : found.citations) {
        answer.citations.push_back(
            {.id = cited.id,
             .code = std::move(cited.code),
             .field = std::move(cited.field),
             .text = std::move(cited.text),
             .seconds = cited.seconds});
    }
    answer.cost_usd = cost.is_known ? std::optional{dollars_of(cost.picodollars)} : std::nullopt;
    return answer;
}

}  // namespace

/// What the models said.
struct question_service::reply {
    model::cited_answer answer;
    const model::remote_analyzer* model = nullptr;        ///< The one that replied.
    std::optional<model::analysis_failure> failure = {};  ///< If none did.
    bool is_readable = true;                              ///< False if it refused, for example.
};

awaitable<bool> question_service::stop(deadline by) {
    is_stopping_ = true;
    const auto drained_by = by.at_most(parts_.drain);
    while (in_progress_ > 0 && !drained_by.passed()) co_await ended_.wait(drained_by);
    aborted_.request_stop();
    while (in_progress_ > 0 && !by.passed()) co_await ended_.wait(by);
    co_return in_progress_ == 0;
}

std::optional<refusal> question_service::refusal_now(const remote_models& models) const {
    if (is_stopping_) return unavailable("the server is stopping", retry_soon);
    if (in_progress_ >= parts_.questions_max)
        return unavailable("too many questions are being answered; try again", retry_soon);
    std::optional<model::analysis_failure> first;
    for (const auto* const model : *models) {
        auto refused = model->refusal();
        if (!refused) return std::nullopt;
        if (!first) first = std::move(refused);
    }
    return refusal_from(*first);
}

awaitable<questions::outcome> question_service::answer(
    account_id caller, questions::question asked, std::stop_token stop) {
    const auto models = parts_.models();
    if (models->empty()) co_return questions::no_model();
    std::vector<jobs::job> reels;
    if (asked.reel) {
        auto reel =
            co_await parts_.jobs.find(caller, *asked.reel, deadline::after(database_time_max));
        if (!reel) co_return refusal{.why = refusal::reason::not_found, .text = "not found"};
        if (!reel->result)
            co_return refusal{.why = refusal::reason::not_done, .text = "the reel is not done"};
        reels.push_back(*std::move(reel));
    }
    if (auto refused = refusal_now(models)) co_return *std::move(refused);
    ++in_progress_;
    const auto end = [this](const void* /*unused*/) {
        --in_progress_;
        ended_.notify_all();
    };
    const std::unique_ptr<const void, decltype(end)> in_progress{this, end};
    auto refused = co_await parts_.store.begin(
        caller, parts_.submissions_per_minute, deadline::after(database_time_max));
    if (refused) co_return *std::move(refused);
    co_return co_await answer_admitted(
        caller, std::move(asked), std::move(reels), models, std::move(stop));
}

awaitable<questions::outcome> question_service::answer_admitted(
    account_id caller, questions::question asked, std::vector<jobs::job> reels,
    remote_models models, std::stop_token stop) {
    const auto by = deadline::after(answer_time_max);
    question_cost embedding;
    if (!asked.reel) reels = co_await find_reels(caller, asked, embedding);

    question_ledger calls{parts_.recorder, caller, asked.reel, std::move(stop)};
    const auto ask = [&] {
        auto evidence = model::most_relevant(
            asked.text, evidence_in(reels), parts_.embedder, evidence_bytes_max);
        if (evidence.empty()) return reply{.answer = {}, .model = models->front()};
        const model::question_prompt prompt{asked.text, std::move(evidence)};
        return ask_models(models, prompt, calls, by);
    };
    auto replied = co_await parts_.threads.run(by, ask);
    if (!replied) co_return unavailable("too many questions are being answered", retry_soon);
    if (replied->failure) co_return refusal_from(*replied->failure);

    auto cost = calls.cost();
    cost.picodollars += embedding.picodollars;
    cost.is_known = cost.is_known && embedding.is_known;
    co_await remove_deleted(replied->answer.citations);
    auto answer = answer_from(std::move(replied->answer), replied->is_readable, cost);
    auto model = replied->model->circuit();
    answer.provider = std::move(model.provider);
    answer.model = std::move(model.model);
    parts_.log.info(
        "question answered",
        {{"account", caller.value},
         {"model", answer.model},
         {"reels", reels.size()},
         {"citations", answer.citations.size()}});
    co_return answer;
}

/// Removes citations of reels that were deleted while the model answered. Keeps all in an outage of
/// the database: the answer is paid.
awaitable<void> question_service::remove_deleted(std::vector<model::citation>& citations) {
    if (citations.empty()) co_return;
    std::vector<job_id> ids;
    for (const auto& cited : citations) ids.push_back(cited.id);
    try {
        const auto found =
            co_await parts_.jobs.find_all(std::move(ids), deadline::after(database_time_max));
        std::erase_if(citations, [&](const auto& cited) { return !found.contains(cited.id); });
    } catch (const db::failure& failure) {
        parts_.log.warning("citations were not checked again", {{"reason", failure.what()}});
    }
}

/// The reels that match the question best, then the newest.
awaitable<std::vector<jobs::job>> question_service::find_reels(
    account_id caller, const questions::question& asked, question_cost& cost) {
    const auto reels_max = static_cast<std::size_t>(asked.reels_max);
    const model::weighted_text whole{asked.text};
    jobs::search_request request{
        .text = model::search_text(asked.text),
        .hits_max = asked.reels_max,
        .filter = {.author = asked.author}};
    for (const auto& part : parts_.embedder.concepts_of({&whole, 1}, model::query_concepts_max)) {
        request.concepts.push_back(part.concept_id);
        request.concept_weights.push_back(static_cast<double>(part.weight));
    }
    if (parts_.vectors != nullptr) {
        auto near = co_await parts_.vectors->near(caller, asked.text);
        cost.picodollars = near.cost_picodollars.value_or(0);
        cost.is_known = near.cost_picodollars.has_value();
        request.near = std::move(near.reels);
    }
    std::vector<job_id> ids;
    const auto add = [&](job_id id) {
        if (ids.size() < reels_max && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    };
    const auto by = deadline::after(database_time_max);
    const auto hits = co_await parts_.search.find(caller, std::move(request), by);
    for (const auto& hit : hits) add(hit.id);
    if (ids.size() < reels_max) {
        // Not only the latest of each post: a failed analysis does not hide the one before it.
        jobs::job_filter done{
            .jobs_max = newest_max, .status = jobs::job_status::done, .author = asked.author};
        const auto newest = co_await parts_.jobs.list(caller, std::move(done), by);
        std::set<std::string> posts;
        for (const auto& reel : newest.jobs) {
            if (std::ranges::find(ids, reel.id) != ids.end()) posts.insert(post_of(reel));
        }
        for (const auto& reel : newest.jobs) {
            if (posts.insert(post_of(reel)).second) add(reel.id);
        }
    }
    auto found = co_await parts_.jobs.find_all(ids, by);
    std::vector<jobs::job> reels;
    for (const auto id : ids) {
        const auto reel = found.find(id);  // It may have been deleted since.
        if (reel != found.end() && reel->second.result) reels.push_back(std::move(reel->second));
    }
    co_return reels;
}

question_service::reply question_service::ask_models(
    const remote_models& models, const model::question_prompt& prompt, model::call_ledger& calls,
    deadline by) const {
    reply first_failed;
    auto models_left = models->size();
    for (const auto* const model : *models) {
        // A model that does not answer leaves time for the next one.
        const auto share = by.remaining() / static_cast<int>(models_left--);
        model::question_reply read;
        const auto reader = [&](std::string_view text) {
            read = prompt.read(text);
            return read.violations;
        };
        const auto completed = model->complete(
            prompt.request(), reader, calls, by.at_most(share), aborted_.get_token());
        // A reply that cannot be used is a reply: it is paid, and says nothing.
        if (completed || completed.error().why.code() == errc::model_refused)
            return {
                .answer = std::move(read.answer), .model = model, .is_readable = read.is_readable};
        if (!first_failed.failure) first_failed.failure = completed.error();
        if (!is_unavailable(completed.error().why))
            return {.answer = {}, .model = model, .failure = completed.error()};
    }
    return first_failed;
}

}  // namespace reelsd::work
