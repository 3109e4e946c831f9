// Goal: an embedder is called only after the ledger has recorded the call, within budgets, only by
// daemons with the active embedder, and never on the loop's thread. Method: the real index and
// recorder on a real database, with a simulated embedder.
#include "job_store_fixture.hpp"
#include <reelsd/db/migrator.hpp>
#include <reelsd/domain/usage/usage_store.hpp>
#include <reelsd/model/embedder.hpp>
#include <reelsd/work/embeddings/vector_index.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <deque>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;

using namespace std::chrono_literals;
using jobs::job_store_test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

model::embedding_reply answer_with(std::vector<model::dense_vector> vectors) {
    return {.vectors = std::move(vectors), .billed = model::billing::counted, .tokens = 1000};
}

/// Returns the same vector for every text, unless the test sets others.
class fake_embedder final : public model::dense_embedder {
public:
    explicit fake_embedder(std::string name) : name_{std::move(name)} {}

    [[nodiscard]] std::string_view provider() const noexcept override { return "fake"; }
    [[nodiscard]] std::string_view model() const noexcept override { return "e"; }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] model::embedding_reply embed(
        std::span<const std::string> texts, model::embedding_purpose /*purpose*/,
        const deadline& /*by*/, const std::stop_token& stop) const override {
        const std::scoped_lock guard{lock_};
        ++calls_;
        if (on_call) on_call();
        if (stop.stop_requested())
            return {
                .vectors = error{errc::cancelled, "aborted"}, .billed = model::billing::unknown};
        if (reply) return *reply;
        const auto is_refused = [this](const std::string& text) {
            return text.size() > text_bytes_max || text.find(refused_word) != text.npos;
        };
        if (std::ranges::any_of(texts, is_refused))
            return {.vectors = error{errc::model_refused, "too long"}, .billed = refused_billing};
        return answer_with({texts.size(), model::dense_vector{1, 0}});
    }
    [[nodiscard]] int calls() const {
        const std::scoped_lock guard{lock_};
        return calls_;
    }

    /// Both are set before the first call.
    std::function<void()> on_call;
    std::optional<model::embedding_reply> reply;
    /// A request with a longer text is refused.
    std::size_t text_bytes_max = std::numeric_limits<std::size_t>::max();
    /// So is one with a text that contains this word.
    std::string refused_word = "refused";
    model::billing refused_billing = model::billing::none;

private:
    std::string name_;
    mutable std::mutex lock_;
    mutable int calls_ = 0;
};

/// The threads that read the texts of reels.
class fake_words final : public model::embedder {
public:
    [[nodiscard]] model::concept_vector concepts_of(
        std::span<const model::weighted_text> /*pieces*/,
        std::size_t /*components_max*/) const override {
        const std::scoped_lock guard{lock_};
        threads_.insert(std::this_thread::get_id());
        return {};
    }
    [[nodiscard]] std::set<std::thread::id> threads() const {
        const std::scoped_lock guard{lock_};
        return threads_;
    }

private:
    mutable std::mutex lock_;
    mutable std::set<std::thread::id> threads_;
};

class VectorIndex : public job_store_test {
protected:
    VectorIndex() {
        EXPECT_TRUE(prices_.put_first("e=1/1"));  // A dollar per million tokens.
    }
    void TearDown() override {
        for (auto& index : indexes_) run(index->stop(soon()));
        run(tasks_.stop(soon(), soon()));
    }

