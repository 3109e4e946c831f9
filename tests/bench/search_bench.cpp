// Measures the parts of a search in an account with many reels; tests/bench/search.py measures
// complete searches, as a client sees them. By hand:
//   build/release/bin/search_bench [REELS] [SEARCHES]     (default 10000 and 1000)
// Prints p50, p95 and p99 of the embedding, of the statement, and of the choice of passages. Then
// prints how often the expected reel is among the first five, on tests/bench/search_set or the
// folder in REELSD_SEARCH_SET.

#include "search_writer.hpp"
#include "support/paths.hpp"
#include "support/test_database.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/jobs/transition.hpp>
#include <reelsd/model/embedder.hpp>
#include <reelsd/model/passage_finder.hpp>
#include <reelsd/model/search_document.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace reelsd {
namespace {

using clock = std::chrono::steady_clock;

int reel_count = 10'000;
int search_count = 1000;

constexpr db::query insert_query{"bench.insert", R"sql(
    WITH made AS (
        INSERT INTO job (account_id, url, status, started_at, finished_at, result, code, author,
                         summary, analyzed_at)
        VALUES ($1, 'https://www.instagram.com/reel/x/', 'done', now(), now(), '{}',
                md5(random()::text), 'ann',
                $2, now())
        RETURNING id)
    SELECT add_search_entry($1, id, $3, $4, $5, $6) FROM made)sql"};
constexpr db::query vacuum_query{"bench.analyze", R"sql(
    ANALYZE search_word, search_concept, search_document, job)sql"};
constexpr db::query size_query{"bench.size", R"sql(
    SELECT pg_total_relation_size('search_word') AS words,
           pg_total_relation_size('search_concept') AS concepts,
           pg_total_relation_size('search_document') AS documents)sql"};

class timings {
public:
    explicit timings(const char* name) : name_{name} {}
    template <class Work>
    auto measure(Work work) {
        const auto begin = clock::now();
        auto value = work();
        add(clock::now() - begin);
        return value;
    }
    void add(clock::duration took) {
        milliseconds_.push_back(std::chrono::duration<double, std::milli>(took).count());
    }
    void clear() { milliseconds_.clear(); }
    void print() {
        std::sort(milliseconds_.begin(), milliseconds_.end());
        const auto at = [this](double share) {
            return milliseconds_[static_cast<std::size_t>(
                share * static_cast<double>(milliseconds_.size() - 1))];
        };
        std::printf(
            "%-10s p50 %7.2f  p95 %7.2f  p99 %7.2f  max %7.2f ms\n",
            name_,
            at(0.5),
            at(0.95),
            at(0.99),
            at(1));
    }

private:
    const char* name_;
    std::vector<double> milliseconds_;
};

class SearchBench : public test::database_test {
protected:
    void SetUp() override {
        test::database_test::SetUp();
        auto opened = model::local_embedder::open(
            std::string{REELSD_BINARY_DIR} + "/share/reelsd/wordnet.bin");
        ASSERT_TRUE(opened) << opened.error().to_string();
        embedder_ = std::move(*opened);
        accounts::account_store accounts{pool()};
        ann_ = run(accounts.create("ann@example.com", accounts::role::member, soon())).value();
        search_.emplace(pool());
    }

    /// `summary` is shown and not searched.
    void insert(const json& result, const std::string& summary) {
        const auto text = result.dump();
        auto document =
            reading_.measure([&] { return model::search_document_of(text, *embedder_).value(); });
        jobs::search_entry entry;
        entry.words.assign(document.words.begin(), document.words.end());
        for (const auto& part : document.concepts) {
            entry.concepts.push_back(part.concept_id);
            entry.concept_weights.push_back(part.weight);
        }
        entry.passages = model::passages_text(document.passages);
        writing_.measure([&] {
            return run(pool().run(
                soon(),
                insert_query,
                ann_,
                summary,
                entry.words,
                entry.concepts,
                entry.concept_weights,
                entry.passages));
        });
    }

