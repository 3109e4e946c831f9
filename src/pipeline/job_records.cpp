#include <reelsd/pipeline/job_records.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <utility>

namespace reelsd::pipeline {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Beyond the statement's own deadline: a loop that has not even begun with it by then is ending.
constexpr auto loop_grace = 1s;

/// Runs `operation` on the loop and waits for it on this thread.
template <class T>
result<T> wait_for(
    const asio::any_io_executor& loop, asio::awaitable<T> operation, const deadline& by) {
    auto outcome = asio::co_spawn(loop, std::move(operation), asio::use_future);
    if (outcome.wait_until(by.when() + loop_grace) != std::future_status::ready) {
        return error{errc::database_unavailable, "the loop does not answer"};
    }
    try {
        return outcome.get();
    } catch (const db::failure& failure) {
        return error{failure.code(), failure.what()};
    } catch (const std::exception& failure) {
        // A loop that ended with the question unanswered, say.
        return error{errc::internal, failure.what()};
    }
}

}  // namespace

result<std::optional<jobs::earlier_analysis>> job_records::find_earlier_analysis(
    const jobs::claimed_job& job, const std::string& post_key, const std::string& analyzer,
    deadline by) {
    return wait_for(loop_, store_.find_earlier_analysis(job.account, post_key, analyzer, by), by);
}

}  // namespace reelsd::pipeline
