#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/model/search_document.hpp>
#include <reelsd/pipeline/vector_index.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <utility>

namespace reelsd::pipeline {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Taken at a time: what one call embeds, and little enough to lose with a daemon.
constexpr int reels_at_once = 32;
constexpr seconds_f claim_lease{180.0};
constexpr auto batch_time_max = 120s;
constexpr auto query_time_max = 5s;
/// How often reels without a vector are looked for.
constexpr seconds_f look_interval{1.0};
/// After a failure: doubled each time.
constexpr seconds_f failure_pause_first{10.0};
constexpr seconds_f failure_pause_max{600.0};
/// A person waits for a search; without an answer it goes on by words.
constexpr auto search_time_max = 3s;
/// Of one account: 8 MB of the smallest usual size, read at each search.
constexpr int vectors_max = 10'000;
constexpr std::size_t near_max = 50;
constexpr std::size_t queries_kept_max = 256;
constexpr double similarity_min = 0.3;
constexpr double similarity_below_best_max = 0.12;

std::chrono::year_month_day today() {
    return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

std::vector<job_id> jobs_of(const std::vector<jobs::unembedded_reel>& reels) {
    std::vector<job_id> ids;
    ids.reserve(reels.size());
    for (const auto& one : reels) ids.push_back(one.job);
    return ids;
}

}  // namespace

std::vector<job_id> nearest(std::vector<std::pair<double, job_id>> found) {
    std::sort(found.begin(), found.end(), [](const auto& left, const auto& right) {
        return left.first > right.first;
    });
    std::vector<job_id> near;
    for (const auto& [similarity, job] : found) {
        const bool is_near = similarity >= similarity_min &&
                             similarity >= found.front().first - similarity_below_best_max;
        if (!is_near || near.size() == near_max) break;
        near.push_back(job);
    }
    return near;
}

vector_index::vector_index(vector_index_parts parts) : parts_{std::move(parts)} {}

asio::awaitable<void> vector_index::run() {
    for (;;) {
        bool has_more = false;
        try {
            has_more = co_await embed_some();
        } catch (const db::failure& failure) {
            parts_.log.debug("vectors: no database", {{"reason", failure.what()}});
        }
        if (has_more) continue;
        co_await async::pause(
            std::chrono::duration_cast<monotonic_clock::duration>(std::max(pause_, look_interval)));
    }
}

/// True when there may be more to do at once.
asio::awaitable<bool> vector_index::embed_some() {
    auto reels = co_await parts_.store.claim(
        std::string{parts_.embedder.name()},
        reels_at_once,
        claim_lease,
        deadline::after(query_time_max));
    // A call is an account's: it pays for it.
    std::map<std::int64_t, std::vector<jobs::unembedded_reel>> by_account;
    const bool is_full = reels.size() == static_cast<std::size_t>(reels_at_once);
    for (auto& one : reels) by_account[one.account.value].push_back(std::move(one));
    bool went_well = true;
    for (auto& [account, its_reels] : by_account) {
        const bool is_done = co_await embed_reels(account_id{account}, std::move(its_reels));
        went_well = went_well && is_done;
    }
    if (went_well) {
        pause_ = seconds_f{0};
    } else {
        pause_ = std::clamp(pause_ * 2, failure_pause_first, failure_pause_max);
    }
    co_return is_full&& went_well;
}

asio::awaitable<bool> vector_index::embed_reels(
    account_id account, std::vector<jobs::unembedded_reel> reels) {
    std::vector<std::string> texts;
    for (const auto& one : reels) {
        const auto document = model::search_document_of(one.result, parts_.words);
        auto text = document ? model::embedding_text_of(*document) : std::string{};
        texts.push_back(text.empty() ? "(nothing is known)" : std::move(text));
    }
    const auto by = deadline::after(batch_time_max);
    auto made = co_await ask(std::move(texts), model::embedding_purpose::document, by);
    if (!made) {
        parts_.log.warning(
            "reels could not be embedded; they are found by words until then",
            {{"embedder", parts_.embedder.name()},
             {"reels", reels.size()},
             {"reason", made.error().to_string()}});
        co_await parts_.store.put_off(
            jobs_of(reels), std::max(pause_, failure_pause_first), deadline::after(query_time_max));
        co_return false;
    }
    book(
        account, reels.size() == 1 ? std::optional{reels.front().job} : std::nullopt, made->tokens);
    for (std::size_t at = 0; at < reels.size(); ++at) {
        co_await parts_.store.store(
            account,
            reels[at].job,
            std::string{parts_.embedder.name()},
            model::quantised(made->vectors[at]),
            deadline::after(query_time_max));
    }
    co_return true;
}

asio::awaitable<result<model::embeddings>> vector_index::ask(
    std::vector<std::string> texts, model::embedding_purpose purpose, deadline by) {
    std::optional<result<model::embeddings>> made;
    const std::function<bool()> call = [&] {
        made.emplace(parts_.embedder.embed(texts, purpose, by, stopping_.get_token()));
        return true;
    };
    const auto called = co_await parts_.offload.run(by, call);
    if (!called) co_return called.error();
    co_return *std::move(made);
}

void vector_index::book(account_id account, std::optional<job_id> job, std::int64_t tokens) {
    usage::finished_call made{
        .account = account,
        .job = job,
        .provider = std::string{parts_.embedder.provider()},
        .model = std::string{parts_.embedder.model()},
        .booking_key = usage::new_booking_key()};
    made.used.prompt_tokens = tokens;
    made.used.cost_picodollars = parts_.prices.cost_of(made.model, {.prompt = tokens}, today());
    parts_.recorder.add(std::move(made));
}

asio::awaitable<std::vector<job_id>> vector_index::near(account_id caller, std::string query) {
    try {
        co_return co_await look(caller, std::move(query));
    } catch (const std::exception& failure) {
        parts_.log.warning("search without vectors", {{"reason", failure.what()}});
    }
    co_return std::vector<job_id>{};
}

asio::awaitable<std::vector<job_id>> vector_index::look(account_id caller, std::string query) {
    const auto by = deadline::after(search_time_max);
    const auto stored =
        co_await parts_.store.load(caller, std::string{parts_.embedder.name()}, vectors_max, by);
    // Nothing to compare with is nothing to pay for.
    if (stored.empty()) co_return std::vector<job_id>{};
    const auto asked = co_await vector_of(caller, std::move(query));
    if (!asked) co_return std::vector<job_id>{};
    const std::function<std::vector<job_id>()> compare = [&stored, &asked] {
        std::vector<std::pair<double, job_id>> found;
        found.reserve(stored.size());
        for (const auto& one : stored) {
            const auto likeness = model::similarity(*asked, one.vector);
            if (likeness) found.emplace_back(*likeness, one.job);
        }
        return nearest(std::move(found));
    };
    auto near = co_await parts_.offload.run(by, compare);
    if (!near) co_return std::vector<job_id>{};
    co_return *std::move(near);
}

asio::awaitable<std::shared_ptr<const model::dense_vector>> vector_index::vector_of(
    account_id caller, std::string query) {
    const auto known = std::find_if(
        queries_.begin(), queries_.end(), [&](const auto& one) { return one.first == query; });
    if (known != queries_.end()) {
        queries_.splice(queries_.begin(), queries_, known);
        co_return queries_.front().second;
    }
    std::vector<std::string> texts;
    texts.push_back(query);
    const auto by = deadline::after(search_time_max);
    const auto made = co_await ask(std::move(texts), model::embedding_purpose::query, by);
    if (!made) {
        parts_.log.warning("search without vectors", {{"reason", made.error().to_string()}});
        co_return nullptr;
    }
    book(caller, std::nullopt, made->tokens);
    queries_.emplace_front(
        std::move(query), std::make_shared<const model::dense_vector>(made->vectors.front()));
    if (queries_.size() > queries_kept_max) queries_.pop_back();
    co_return queries_.front().second;
}

}  // namespace reelsd::pipeline
