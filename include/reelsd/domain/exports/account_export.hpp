#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::exports {

/// All data of an account as lines of JSON, page by page, so that an account of any size takes the
/// memory of a page. Each line is an object whose first member `type` says what it is: `account`,
/// `token`, `session`, `webhook`, `chat`, `reel`, `delivery`, `model_call`, and `end`, whose
/// `lines` counts those before it: an export without it is not whole.
///
/// Each page is read at a moment of its own. Of what was there when the export began, everything
/// that is not deleted meanwhile is in it once, as it stood when its page was read; nothing that
/// came later is.
class account_export {
public:
    /// `pool` outlives this.
    account_export(db::pool& pool, account_id account) : pool_{&pool}, account_{account} {}

    /// The next lines, each with its end of line; nothing after the last ones. Throws like
    /// jobs::job_store; after that the same lines can be asked for again.
    boost::asio::awaitable<std::optional<std::string>> next(deadline by);

    [[nodiscard]] std::int64_t lines() const noexcept { return lines_; }

private:
    struct page {
        std::string text;
        std::int64_t rows = 0;
        std::int64_t last_id = 0;
        time_point last_at{};
    };
    /// Of each part, the greatest id that belongs to the export.
    boost::asio::awaitable<std::vector<std::int64_t>> read_last_ids(deadline by);
    boost::asio::awaitable<page> read_reels(deadline by);
    boost::asio::awaitable<page> read_page(deadline by);

    db::pool* pool_;
    account_id account_;
    std::size_t part_ = 0;
    std::int64_t after_ = 0;  ///< Behind this id of the part.
    time_point after_at_{};   ///< Of calls: behind this time, and this id.
    std::optional<std::vector<std::int64_t>> last_ids_;
    std::int64_t lines_ = 0;
    bool is_over_ = false;
};

}  // namespace reelsd::exports
