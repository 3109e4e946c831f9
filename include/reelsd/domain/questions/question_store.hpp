#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.
#include <reelsd/domain/questions/question.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace reelsd::db {
class pool;
}

namespace reelsd::questions {

/// Limits of questions. Throws like jobs::job_store. A cheap value around the pool.
class question_store {
public:
    explicit question_store(db::pool& pool) : pool_{&pool} {}

    /// Takes one of the account's submissions per minute, unless it has none left or its monthly
    /// budget is spent. `rate_default`: of accounts without their own limit.
    boost::asio::awaitable<std::optional<refusal>> begin(
        account_id caller, int rate_default, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::questions