    /// Outlives the indexes.
    fake_embedder& made(std::string name) { return embedders_.emplace_back(std::move(name)); }
    vector_index& index_of(const fake_embedder& embedder) {
        return *indexes_.emplace_back(std::make_unique<vector_index>(vector_index_dependencies{
            .loop = loop().context().get_executor(),
            .calls =
                {.embedder = embedder,
                 .prices = prices_,
                 .recorder = recorder_,
                 .threads = threads_,
                 .log = log::logger::silent()},
            .words = words_,
            .store = vectors_,
            .offload = offload_}));
    }
    /// Done reels of the account, the newest last.
    void add_reels(account_id owner, int reels) {
        sql(fmt::format(
            R"sql(
            WITH made AS (
                INSERT INTO job (account_id, url, status, started_at, finished_at, result, attempt,
                                 claim, code, author, summary, analyzed_at)
                SELECT {}, 'u', 'done', now(), now(), '{{}}', 1, 1, '', '', '', now()
                  FROM generate_series(1, {})
                RETURNING account_id, id)
            INSERT INTO search_document (account_id, job_id, passages)
            SELECT account_id, id, '' FROM made)sql",
            owner.value,
            reels));
    }
    /// Waits until this many reels have a vector of the embedder.
    void wait_for_vectors(const fake_embedder& embedder, std::int64_t count) {
        wait_for_count(fmt::format("embedder = '{}'", embedder.name()), count);
    }
    /// Waits until this many reels meet the condition.
    void wait_for_count(const std::string& condition, std::int64_t count) {
        const auto query = "SELECT count(*) FROM search_document WHERE " + condition;
        const auto by = deadline::after(test::patience);
        while (number(query) != count) {
            ASSERT_FALSE(by.passed()) << number(query) << " of " << count;
            loop().context().restart();
            loop().context().run_for(20ms);
        }
        wait_for_ledger();
    }
    /// Waits until the usage of calls is recorded.
    void wait_for_ledger() {
        loop().run_until([this] { return tasks_.size() == 0; });
    }
    void sql(const std::string& statement) {
        const auto ended = db::run_script(connection_string(), statement, soon());
        ASSERT_TRUE(ended) << ended.error().to_string();
    }
    std::int64_t number(const std::string& query) {
        sql("DROP TABLE IF EXISTS asked; CREATE TABLE asked AS SELECT (" + query +
            ")::bigint AS n");
        const auto found = run(pool().run(soon(), db::query{"test.asked", "SELECT n FROM asked"}));
        return found.one().as<std::int64_t>("n");
    }
    usage::report used(account_id who) {
        return run(usage::usage_store{pool()}.read(who, {}, soon()));
    }

    std::deque<fake_embedder> embedders_;
    model::price_table prices_;
    fake_words words_;
    jobs::vector_store vectors_{pool()};
    async::task_group tasks_{loop().context().get_executor(), [](auto, const auto&) {}};
    call_recorder recorder_{
        loop().context().get_executor(),
        usage::call_ledger_store{pool()},
        tasks_,
        log::logger::silent()};
    async::offload_pool offload_{1, 64};
    async::offload_pool threads_{2, 64};
    std::vector<std::unique_ptr<vector_index>> indexes_;
};

TEST_F(VectorIndex, RecordsACallBeforeMakingIt) {
    auto& embedder = made("a");
    std::optional<result<void>> is_written;
    embedder.on_call = [&] {
        is_written = db::run_script(
            connection_string(),
            "DO $$ BEGIN ASSERT 1 = (SELECT count(*) FROM model_call WHERE settled_at IS NULL AND"
            " purpose = 'embedding'); END $$",
            soon());
    };
    add_reels(ann_, 3);
    index_of(embedder).start();
    wait_for_vectors(embedder, 3);
    ASSERT_TRUE(is_written);
    EXPECT_TRUE(*is_written);
    EXPECT_EQ(embedder.calls(), 1) << "of three reels";
    EXPECT_EQ(used(ann_).total.calls, 1);
    EXPECT_EQ(used(ann_).total.cost_usd, "0.001");
}

TEST_F(VectorIndex, MakesSeparateCallsForEachAccount) {
    auto& embedder = made("a");
    add_reels(ann_, 2);
    add_reels(bob_, 2);
    add_reels(ann_, 2);
    index_of(embedder).start();
    wait_for_vectors(embedder, 6);
    EXPECT_EQ(embedder.calls(), 2);
    EXPECT_EQ(used(ann_).total.calls, 1);
    EXPECT_EQ(used(bob_).total.calls, 1);
}

// More than one window, older reels of another embedder, and the newest ones.
TEST_F(VectorIndex, EmbedsTheWholeBacklog) {
    auto& embedder = made("b");
    add_reels(ann_, 100);
    sql("UPDATE search_document SET embedder = 'a', vector = '\\x0101010101'");
    add_reels(bob_, 60);
    sql("UPDATE search_document SET embedder = 'c', vector = '\\x0101010101' WHERE embedder IS "
        "NULL");
    add_reels(ann_, 50);
    index_of(embedder).start();
    wait_for_vectors(embedder, 210);
    EXPECT_EQ(embedder.calls(), 3 + 5 + 3) << "windows of 24";
}

