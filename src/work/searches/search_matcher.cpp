#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/search_document.hpp>
#include <reelsd/work/searches/search_matcher.hpp>

#include <boost/algorithm/string/replace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;

constexpr auto comparison_query_time_max = 10s;
/// How often new reels are looked for: a match is reported within about this time.
constexpr auto comparison_interval = 1s;
/// After a failure of the database.
constexpr auto failure_pause = 5s;
/// Longer than the comparisons of one claim take: 4 reels with 20 searches of some milliseconds.
constexpr seconds_f comparison_lease{60.0};
constexpr int checks_at_once = 4;
/// A reel beyond this rank matches only by its words.
constexpr int hits_max = 50;
/// At least the score of a reel that contains all words of a search, whatever its rank.
constexpr double all_words_score = 0.5;
constexpr std::size_t summary_bytes_max = 1000;

std::string escaped(std::string_view text) {
    std::string html{text};
    boost::algorithm::replace_all(html, "&", "&amp;");
    boost::algorithm::replace_all(html, "<", "&lt;");
    boost::algorithm::replace_all(html, ">", "&gt;");
    return html;
}

/// The chat message about a match, in the Bot API's HTML. Pure.
std::string match_message(std::string_view search_name, const jobs::search_hit& hit) {
    auto text = fmt::format("\U0001F50E <b>{}</b>: reel {}", escaped(search_name), hit.id.value);
    if (!hit.brief.author.empty()) text += fmt::format(" by @{}", escaped(hit.brief.author));
    if (!hit.brief.summary.empty())
        text += "\n" + escaped(utf8_prefix(hit.brief.summary, summary_bytes_max));
    return text.append("\n").append(escaped(hit.url));
}

}  // namespace

awaitable<void> search_matcher::run() {
    for (;;) {
        monotonic_clock::duration pause = comparison_interval;
        try {
            const int compared = co_await compare_next();
            if (compared > 0) pause = 0s;
        } catch (const db::failure& failure) {
            // The readiness monitor logs an outage. Claimed reels are compared after their lease.
            log().debug("matching saved searches failed", {{"reason", failure.what()}});
            pause = failure_pause;
        }
        co_await async::pause(pause);
    }
}

awaitable<int> search_matcher::compare_next() {
    const auto checks = co_await parts_.store.claim(
        checks_at_once, comparison_lease, deadline::after(comparison_query_time_max));
    for (const auto& check : checks) co_await compare(check);
    co_return static_cast<int>(checks.size());
}

awaitable<void> search_matcher::compare(searches::pending_check check) {
    const auto saved =
        co_await parts_.store.list(check.account, deadline::after(comparison_query_time_max));
    std::vector<searches::search_match> matches;
    for (const auto& search : saved) {
        auto match = co_await match_of(check, search);
        if (match) matches.push_back(*std::move(match));
    }
    const auto reported = co_await parts_.store.finish(
        check.reel, std::move(matches), deadline::after(comparison_query_time_max));
    if (reported == 0) co_return;
    log().info("reel matches saved searches", {{"job", check.reel.value}, {"searches", reported}});
    parts_.delivery_due();
}

awaitable<std::optional<searches::search_match>> search_matcher::match_of(
    searches::pending_check check, searches::saved_search search) {
    const model::weighted_text whole{search.query};
    jobs::search_request request{
        .text = model::search_text(search.query),
        .hits_max = hits_max,
        .filter = {.author = search.author}};
    for (const auto& part : parts_.embedder.concepts_of({&whole, 1}, model::query_concepts_max)) {
        request.concepts.push_back(part.concept_id);
        request.concept_weights.push_back(static_cast<double>(part.weight));
    }
    const auto by = deadline::after(comparison_query_time_max);
    auto hits = co_await parts_.search.find(check.account, request, by);
    auto hit = std::ranges::find(hits, check.reel, &jobs::search_hit::id);
    double score = hit == hits.end() ? 0 : hit->score;
    if (score < search.min_score && search.min_score <= all_words_score) {
        // The score depends on the rank: a reel with all words ranks low among many similar ones.
        const bool has_words =
            co_await parts_.search.has_all_words(check.account, check.reel, request.text, by);
        if (!has_words) co_return std::nullopt;
        request.filter.reel = check.reel;
        hits = co_await parts_.search.find(check.account, std::move(request), by);
        hit = hits.begin();
        score = all_words_score;
    }
    if (hit == hits.end() || score < search.min_score) co_return std::nullopt;
    co_return searches::search_match{
        .search = search.id, .score = score, .message = match_message(search.name, *hit)};
}

}  // namespace reelsd::work