    std::vector<jobs::search_hit> search(const std::string& text, int hits_max) {
        const auto begin = clock::now();
        const model::weighted_text piece{text};
        const std::span pieces{&piece, 1};
        const auto vector = embedding_.measure(
            [&] { return embedder_->concepts_of(pieces, model::query_concepts_max); });
        jobs::search_request request{.text = text, .hits_max = hits_max};
        for (const auto& part : vector) {
            request.concepts.push_back(part.concept_id);
            request.concept_weights.push_back(part.weight);
        }
        const auto hits =
            statement_.measure([&] { return run(search_->find(ann_, request, soon())); });
        found_ += hits.size();
        const auto chosen = choosing_.measure([&] {
            const model::passage_finder finder{text, vector};
            std::size_t quoted = 0;
            for (const auto& hit : hits) {
                const auto passages = model::passages_from(hit.passages).value();
                if (finder.best_of(passages) != nullptr) ++quoted;
            }
            return quoted;
        });
        EXPECT_EQ(chosen, hits.size());
        whole_.add(clock::now() - begin);
        return hits;
    }

    std::unique_ptr<model::local_embedder> embedder_;
    account_id ann_;
    std::optional<jobs::reel_search> search_;
    timings reading_{"reading"};
    timings writing_{"writing"};
    timings embedding_{"embedding"};
    timings statement_{"statement"};
    timings choosing_{"choosing"};
    timings whole_{"whole"};
    std::size_t found_ = 0;
};

TEST_F(SearchBench, ManyReels) {
    bench::writer pen{7};
    for (int i = 0; i < reel_count; ++i) insert(pen.result(), "x");
    reading_.print();
    writing_.print();
    run(pool().run(soon(), vacuum_query));
    const auto sizes = run(pool().run(soon(), size_query));
    const auto row = sizes.one();
    std::printf(
        "%d reels: words %.0f MB, concepts %.0f MB, documents %.0f MB\n",
        reel_count,
        static_cast<double>(row.as<std::int64_t>("words")) / 1e6,
        static_cast<double>(row.as<std::int64_t>("concepts")) / 1e6,
        static_cast<double>(row.as<std::int64_t>("documents")) / 1e6);
    for (const int hits_max : {10, 50}) {
        for (auto* each : {&embedding_, &statement_, &choosing_, &whole_}) each->clear();
        for (int i = 0; i < search_count; ++i) search(pen.query(), hits_max);
        std::printf("limit %d, %zu hits so far\n", hits_max, found_);
        for (auto* each : {&embedding_, &statement_, &choosing_, &whole_}) each->print();
    }
}

std::vector<std::string> lines_of(const std::string& file) {
    const char* const given = std::getenv("REELSD_SEARCH_SET");
    const auto usual = std::string{REELSD_SOURCE_DIR} + "/tests/bench/search_set";
    std::ifstream opened{(given != nullptr ? given : usual) + "/" + file};
    std::vector<std::string> lines;
    for (std::string line; std::getline(opened, line);) {
        if (!line.empty() && line.front() != '#') lines.push_back(line);
    }
    return lines;
}

TEST_F(SearchBench, Recall) {
    for (const auto& line : lines_of("reels.txt")) {
        std::istringstream fields{line};
        std::string part[4];
        for (auto& one : part) std::getline(fields, one, '|');
        const auto name = part[0].substr(0, part[0].find(' '));
        insert(
            {{"visual", {{"text_segments", {{{"text", part[3]}, {"start_seconds", 0}}}}}},
             {"audio", {{"segments", {{{"text", part[2]}, {"start_seconds", 0}}}}}},
             {"platform_meta", {{"caption", part[1]}}}},
            name);
    }
    std::map<std::string, std::array<int, 3>> counts;
    for (const auto& line : lines_of("queries.txt")) {
        std::istringstream fields{line};
        std::string kind;
        std::string meant;
        fields >> kind >> meant;
        const auto hits = search(line.substr(line.find(" | ") + 3), 5);
        const auto found = std::find_if(hits.begin(), hits.end(), [&meant](const auto& hit) {
            return hit.brief.summary == meant;
        });
        auto& [queries, among_five, first] = counts[kind];
        ++queries;
        if (found != hits.end()) ++among_five;
        if (found == hits.begin() && !hits.empty()) ++first;
        if (found == hits.end()) std::printf("missed: %s\n", line.c_str());
    }
    for (const auto& [kind, count] : counts) {
        std::printf(
            "%s: %d queries, among the first five %d, first %d\n",
            kind.c_str(),
            count[0],
            count[1],
            count[2]);
    }
}

}  // namespace
}  // namespace reelsd

int main(int count, char** arguments) {
    ::testing::InitGoogleTest(&count, arguments);
    if (count > 1) reelsd::reel_count = std::atoi(arguments[1]);
    if (count > 2) reelsd::search_count = std::atoi(arguments[2]);
    return RUN_ALL_TESTS();
}
