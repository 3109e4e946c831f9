#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/jobs/admission_desk.hpp>

#include <utility>
#include <vector>

namespace reelsd::jobs {

struct admission_desk::sharing_statements {
    db::shared_statement<callers_submission, admission> submissions;
    job_store jobs;
    default_limits defaults;
};

admission_desk::admission_desk(
    boost::asio::any_io_executor loop, async::task_group& tasks, job_store jobs,
    default_limits defaults)
    : statements_{std::make_shared<const sharing_statements>(sharing_statements{
          .submissions = {
              std::move(loop),
              tasks,
              // While one is written to disk, the next one gathers.
              db::sharing{.statements_max = 1},
              [jobs, defaults](const std::vector<callers_submission>& wanted, deadline by) mutable {
                  return jobs.submit_all(wanted, defaults, by);
              },
              [](const callers_submission& one, const callers_submission& other) {
                  return one.caller == other.caller;
              }},
          .jobs = jobs,
          .defaults = defaults})} {}

admission_desk::~admission_desk() = default;
admission_desk::admission_desk(const admission_desk&) = default;

boost::asio::awaitable<admission> admission_desk::submit(
    account_id caller, submission wanted, deadline by) {
    callers_submission asked{.caller = caller, .wanted = std::move(wanted)};
    co_return co_await statements_->submissions.answer(std::move(asked), by);
}

boost::asio::awaitable<std::vector<admission>> admission_desk::submit_all(
    account_id caller, std::vector<submission> wanted, deadline by) {
    std::vector<callers_submission> all;
    for (auto& one : wanted) all.push_back({.caller = caller, .wanted = std::move(one)});
    // They share with each other, and are not put among those of other callers: a list may not be
    // cut, for what comes later must not be admitted first.
    auto jobs = statements_->jobs;
    auto decided = co_await jobs.submit_all(all, statements_->defaults, by);
    std::vector<admission> answers;
    for (auto& one : decided) answers.push_back(std::move(one).value());
    co_return answers;
}

}  // namespace reelsd::jobs
