#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::exports {

/// Reads all data of an account as JSON lines, page by page, with the memory of one page. Each
/// line is an object whose first member `type` is `account`, `token`, `session`, `webhook`, `chat`,
/// `reel`, `delivery`, `model_call`, or `end`, whose `lines` counts those before it: an export
/// without it is incomplete.
///
/// Each page is a separate snapshot. The export contains once what existed when it began and was
/// not deleted since, in its state when the page was read, and nothing newer.
class account_export {
public:
    /// `pool` outlives this.
    account_export(db::pool& pool, account_id account) : pool_{&pool}, account_{account} {}

    /// Returns the next lines, each with its line end; empty after the last ones. Throws like
    /// jobs::job_store, and can then be retried.
    awaitable<std::optional<std::string>> next(deadline by);

    [[nodiscard]] std::int64_t lines() const noexcept { return lines_; }

private:
    struct page {
        std::string text;
        std::int64_t rows = 0;
        std::int64_t last_id = 0;
        time_point last_at{};
    };
    /// The greatest id in the export, of each part.
    awaitable<std::vector<std::int64_t>> read_last_ids(deadline by);
    awaitable<page> read_reels(deadline by);
    awaitable<page> read_page(deadline by);

    db::pool* pool_;
    account_id account_;
    std::size_t part_ = 0;
    std::int64_t after_ = 0;  ///< Continues after this id of the part.
    time_point after_at_{};   ///< For calls: continues after this time and id.
    std::optional<std::vector<std::int64_t>> last_ids_;
    std::int64_t lines_ = 0;
    bool is_over_ = false;
};

}  // namespace reelsd::exports
