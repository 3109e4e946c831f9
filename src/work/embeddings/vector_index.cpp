#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/search_document.hpp>
#include <reelsd/work/embeddings/vector_index.hpp>

#include <algorithm>
#include <exception>
#include <numeric>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;

/// Longer than a call may take. A claim that expires while the database is unreachable stays valid
/// until another daemon claims the same reels.
constexpr seconds_f claim_lease{180.0};
constexpr auto batch_time_max = 120s;
constexpr auto query_time_max = 5s;
/// How often the newest reels are checked.
constexpr auto look_interval = 1s;
/// Between windows of the backlog in which nothing can be embedded: 20 claims a second, each of
/// which reads some pages of an index.
constexpr auto walk_interval = 50ms;
/// Between rounds through the backlog in which nothing was embedded: reels whose claim ran out or
/// whose pause is over wait for the next one.
constexpr auto round_interval = 10s;
/// How often a daemon that does not embed checks whether it may.
constexpr auto idle_interval = 10s;
/// Pause after a failure of the embedder, doubled each time.
constexpr seconds_f failure_pause_first{10.0};
constexpr seconds_f failure_pause_max{600.0};
/// A reel whose text the embedder refuses is tried again after this time: the server may have a
/// larger limit then.
constexpr seconds_f refused_pause = jobs::embedding_wait_max;
/// A refused text is halved until it has at most this size.
constexpr std::size_t shortened_bytes = 256;
/// Embedded after a refusal: a server that refuses this text as well refuses everything.
constexpr const char* harmless_text = "A short video.";
/// An account whose budget is spent is tried again after this time: it may have a larger one.
constexpr auto skip_time = 10min;
constexpr std::size_t skipped_max = 1000;
/// Between tries to store a vector.
constexpr auto store_pause = 1s;
/// Consecutive failures of the database before a warning is logged.
constexpr int quiet_failures_max = 2;
/// A user waits for a search; without an answer it continues with words.
constexpr auto search_time_max = 3s;
/// Of one account, at each search: 8 MB at the usual size, in pages, so that no turn of the loop
/// has more than half a megabyte to take in.
constexpr int vectors_max = 10'000;
constexpr int page_size = 500;
constexpr std::size_t near_max = 50;
constexpr std::size_t queries_kept_max = 256;
constexpr double similarity_min = 0.3;
constexpr double similarity_below_best_max = 0.12;

using similarities = std::vector<std::pair<double, job_id>>;

/// 2 ms a reel, and more for long transcripts.
std::vector<std::string> texts_of(
    const std::vector<jobs::unembedded_reel>& reels, const model::embedder& words) {
    std::vector<std::string> texts;
    texts.reserve(reels.size());
    for (const auto& reel : reels) {
        const auto document = model::search_document_of(reel.result, words);
        auto text = document ? model::embedding_text_of(*document) : std::string{};
        texts.push_back(text.empty() ? "(nothing is known)" : std::move(text));
    }
    return texts;
}

/// Adds how near each vector of the page is. Gives the last reel's id.
job_id compare(
    const jobs::vector_page& page, const model::dense_vector& query, similarities& into) {
    job_id last;
    for (const auto& stored : page.decode()) {
        last = stored.job;
        const auto similarity = model::similarity(query, stored.vector);
        if (similarity) into.emplace_back(*similarity, stored.job);
    }
    return last;
}

}  // namespace

std::vector<job_id> nearest(std::vector<std::pair<double, job_id>> scores) {
    std::ranges::sort(
        scores, [](const auto& left, const auto& right) { return left.first > right.first; });
    std::vector<job_id> near;
    for (const auto& [similarity, job] : scores) {
        const bool is_near = similarity >= similarity_min &&
                             similarity >= scores.front().first - similarity_below_best_max;
        if (!is_near || near.size() == near_max) break;
        near.push_back(job);
    }
    return near;
}

awaitable<bool> vector_index::stop(deadline by) {
    is_stopping_ = true;
    stopping_.notify_all();
    static_cast<void>(co_await wait_for_end(by.at_most(drain_)));
    calls_.abort();
    co_return co_await background_task::stop(by);
}

