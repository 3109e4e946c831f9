#pragma once

#include <reelsd/db/store.hpp>
#include <reelsd/domain/questions/question.hpp>

#include <optional>

namespace reelsd::questions {

/// Limits of questions.
class question_store : public db::store {
public:
    using db::store::store;

    /// Takes one of the account's submissions per minute, unless it has none left or its monthly
    /// budget is spent. `rate_default`: of accounts without their own limit.
    awaitable<std::optional<refusal>> begin(account_id caller, int rate_default, deadline by);
};

}  // namespace reelsd::questions
