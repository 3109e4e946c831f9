#include "simulated_daemon.hpp"

#include <exception>
#include <string>
#include <utility>

namespace reelsd::simulation {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// bounds::shutdown_grace.
constexpr auto stop_time_max = 8s;
/// As in src/domain/jobs/change_poller.cpp.
constexpr auto poll_interval = 500ms;
/// A job that takes longer to end is a breach.
constexpr auto client_patience = 24h;

}  // namespace

simulated_daemon::simulated_daemon(
    simulated_database& database, const work_mix& mix, const settings& with,
    std::function<void()> die)
    : database_{database},
      settings_{with},
      policy_{mix.policy},
      line_{mix.line},
      queue_{database, name_of(with.who), with.lease_rate},
      tasks_{
          database.loop().executor(),
          [&watch = database.watch()](std::string_view task, const std::exception_ptr&) {
              watch.breach({}, std::string{"an exception ended the task: "} + std::string{task});
          }} {
    const simulated_runner::surroundings around{
        .loop = database.loop(),
        .chance = database.chance(),
        .watch = database.watch(),
        .mix = mix,
        .ask_permit = [&database, &mix](const jobs::lease& held) {
            return database.model().ask_permit(database.now(), held, mix.line);
        }};
    auto runner =
        std::make_unique<simulated_runner>(around, with.who, with.workers, std::move(die));
    runner_ = runner.get();
    dispatcher_ = std::make_unique<work::dispatcher>(
        queue_, tasks_, std::move(runner), options(), log::logger::silent());
    dispatcher_->start();
}

simulated_daemon::~simulated_daemon() {
    // Coroutines end only where they wait, and then do nothing more.
    tasks_.force_stop();
    while (tasks_.size() > 0) database_.loop().run_ready();
}

work::dispatcher_options simulated_daemon::options() {
    work::dispatcher_options options;
    options.worker = name_of(settings_.who);
    options.lease = settings_.lease;
    options.policy = policy_;
    options.line = line_;
    options.on_job_changed = [this](job_id) { job_changed_.notify_all(); };
    options.on_attempt_ended = [this](const jobs::transition&, seconds_f, bool written) {
        ++ended_;
        if (written) ++written_;
    };
    return options;
}

void simulated_daemon::wait_for_end(job_id job) {
    tasks_.spawn("client", await_end(job));
}

asio::awaitable<void> simulated_daemon::await_end(job_id job) {
    const auto by = deadline::after(client_patience);
    while (database_.model().ended_among({job}).empty()) {
        static_cast<void>(co_await job_changed_.wait(by.at_most(poll_interval)));
        database_.watch().require(!by.passed(), job, "a client waits for too long");
    }
}

void simulated_daemon::stop() {
    is_stopping_ = true;
    tasks_.spawn("stop", stop_dispatcher());
}

asio::awaitable<void> simulated_daemon::stop_dispatcher() {
    is_drained_ = co_await dispatcher_->stop(deadline::after(stop_time_max));
    has_stopped_ = true;
}

void simulated_daemon::check() const {
    auto& watch = database_.watch();
    // Each worker has one running job and one that is being reported; prefetched jobs may wait, or
    // have ended in one of two reports.
    const auto held_max = 2 * runner_->capacity() + 3 * work::prefetch::jobs_max;
    watch.require(held() <= held_max, {}, "too many leases for the workers");
    const auto begun = held() - dispatcher_->unbegun();
    watch.require(runner_->started() == ended_ + begun, {}, "a dispatcher lost an attempt");
    watch.require(written_ == queue_.confirmed_reports(), {}, "a wrong number of reports");
    watch.require(!is_drained_ || held() == 0, {}, "a drained dispatcher has a lease");
}

}  // namespace reelsd::simulation