TEST_F(VectorIndex, OnlyTheActiveEmbedderMakesVectors) {
    auto& old = made("old");
    auto& fresh = made("new");
    add_reels(ann_, 3);
    auto& first = index_of(old);
    first.start();
    wait_for_vectors(old, 3);
    auto& second = index_of(fresh);
    second.start();
    wait_for_vectors(fresh, 3);
    add_reels(ann_, 2);
    wait_for_vectors(fresh, 5);
    loop().run_until([&] { return !first.is_active(); });
    EXPECT_TRUE(second.is_active());
    EXPECT_EQ(old.calls(), 1);
    EXPECT_EQ(fresh.calls(), 2);
}

// Embeddings requested by the operator are listed, and do not count toward the account's budget.
TEST_F(VectorIndex, DoesNotChargeBudgetsForAChangeOfTheEmbedder) {
    auto& embedder = made("new");
    add_reels(ann_, 3);
    sql("UPDATE search_document SET embedder = 'old', vector = '\\x0101010101';"
        "UPDATE account SET monthly_budget_usd = 0");
    index_of(embedder).start();
    wait_for_vectors(embedder, 3);
    EXPECT_EQ(used(ann_).total.cost_usd, "0.001");
    const auto budget = run(usage::usage_store{pool()}.read_budget(ann_, soon()));
    EXPECT_EQ(budget.spent_this_month_usd, "0");
    sql("UPDATE account SET monthly_budget_usd = 0.001");
    EXPECT_EQ(number(fmt::format("SELECT budget_is_spent({})::integer", ann_.value)), 0);
}

TEST_F(VectorIndex, ASpentBudgetStopsEmbeddingOnlyForThatAccount) {
    auto& embedder = made("a");
    add_reels(bob_, 30);
    add_reels(ann_, 30);
    sql(fmt::format("UPDATE account SET monthly_budget_usd = 0 WHERE id = {}", ann_.value));
    index_of(embedder).start();
    wait_for_vectors(embedder, 30);
    EXPECT_EQ(used(ann_).total.calls, 0);
    EXPECT_EQ(used(bob_).total.calls, embedder.calls());
}

TEST_F(VectorIndex, ASearchWithASpentBudgetMakesNoCall) {
    auto& embedder = made("a");
    add_reels(ann_, 1);
    auto& index = index_of(embedder);
    index.start();
    wait_for_vectors(embedder, 1);
    EXPECT_THAT(run(index.near(ann_, "known")).reels, SizeIs(1));
    EXPECT_EQ(embedder.calls(), 2);
    sql("UPDATE account SET monthly_budget_usd = 0");
    EXPECT_THAT(run(index.near(ann_, "new")).reels, IsEmpty());
    EXPECT_THAT(run(index.near(ann_, "known")).reels, SizeIs(1)) << "paid for already";
    EXPECT_EQ(embedder.calls(), 2);
}

// Otherwise every search would wait for it, and each call may cost money.
TEST_F(VectorIndex, SearchesStopAskingAnEmbedderThatKeepsFailing) {
    auto& embedder = made("a");
    embedder.reply = model::embedding_reply{
        .vectors = error{errc::model_unavailable, "no answer in time"},
        .billed = model::billing::unknown};
    add_reels(ann_, 1);
    sql("UPDATE search_document SET embedder = 'a', vector = '\\x0101010101'");
    auto& index = index_of(embedder);
    constexpr int failures_max = 5;  // Of model::circuit_breaker.
    for (int searches = 0; searches < 2 * failures_max; ++searches)
        EXPECT_THAT(run(index.near(ann_, "query")).reels, IsEmpty());
    EXPECT_EQ(embedder.calls(), failures_max);
}