awaitable<void> vector_index::run() {
    bool is_proposed = false;
    while (!is_stopping_) {
        auto ended = step::nothing;
        try {
            if (!is_proposed)
                co_await store_.propose(embedder_name(), deadline::after(query_time_max));
            is_proposed = true;
            ended = co_await embed_next();
            database_failures_ = 0;
        } catch (const db::failure& failure) {
            note_database_failure(failure.what());
            walk_.reset();
        }
        if (ended == step::embedded || is_stopping_) continue;
        co_await stopping_.wait(deadline::after(pause_after(ended)));
    }
}

monotonic_clock::duration vector_index::pause_after(step ended) const {
    switch (ended) {
        case step::embedded: return 0s;
        case step::nothing: return walk_ ? walk_interval : look_interval;
        case step::failed: return std::chrono::duration_cast<monotonic_clock::duration>(pause_);
        case step::idle: break;
    }
    return idle_interval;
}

/// Checks the newest reels first, independent of the round through the older ones.
awaitable<vector_index::step> vector_index::embed_next() {
    if (calls_.has_given_up()) co_return step::idle;
    const auto newest = co_await embed_at({});
    if (newest.ended != step::nothing) co_return newest.ended;
    co_return co_await walk();
}

awaitable<vector_index::step> vector_index::walk() {
    if (!walk_) {
        if (monotonic_clock::now() < next_round_at_) co_return step::nothing;
        walk_.emplace();
        has_embedded_ = false;
    }
    const auto seen = co_await embed_at(*walk_);
    if (seen.ended == step::failed || seen.ended == step::idle) co_return seen.ended;
    has_embedded_ = has_embedded_ || seen.ended == step::embedded;
    if (seen.next_before) {
        walk_->before = *seen.next_before;
        co_return seen.ended;
    }
    auto other = co_await store_.next_other_embedder(
        walk_->embedder, embedder_name(), deadline::after(query_time_max));
    if (other) {
        walk_ = jobs::backlog_position{.embedder = std::move(other)};
    } else {
        walk_.reset();
        next_round_at_ = monotonic_clock::now();
        if (!has_embedded_) next_round_at_ += round_interval;
    }
    co_return seen.ended;
}

awaitable<vector_index::window> vector_index::embed_at(jobs::backlog_position at) {
    const bool replaces = at.embedder.has_value();
    jobs::embedding_claim_request request{
        .embedder = embedder_name(), .at = std::move(at), .lease = claim_lease};
    // Replaced vectors are not charged to accounts.
    if (!replaces) request.skipped_accounts = skipped_accounts();
    auto held = co_await store_.claim(std::move(request), deadline::after(query_time_max));
    note_activation(held.is_in_force);
    window seen{.next_before = held.next_before};
    if (!held.is_in_force) {
        seen.ended = step::idle;
    } else if (!held.reels.empty()) {
        seen.ended = co_await embed_reels(std::move(held), replaces);
    }
    co_return seen;
}

awaitable<vector_index::step> vector_index::embed_reels(
    jobs::embedding_claim held, bool is_operators) {
    const auto by = deadline::after(batch_time_max);
    const auto read = [&held, this] { return texts_of(held.reels, words_); };
    auto texts = co_await offload_.run(by, read);
    if (!texts) co_return co_await give_back(std::move(held), texts.error());
    embedding_order order{.account = held.account, .is_operators = is_operators};
    if (held.reels.size() == 1) order.job = held.reels.front().job;
    const auto paid = co_await calls_.embed(order, *texts, by);
    const auto& vectors = paid.vectors;
    if (!vectors && vectors.error().code() == errc::model_refused)
        co_return co_await embed_singly(std::move(held), *std::move(texts), order, by);
    if (!vectors) co_return co_await give_back(std::move(held), vectors.error());
    pause_ = seconds_f{0};
    for (std::size_t at = 0; at < held.reels.size(); ++at) {
        co_await keep(held.account, held.reels[at], (*vectors)[at]);
    }
    co_return step::embedded;
}

