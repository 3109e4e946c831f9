#include <reelsd/async/condition.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/jobs/admission_desk.hpp>

#include <utility>
#include <vector>

namespace reelsd::jobs {

struct admission_desk::sharing_statements {
    db::shared_statement<callers_submission, admission> submissions;
    job_store jobs;
    default_limits defaults;
    async::condition list_ended;
    bool is_list_under_way = false;

    sharing_statements(
        boost::asio::any_io_executor loop, async::task_group& tasks, job_store store,
        default_limits limits)
        : submissions{
              std::move(loop),
              tasks,
              // While one is written to disk, the next one gathers.
              db::sharing{.statements_max = 1},
              [store, limits](const std::vector<callers_submission>& wanted, deadline by) mutable {
                  return store.submit_all(wanted, limits, by);
              },
              [](const callers_submission& one, const callers_submission& other) {
                  return one.caller == other.caller;
              }},
          jobs{store},
          defaults{limits} {}
};

admission_desk::admission_desk(
    boost::asio::any_io_executor loop, async::task_group& tasks, job_store jobs,
    default_limits defaults)
    : statements_{std::make_shared<sharing_statements>(std::move(loop), tasks, jobs, defaults)} {}

admission_desk::~admission_desk() = default;
admission_desk::admission_desk(const admission_desk&) = default;

boost::asio::awaitable<admission> admission_desk::submit(
    account_id caller, submission wanted, deadline by) {
    callers_submission asked{.caller = caller, .wanted = std::move(wanted)};
    co_return (co_await statements_->submissions.answer(std::move(asked), by)).value();
}

boost::asio::awaitable<std::vector<admission>> admission_desk::submit_all(
    account_id caller, std::vector<submission> wanted, deadline by) {
    std::vector<callers_submission> all;
    for (auto& one : wanted) all.push_back({.caller = caller, .wanted = std::move(one)});
    // They share with each other, and are not put among those of other callers: a list may not be
    // cut, for what comes later must not be admitted first. One list at a time: many of one account
    // would stand at its row with all connections, and keep everybody waiting.
    const auto own = statements_;
    while (own->is_list_under_way) {
        const bool is_woken = co_await own->list_ended.wait(by);
        if (!is_woken && own->is_list_under_way)
            throw db::unavailable{db::outage::overloaded, "many lists of links are waiting"};
    }
    own->is_list_under_way = true;
    struct turn {
        sharing_statements& of;
        ~turn() {
            of.is_list_under_way = false;
            of.list_ended.notify_all();
        }
    } const until_end{*own};
    auto decided = co_await own->jobs.submit_all(all, own->defaults, by);
    std::vector<admission> answers;
    for (auto& one : decided) answers.push_back(std::move(one).value());
    co_return answers;
}

}  // namespace reelsd::jobs