TEST_F(VectorIndex, AVectorOfUnexpectedSizeStopsEmbedding) {
    auto& embedder = made("a");
    embedder.reply = model::embedding_reply{
        .vectors = error{errc::model_misconfigured, "another size"},
        .billed = model::billing::counted,
        .tokens = 1000};
    add_reels(ann_, 3);
    auto& index = index_of(embedder);
    index.start();
    loop().run_until([&] { return !index.is_active(); });
    wait_for_ledger();
    sql("UPDATE search_document SET embedder = 'a', vector = '\\x0101010101'");
    EXPECT_THAT(run(index.near(ann_, "query")).reels, IsEmpty());
    EXPECT_EQ(embedder.calls(), 1) << "neither for reels nor for searches";
    EXPECT_EQ(used(ann_).total.calls, 1);
    EXPECT_EQ(used(ann_).total.cost_usd, "0.001");
}

// The connection broke after the request: it is unknown whether it was billed.
TEST_F(VectorIndex, ALostAnswerStaysInTheLedgerAndARefusalDoesNot) {
    auto& embedder = made("a");
    const error down{errc::model_unavailable, "down"};
    paid_embedder calls{
        {.embedder = embedder,
         .prices = prices_,
         .recorder = recorder_,
         .threads = threads_,
         .log = log::logger::silent()}};
    const auto ask = [&](model::billing billed) {
        embedder.reply = model::embedding_reply{.vectors = down, .billed = billed};
        const auto embedded = run(calls.embed({.account = ann_}, {"text"}, soon()));
        EXPECT_EQ(embedded.vectors.error().code(), errc::model_unavailable);
        loop().run_until([&] { return tasks_.size() == 0; });
        return number("SELECT count(*) FROM model_call WHERE settled_at IS NULL");
    };
    EXPECT_EQ(ask(model::billing::none), 0);
    EXPECT_EQ(ask(model::billing::unknown), 1);
    EXPECT_FALSE(calls.has_given_up());
}

// Goal: a reel with a long text does not keep other reels from search.
TEST_F(VectorIndex, ShortensALongTextAndPostponesARefusedOne) {
    auto& embedder = made("a");
    embedder.text_bytes_max = 600;
    add_reels(ann_, 30);
    sql("UPDATE job SET result = jsonb_build_object('content', jsonb_build_object('summary',"
        " repeat('word ', 400))) WHERE id = (SELECT min(id) + 19 FROM job)");
    index_of(embedder).start();
    wait_for_vectors(embedder, 30);

    auto& strict = made("b");
    strict.text_bytes_max = 100;
    index_of(strict).start();
    wait_for_vectors(strict, 29);
    EXPECT_EQ(number("SELECT count(*) FROM search_document WHERE embedder = 'a'"), 1);
}

// The shortest texts are tried first, and a claim may have no other.
TEST_F(VectorIndex, RefusedReelsDoNotStopEmbedding) {
    auto& embedder = made("a");
    add_reels(bob_, 1);
    add_reels(ann_, 6);
    sql("UPDATE job SET result = jsonb_build_object('content', jsonb_build_object('summary',"
        " CASE WHEN id < (SELECT max(id) - 2 FROM job) THEN 'refused' ELSE repeat('word ', 9) "
        "END))");
    index_of(embedder).start();
    wait_for_vectors(embedder, 3);
    wait_for_count("embedder IS NULL AND embed_after > now() + interval '23 hours'", 4);
    EXPECT_EQ(used(ann_).total.calls, 4) << "three reels, and a harmless text";
    const auto calls = embedder.calls();
    add_reels(ann_, 1);
    wait_for_vectors(embedder, 4);
    EXPECT_EQ(embedder.calls(), calls + 1) << "without the refused ones";
}

// A model may compute no usable vector for a text, which is billed.
TEST_F(VectorIndex, BilledRefusalsDoNotStopEmbedding) {
    auto& embedder = made("a");
    embedder.refused_billing = model::billing::counted;
    add_reels(ann_, 6);
    sql("UPDATE job SET result = jsonb_build_object('content', jsonb_build_object('summary',"
        " CASE WHEN id < (SELECT max(id) - 1 FROM job) THEN 'refused' ELSE repeat('word ', 9) "
        "END))");
    index_of(embedder).start();
    wait_for_vectors(embedder, 2);
    add_reels(ann_, 1);
    wait_for_vectors(embedder, 3);
}

