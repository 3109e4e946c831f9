#include "bot_state.hpp"
#include "message_templates.hpp"
#include "update_handler.hpp"
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/model/search_document.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

// The update handler's commands that change nothing.
namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

/// With a remote embedder a model is waited for.
constexpr auto search_time_max = 10s;
constexpr int listed_max = 10;
constexpr int found_max = 5;
/// As of the API's `q`.
constexpr std::ptrdiff_t query_characters_max = 500;

std::ptrdiff_t characters_in(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    });
}

using near_search = std::function<asio::awaitable<std::vector<job_id>>(account_id, std::string)>;

/// Keeps what it works with: its caller may give up before the loop has begun with it.
asio::awaitable<std::vector<jobs::search_hit>> find_reels(
    jobs::reel_search search, near_search near_reels, account_id account,
    jobs::search_request wanted, deadline by) {
    if (near_reels) wanted.near = co_await near_reels(account, wanted.text);
    co_return co_await search.find(account, std::move(wanted), by);
}

asio::awaitable<wording::usage_summary> read_usage(
    usage::usage_store store, account_id account, deadline by) {
    const std::chrono::year_month_day today =
        std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const usage::period this_month{
        .from = today.year() / today.month() / std::chrono::day{1}, .to = std::nullopt};
    wording::usage_summary used;
    auto total = co_await store.read(account, {}, by);
    used.total = std::move(total.total);
    auto month = co_await store.read(account, this_month, by);
    used.this_month = std::move(month.total);
    used.budget = co_await store.read_budget(account, by);
    co_return used;
}

wording::found_reel found_from(const jobs::search_hit& hit, const model::passage_finder& finder) {
    wording::found_reel found{
        .job = hit.id,
        .author = hit.brief.author,
        .summary = hit.brief.summary,
        .passage = {},
        .seconds = std::nullopt};
    const auto passages = model::passages_from(hit.passages);
    if (!passages) return found;
    if (const auto* const best = finder.best_of(*passages)) {
        found.passage = best->text;
        found.seconds = best->seconds;
    }
    return found;
}

}  // namespace

result<rich_text> update_handler::told(const request& from, const commands::command& wanted) {
    if (wanted.name == "help" || wanted.name == "start") {
        return wording::help(from.said.kind, self_.username);
    }
    if (wanted.name == "link") return wording::wrong_code(parts_.origin());
    if (wanted.name == "list") return list(from.account);
    if (wanted.name == "search") return find(from.account, wanted.rest);
    if (wanted.name == "usage") return usage(from.account);
    return wording::unknown_command(wanted.name);
}

result<rich_text> update_handler::list(account_id account) {
    const auto page = wait_for(
        parts_.loop,
        parts_.jobs.list(account, jobs::job_filter{.jobs_max = listed_max}, soon()),
        soon());
    if (!page) return page.error();
    return wording::list(page->jobs);
}

result<rich_text> update_handler::find(account_id account, std::string_view words) {
    const auto text = model::query_text(words);
    if (text.empty()) return wording::words_wanted();
    if (characters_in(text) > query_characters_max) return rich_text{plain("q is too long")};
    const model::weighted_text whole{text};
    const auto concepts = parts_.embedder.concepts_of({&whole, 1}, model::query_concepts_max);
    jobs::search_request wanted{.text = text, .hits_max = found_max};
    for (const auto& one : concepts) {
        wanted.concepts.push_back(one.concept_id);
        wanted.concept_weights.push_back(static_cast<double>(one.weight));
    }
    const auto by = deadline::after(search_time_max);
    const auto hits = wait_for(
        parts_.loop,
        find_reels(parts_.search, parts_.near_reels, account, std::move(wanted), by),
        by);
    if (!hits) return hits.error();
    const model::passage_finder finder{text, concepts};
    std::vector<wording::found_reel> found;
    for (const auto& hit : *hits) found.push_back(found_from(hit, finder));
    return wording::search(text, found);
}

/// The reel's message once more: it follows the job to its end.
result<void> update_handler::show(const request& from, std::string_view number) {
    const auto id = reel_number(number);
    if (!id) return reply(from, wording::number_wanted("status"));
    const auto job = wait_for(parts_.loop, parts_.jobs.find(from.account, *id, soon()), soon());
    if (!job) return job.error();
    if (!*job) return reply(from, wording::no_such_reel(*id));
    return finish(from.update, {status_of(from, *id)});
}

result<rich_text> update_handler::usage(account_id account) {
    const auto by = soon();
    const auto used = wait_for(parts_.loop, read_usage(parts_.usage, account, by), by);
    if (!used) return used.error();
    return wording::usage(*used);
}

}  // namespace reelsd::bot