awaitable<vector_index::step> vector_index::embed_singly(
    jobs::embedding_claim held, std::vector<std::string> texts, embedding_order order,
    deadline by) {
    std::vector<std::size_t> places(texts.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::sort(places, {}, [&texts](std::size_t place) { return texts[place].size(); });
    auto reels = std::exchange(held.reels, {});
    std::vector<error> refusals;  // Of the reels in `held`.
    bool is_usable = false;
    for (auto next = places.begin(); next != places.end(); ++next) {
        auto& reel = reels[*next];
        order.job = reel.job;
        auto vector = co_await embed_shortened(order, std::move(texts[*next]), by);
        if (vector) {
            is_usable = true;
            pause_ = seconds_f{0};
            co_await keep(held.account, reel, *vector);
            continue;
        }
        const bool is_refused = vector.error().code() == errc::model_refused;
        refusals.push_back(vector.error());
        held.reels.push_back(std::move(reel));
        if (is_refused && !is_usable) is_usable = co_await accepts_any_text(held.account, by);
        if (is_refused && is_usable) continue;
        while (++next != places.end()) held.reels.push_back(std::move(reels[*next]));
        co_return co_await give_back(std::move(held), refusals.back());
    }
    for (std::size_t at = 0; at < refusals.size(); ++at) {
        log().warning(
            "the embedder refused a reel; search finds it by words",
            {{"embedder", embedder_name()},
             {"job", held.reels[at].job.value},
             {"reason", refusals[at].to_string()}});
    }
    co_await store_.release(
        held.account, held.reels, refused_pause, deadline::after(query_time_max));
    co_return step::embedded;
}

awaitable<bool> vector_index::accepts_any_text(account_id account, deadline by) {
    const embedding_order order{.account = account, .is_operators = true};
    std::vector<std::string> texts{harmless_text};
    const auto paid = co_await calls_.embed(order, std::move(texts), by);
    if (paid.vectors) pause_ = seconds_f{0};
    co_return paid.vectors.has_value();
}

awaitable<result<model::dense_vector>> vector_index::embed_shortened(
    embedding_order order, std::string text, deadline by) {
    for (;;) {
        std::vector<std::string> texts{text};
        auto paid = co_await calls_.embed(order, std::move(texts), by);
        auto& vectors = paid.vectors;
        if (vectors) co_return std::move(vectors->front());
        const bool is_refused = vectors.error().code() == errc::model_refused;
        if (!is_refused || text.size() <= shortened_bytes) co_return vectors.error();
        text.resize(utf8_prefix(text, text.size() / 2).size());
    }
}

awaitable<vector_index::step> vector_index::give_back(jobs::embedding_claim held, error why) {
    auto ended = step::embedded;
    seconds_f wait{0};
    if (why.code() == errc::unauthorized) {
        log().debug("budget spent: reels not embedded", {{"account", held.account.value}});
        if (skipped_.size() < skipped_max)
            skipped_.emplace(held.account, monotonic_clock::now() + skip_time);
        wait = std::chrono::duration_cast<seconds_f>(skip_time);
    } else if (why.code() == errc::cancelled || calls_.has_given_up()) {
        ended = step::idle;
    } else {
        log().warning(
            "embedding reels failed; search finds them by words until a retry succeeds",
            {{"embedder", embedder_name()},
             {"reels", held.reels.size()},
             {"reason", why.to_string()}});
        pause_ = std::clamp(pause_ * 2, failure_pause_first, failure_pause_max);
        wait = pause_;
        ended = step::failed;
    }
    co_await store_.release(held.account, held.reels, wait, deadline::after(query_time_max));
    co_return ended;
}

/// Stores a vector. It is paid for, so this retries for as long as the database is unreachable,
/// unless another daemon has claimed the reel since.
awaitable<void> vector_index::keep(
    account_id account, const jobs::unembedded_reel& reel, const model::dense_vector& vector) {
    const auto bytes = model::quantised(vector);
    for (;;) {
        try {
            co_await store_.store(
                account, reel, embedder_name(), bytes, deadline::after(query_time_max));
            co_return;
        } catch (const db::failure& failure) {
            if (failure.code() == errc::internal) throw;  // A retry would fail too.
            note_database_failure(failure.what());
        }
        co_await async::pause(store_pause);
    }
}

void vector_index::note_activation(bool is_in_force) {
    if (is_in_force == is_in_force_) return;
    is_in_force_ = is_in_force;
    if (is_in_force) {
        log().info("embedding resumed: this embedder is active", {{"embedder", embedder_name()}});
    } else {
        log().warning(
            "embedding stopped: another embedder is active", {{"embedder", embedder_name()}});
    }
}

void vector_index::note_database_failure(const char* reason) {
    ++database_failures_;
    if (database_failures_ <= quiet_failures_max) {
        log().debug("embedding waits for the database", {{"reason", reason}});
    } else if (database_failures_ == quiet_failures_max + 1) {
        log().warning("embedding waits for the database", {{"reason", reason}});
    }
}

std::vector<account_id> vector_index::skipped_accounts() {
    const auto now = monotonic_clock::now();
    std::erase_if(skipped_, [now](const auto& one) { return one.second <= now; });
    std::vector<account_id> accounts;
    accounts.reserve(skipped_.size());
    for (const auto& [account, until] : skipped_) accounts.push_back(account);
    return accounts;
}

awaitable<near_reels> vector_index::near(account_id caller, std::string query) {
    near_reels found;
    try {
        co_await search(caller, std::move(query), found);
    } catch (const std::exception& failure) {
        log().warning("search ran without vectors", {{"reason", failure.what()}});
    }
    co_return found;
}

awaitable<void> vector_index::search(account_id caller, std::string query, near_reels& found) {
    if (calls_.has_given_up()) co_return;
    const auto by = deadline::after(search_time_max);
    auto page = co_await store_.load(caller, embedder_name(), jobs::after_all_reels, page_size, by);
    // Without vectors to compare, the query is not embedded, because that costs money.
    if (page.size() == 0) co_return;
    const auto query_vector = co_await vector_of(caller, std::move(query), by, found);
    if (!query_vector) co_return;
    similarities scores;
    for (int seen = page_size;; seen += page_size) {
        const auto compare_page = [&] { return compare(page, *query_vector, scores); };
        const auto last = co_await offload_.run(by, compare_page);
        if (!last) co_return;
        if (page.size() < std::size_t{page_size} || seen >= vectors_max) break;
        page = co_await store_.load(caller, embedder_name(), *last, page_size, by);
    }
    const auto rank = [&scores] { return nearest(std::move(scores)); };
    auto near = co_await offload_.run(by, rank);
    if (near) found.reels = *std::move(near);
}

/// An embedder that is slower than a search may be fast enough for reels, and the reverse.
void vector_index::note_query(const result<std::vector<model::dense_vector>>& vectors) {
    if (vectors) return query_circuit_.succeeded();
    const auto code = vectors.error().code();
    const auto now = model::circuit_breaker::clock::now();
    if (code == errc::model_misconfigured) query_circuit_.misconfigured(now);
    if (code == errc::model_unavailable || code == errc::timed_out || code == errc::limit_reached)
        query_circuit_.failed(now);
}

awaitable<std::shared_ptr<const model::dense_vector>> vector_index::vector_of(
    account_id caller, std::string query, deadline by, near_reels& found) {
    const auto known = std::ranges::find_if(
        queries_, [&query](const auto& entry) { return entry.first == query; });
    if (known != queries_.end()) {
        queries_.splice(queries_.begin(), queries_, known);
        co_return queries_.front().second;
    }
    if (query_circuit_.peek(model::circuit_breaker::clock::now())) {
        log().debug("search ran without vectors", {{"reason", "the embedder failed recently"}});
        co_return nullptr;
    }
    std::vector<std::string> texts{query};
    const embedding_order order{.account = caller, .purpose = model::embedding_purpose::query};
    auto paid = co_await calls_.embed(order, std::move(texts), by);
    found.cost_picodollars = paid.cost_picodollars;
    auto& vectors = paid.vectors;
    note_query(vectors);
    if (!vectors) {
        if (vectors.error().code() == errc::unauthorized)
            log().debug("budget spent: search ran without vectors", {{"account", caller.value}});
        else
            log().warning("search ran without vectors", {{"reason", vectors.error().to_string()}});
        co_return nullptr;
    }
    queries_.emplace_front(
        std::move(query), std::make_shared<const model::dense_vector>(std::move(vectors->front())));
    if (queries_.size() > queries_kept_max) queries_.pop_back();
    co_return queries_.front().second;
}

}  // namespace reelsd::work
