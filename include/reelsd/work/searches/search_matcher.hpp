#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/searches/saved_search_store.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::model {
class embedder;
}

namespace reelsd::work {

/// Dependencies of search_matcher. All outlive it.
struct search_matcher_dependencies {
    boost::asio::any_io_executor loop;
    searches::saved_search_store store;
    jobs::reel_search search;
    const model::embedder& embedder;
    /// Called when a webhook delivery may have become due.
    std::function<void()> delivery_due;
    log::logger log;
};

/// Compares each new reel with the saved searches of its account, by the ranking of the search.
/// Embeds no query, so that it costs nothing. Daemons share the work. See docs/adr/0043.
/// Thread: the loop's.
class search_matcher final : public async::background_task {
public:
    explicit search_matcher(search_matcher_dependencies parts)
        : background_task{"match saved searches", parts.loop, parts.log},
          parts_{std::move(parts)} {}

private:
    awaitable<void> run() override;
    /// Returns the number of reels compared.
    awaitable<int> compare_next();
    awaitable<void> compare(searches::pending_check check);
    awaitable<std::optional<searches::search_match>> match_of(
        searches::pending_check check, searches::saved_search search);

    search_matcher_dependencies parts_;
};

}  // namespace reelsd::work