TEST_F(VectorIndex, AnEmbedderThatRefusesEverythingIsPaused) {
    auto& embedder = made("a");
    embedder.text_bytes_max = 0;
    add_reels(ann_, 24);
    auto& index = index_of(embedder);
    index.start();
    loop().run_until([&] { return embedder.calls() == 3; });
    run(index.stop(soon()));
    EXPECT_EQ(embedder.calls(), 3) << "all reels, one alone, and a harmless text";
}

// A stop while the embedder answers: the vectors are paid for.
TEST_F(VectorIndex, StoresAnAnswerThatArrivesDuringAStop) {
    auto& embedder = made("a");
    std::promise<void> asked;
    std::promise<void> go_on;
    embedder.on_call = [&, waits = go_on.get_future().share()] {
        asked.set_value();
        waits.wait();
    };
    add_reels(ann_, 1);
    auto& index = index_of(embedder);
    index.start();
    auto is_asked = asked.get_future();
    loop().wait_for(is_asked);
    auto stop = asio::co_spawn(loop().context(), index.stop(soon()), asio::use_future);
    loop().context().poll();
    go_on.set_value();
    loop().wait_for(stop);
    EXPECT_TRUE(stop.get()) << "the stop waited for the answer";
    wait_for_vectors(embedder, 1);
    EXPECT_EQ(embedder.calls(), 1);
}

TEST_F(VectorIndex, StoresAVectorOnceTheDatabaseAcceptsIt) {
    auto& embedder = made("a");
    sql(R"sql(
        CREATE SEQUENCE tries;
        CREATE FUNCTION refuse_twice() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF nextval('tries') <= 2 THEN
                RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100';
            END IF;
            RETURN NEW;
        END
        $$;
        CREATE TRIGGER refuses_vectors BEFORE UPDATE OF vector ON search_document
            FOR EACH ROW EXECUTE FUNCTION refuse_twice())sql");
    add_reels(ann_, 1);
    index_of(embedder).start();
    wait_for_vectors(embedder, 1);
    EXPECT_EQ(embedder.calls(), 1);
}

TEST_F(VectorIndex, ReadsTextsOffTheLoop) {
    auto& embedder = made("a");
    add_reels(ann_, 30);
    index_of(embedder).start();
    wait_for_vectors(embedder, 30);
    EXPECT_THAT(words_.threads(), SizeIs(1));
    EXPECT_FALSE(words_.threads().contains(std::this_thread::get_id()));
}

// For any number of vectors, a turn of the loop receives one page, and neither decodes nor
// compares: while the pool's thread is busy a search does not get beyond its first page.
TEST_F(VectorIndex, ASearchDecodesAndComparesOffTheLoop) {
    auto& embedder = made("a");
    add_reels(ann_, 1200);
    index_of(embedder).start();
    wait_for_vectors(embedder, 1200);
    auto& index = *indexes_.front();
    EXPECT_THAT(run(index.near(ann_, "query")).reels, SizeIs(50));
    const auto pages = [this] { return pool().metrics().find("vectors.load")->second.count; };
    EXPECT_EQ(pages(), 3U) << "of 500";

    std::promise<void> release;
    const auto occupy = [waits = release.get_future().share()] {
        waits.wait();
        return true;
    };
    auto occupied =
        asio::co_spawn(loop().context(), offload_.run(soon(), occupy), asio::use_future);
    auto found = asio::co_spawn(loop().context(), index.near(ann_, "query"), asio::use_future);
    loop().run_until([&] { return offload_.pending() == 2; });
    EXPECT_EQ(pages(), 4U);
    release.set_value();
    loop().wait_for(found);
    EXPECT_THAT(found.get().reels, SizeIs(50));
    loop().wait_for(occupied);
}

// A hanging provider blocks only embedding.
TEST_F(VectorIndex, CallsUseDedicatedThreads) {
    auto& embedder = made("a");
    std::promise<void> release;
    embedder.on_call = [waits = release.get_future().share()] { waits.wait(); };
    add_reels(ann_, 1);
    index_of(embedder).start();
    loop().run_until([&] { return threads_.pending() == 1; });
    const auto other = [] { return 42; };
    EXPECT_EQ(run(offload_.run(soon(), other)).value(), 42);
    release.set_value();
    wait_for_vectors(embedder, 1);
}

}  // namespace
}  // namespace reelsd::work
