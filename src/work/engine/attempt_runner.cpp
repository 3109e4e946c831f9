#include <reelsd/work/engine/attempt_runner.hpp>

#include <boost/asio/post.hpp>

#include <utility>

namespace reelsd::work {

threaded_attempt_runner::threaded_attempt_runner(
    boost::asio::any_io_executor loop, std::size_t threads, job_runner run)
    : loop_{std::move(loop)}, run_{std::move(run)}, threads_{threads} {}

void threaded_attempt_runner::start(
    jobs::claimed_job job, std::stop_token stop, end_handler on_end) {
    auto work =
        [this, job = std::move(job), stop = std::move(stop), on_end = std::move(on_end)]() mutable {
            auto ended = run_(job, std::move(stop));
            auto tell = [on_end = std::move(on_end), ended = std::move(ended)]() mutable {
                on_end(std::move(ended));
            };
            boost::asio::post(loop_, std::move(tell));
        };
    threads_.post(std::move(work));
}

}  // namespace reelsd::work
