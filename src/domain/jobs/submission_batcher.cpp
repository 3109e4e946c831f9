#include <reelsd/async/condition.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>

#include <boost/core/noncopyable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <utility>

namespace reelsd::jobs {
namespace {

class list_lock;

/// The lists of links of one account, in the order of arrival; the first is in progress.
struct list_line {
    std::list<const list_lock*> lists;
    async::condition moved;
};
using list_lines = std::map<account_id, list_line>;

/// The place of one list in its account's line, until it is destroyed. `lines` outlives it.
class list_lock : boost::noncopyable {
public:
    list_lock(list_lines& lines, account_id caller)
        : lines_{lines}, line_{lines.try_emplace(caller).first} {
        line_->second.lists.push_back(this);
    }
    ~list_lock() {
        auto& line = line_->second;
        line.lists.remove(this);
        if (line.lists.empty()) {
            lines_.erase(line_);
        } else {
            line.moved.notify_all();
        }
    }

    /// Returns when this list is the first of its account. Throws db::unavailable after `by`.
    awaitable<void> acquire(deadline by) {
        auto& line = line_->second;
        while (line.lists.front() != this) {
            const bool is_notified = co_await line.moved.wait(by);
            if (!is_notified && line.lists.front() != this) {
                throw db::unavailable{
                    db::outage::overloaded, "lists of links of this account are waiting"};
            }
        }
    }

private:
    list_lines& lines_;
    list_lines::iterator line_;
};

}  // namespace

struct submission_batcher::batches {
    db::shared_statement<callers_submission, submission_result> submissions;
    job_store jobs;
    default_limits defaults;
    list_lines lists;

    batches(
        boost::asio::any_io_executor loop, async::task_group& tasks, job_store store,
        default_limits limits)
        : submissions{
              std::move(loop),
              tasks,
              // While one statement is written to disk, the next one collects requests.
              db::batching{.statements_max = 1},
              [store, limits](
                  const std::vector<callers_submission>& requests, deadline by) mutable {
                  return store.submit_all(requests, limits, by);
              },
              [](const callers_submission& left, const callers_submission& right) {
                  return left.caller == right.caller;
              }},
          jobs{store},
          defaults{limits} {}
};

submission_batcher::submission_batcher(
    boost::asio::any_io_executor loop, async::task_group& tasks, job_store jobs,
    default_limits defaults)
    : statements_{std::make_shared<batches>(std::move(loop), tasks, jobs, defaults)} {}

submission_batcher::~submission_batcher() = default;
submission_batcher::submission_batcher(const submission_batcher&) = default;

awaitable<submission_result> submission_batcher::submit(
    account_id caller, submission request, deadline by) {
    callers_submission own{.caller = caller, .request = std::move(request)};
    co_return (co_await statements_->submissions.answer(std::move(own), by)).value();
}

awaitable<std::vector<submission_result>> submission_batcher::submit_all(
    account_id caller, std::vector<submission> requests, deadline by) {
    std::vector<callers_submission> all;
    for (auto& request : requests) {
        all.push_back({.caller = caller, .request = std::move(request)});
    }
    // A list is a separate statement, because its links are accepted in order. One list of an
    // account at a time, because several would wait for its row with a connection each.
    const auto own = statements_;
    list_lock lock{own->lists, caller};
    co_await lock.acquire(by);
    auto decided = co_await own->jobs.submit_all(all, own->defaults, by);
    std::vector<submission_result> answers;
    for (auto& decision : decided) answers.push_back(std::move(decision).value());
    co_return answers;
}

std::string refusal_text(const submission_result& decision) {
    if (decision.decided == submission_result::outcome::rate_limited) {
        return fmt::format("limit of {} submissions per minute reached", decision.rate_limit);
    }
    if (decision.decided == submission_result::outcome::budget_spent) {
        return fmt::format(
            "monthly budget of {} is spent", dollars_text(decision.monthly_budget_usd.value()));
    }
    if (decision.decided == submission_result::outcome::queue_full) {
        return fmt::format("limit of {} queued jobs reached", decision.job_limit);
    }
    if (decision.decided == submission_result::outcome::too_many_uploads) {
        return fmt::format("limit of {} uploads at the same time reached", decision.job_limit);
    }
    return fmt::format(
        "limit of {} jobs pending or processing at the same time reached", decision.job_limit);
}

error_reason refusal_reason(const submission_result& decision) noexcept {
    using outcome = submission_result::outcome;
    switch (decision.decided) {
        case outcome::rate_limited: return error_reason::rate_limit_submissions;
        case outcome::budget_spent: return error_reason::budget_exceeded;
        case outcome::queue_full: return error_reason::limit_queued_jobs;
        case outcome::too_many_uploads: return error_reason::limit_uploads;
        case outcome::key_of_another_link: return error_reason::idempotency_key_reused;
        case outcome::accepted:
        case outcome::repeated:
        case outcome::too_many_jobs: break;
    }
    return error_reason::limit_concurrent_jobs;
}

std::string dollars_text(std::string_view decimal) {
    std::string text = "$";
    text.append(decimal);
    const auto point = decimal.find('.');
    if (point == std::string_view::npos) return text.append(".00");
    constexpr std::size_t cents_digits = 2;
    const auto digits = decimal.size() - point - 1;
    return text.append(cents_digits - std::min(digits, cents_digits), '0');
}

}  // namespace reelsd::jobs
