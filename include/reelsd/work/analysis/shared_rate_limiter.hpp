#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/platform/rate_limiter.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <string>

namespace reelsd::jobs {
struct claimed_job;
}

namespace reelsd::work {

/// The pace that all daemons on one database share. For worker threads, not the loop's.
class shared_rate_limiter final : public platform::rate_limiter {
public:
    /// The loop runs, and the store's pool lives, for as long as a worker may call.
    shared_rate_limiter(
        boost::asio::any_io_executor loop, pacing::pace_store store, std::string host,
        pacing::pace wanted, log::logger log)
        : loop_{std::move(loop)},
          store_{store},
          host_{std::move(host)},
          wanted_{wanted},
          log_{std::move(log)} {}

    [[nodiscard]] result<platform::required_wait> ask(
        std::string_view resolver, deadline by) override;

    /// The same for the first try of a job in work, which has to join the line when others are in
    /// it: then the wait is longer than a worker waits.
    [[nodiscard]] result<platform::required_wait> ask_permit(
        const jobs::claimed_job& job, std::string_view resolver, deadline by);

    /// Whether jobs wait in a line for their permits. Without a pace of our own there is none: jobs
    /// wait for the end of a cool-down alone.
    [[nodiscard]] bool has_line() const noexcept { return wanted_.interval > seconds_f{0}; }
    /// Of the platform: what the line is called.
    [[nodiscard]] const std::string& host() const noexcept { return host_; }

    /// Tells operators of a cool-down that begins and, once an hour, of a resolver that has stopped
    /// to work.
    seconds_f note(
        std::string_view resolver, const platform::finished_try& ended,
        deadline by) noexcept override;

private:
    /// The interval is another one each time, so that our tries keep no recognisable beat.
    [[nodiscard]] pacing::pace spread() const;
    [[nodiscard]] result<platform::required_wait> wait_for_permit(
        boost::asio::awaitable<pacing::permit> asked, deadline by);
    void log(std::string_view resolver, const pacing::consequence& told) const;

    boost::asio::any_io_executor loop_;
    pacing::pace_store store_;
    std::string host_;
    pacing::pace wanted_;
    log::logger log_;
};

/// The shared pace as one attempt at a job uses it. The first try needs the job's permit: the one
/// that it was claimed with, or one that is given at once because no job is in line. Not
/// thread-safe. `shared` and `job` outlive this.
class job_rate_limiter final : public platform::rate_limiter {
public:
    job_rate_limiter(shared_rate_limiter& shared, const jobs::claimed_job& job);
    /// A permit that was not used is given back, as far as others wait for the end of its use.
    ~job_rate_limiter() override;

    [[nodiscard]] result<platform::required_wait> ask(
        std::string_view resolver, deadline by) override;
    seconds_f note(
        std::string_view resolver, const platform::finished_try& ended,
        deadline by) noexcept override {
        return shared_.note(resolver, ended, by);
    }

    /// Whether the job has to wait in line for a permit, if its attempt cannot go on.
    [[nodiscard]] bool needs_permit() const noexcept { return needs_permit_; }

private:
    shared_rate_limiter& shared_;
    const jobs::claimed_job& job_;
    std::string permit_;  ///< The resolver that may be asked; empty when it was, or without one.
    bool needs_permit_;
};

}  // namespace reelsd::work
