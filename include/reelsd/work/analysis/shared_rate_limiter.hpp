#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/platform/rate_limiter.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::jobs {
struct claimed_job;
}

namespace reelsd::work {

/// A slower pace and a cool-down that count in addition to the resolver's own: those of the
/// operator's session, which several resolvers use.
struct session_pace {
    /// Whether a resolver, by its routed name, uses the session now. Empty: none does.
    std::function<bool(std::string_view resolver)> applies = {};
    pacing::pace pace = {};
};

/// The rate limit that all daemons on one database share. For worker threads, not the loop's.
class shared_rate_limiter final : public platform::rate_limiter {
public:
    /// The loop runs, and the store's pool lives, for as long as a worker may call. `resolvers` are
    /// those in use, as platform::routed_resolvers() names them.
    shared_rate_limiter(
        boost::asio::any_io_executor loop, pacing::pace_store store, std::string host,
        std::vector<std::string> resolvers, pacing::pace pace, session_pace session,
        log::logger log)
        : loop_{std::move(loop)},
          store_{store},
          host_{std::move(host)},
          resolvers_{std::move(resolvers)},
          pace_{pace},
          session_{std::move(session)},
          log_{std::move(log)} {}

    [[nodiscard]] result<platform::required_wait> ask(
        std::string_view resolver, deadline by) override;

    /// The same for the first try of a running job. If other jobs are in line, the job must join
    /// it, and the returned wait is longer than a worker waits.
    [[nodiscard]] result<platform::required_wait> ask_permit(
        const jobs::claimed_job& job, std::string_view resolver, deadline by);

    /// What the session's pace adds to a permit that `resolver` has. A wait returns the permit.
    [[nodiscard]] result<platform::required_wait> ask_session(
        std::string_view resolver, deadline by);

    /// What is left of a cool-down of `resolver`; 0 without one.
    [[nodiscard]] result<seconds_f> cooldown_of(std::string_view resolver, deadline by) const;

    /// Whether jobs wait in line for permits. Without a configured pace there is no line: jobs wait
    /// only for the end of a cool-down.
    [[nodiscard]] bool has_line() const noexcept { return pace_.interval > seconds_f{0}; }
    /// The platform's host, which names the line.
    [[nodiscard]] const std::string& host() const noexcept { return host_; }

    /// Whether any resolver in use has ever had an answer about a post, on any daemon. True as well
    /// while the database cannot tell.
    [[nodiscard]] bool has_ever_answered(deadline by) const;

    /// Records a try. Logs the start of a cool-down and, once an hour, a resolver that has stopped
    /// working.
    seconds_f note(
        std::string_view resolver, const platform::finished_try& ended,
        deadline by) noexcept override;

private:
    /// Varies the interval, so that tries have no recognisable rhythm.
    [[nodiscard]] static pacing::pace spread(pacing::pace pace);
    [[nodiscard]] bool uses_session(std::string_view resolver) const {
        return session_.applies && session_.applies(resolver);
    }
    /// A separate row, under a host that no list of resolvers shows.
    [[nodiscard]] pacing::paced_resolver session() const {
        return {.host = host_ + " (session)", .resolver = "session"};
    }
    void release(
        const pacing::paced_resolver& resolver, deadline by,
        pacing::outcome ended = pacing::outcome::failed);
    [[nodiscard]] result<platform::required_wait> ask_resolver(
        std::string_view resolver, deadline by);
    [[nodiscard]] result<platform::required_wait> wait_for_permit(
        awaitable<pacing::permit> request, deadline by);
    void log(std::string_view resolver, const pacing::consequence& consequence) const;

    boost::asio::any_io_executor loop_;
    mutable pacing::pace_store store_;  ///< A handle; its operations do not change it.
    std::string host_;
    std::vector<std::string> resolvers_;
    pacing::pace pace_;
    session_pace session_;
    log::logger log_;
    mutable std::atomic<bool> has_answered_ = false;  ///< Never becomes false again.
};

/// The shared rate limit for one attempt at a job. The first try needs the job's permit: the one
/// that the job was claimed with, or one granted immediately because no job is in line. Not
/// thread-safe. `shared` and `job` outlive this.
class job_rate_limiter final : public platform::rate_limiter {
public:
    job_rate_limiter(shared_rate_limiter& shared, const jobs::claimed_job& job)
        : shared_{shared}, job_{job}, permit_{job.permit}, needs_permit_{shared.has_line()} {}
    /// Returns an unused permit if others wait for the end of its use.
    ~job_rate_limiter() override;

    [[nodiscard]] result<platform::required_wait> ask(
        std::string_view resolver, deadline by) override;
    [[nodiscard]] std::string_view permitted() const noexcept override { return permit_; }
    seconds_f note(
        std::string_view resolver, const platform::finished_try& ended,
        deadline by) noexcept override {
        return shared_.note(resolver, ended, by);
    }

    /// Whether the job must wait in line for a permit if its attempt cannot continue.
    [[nodiscard]] bool needs_permit() const noexcept { return needs_permit_; }

private:
    shared_rate_limiter& shared_;
    const jobs::claimed_job& job_;
    std::string permit_;  ///< The permitted resolver; empty once used, or without a permit.
    bool needs_permit_;
};

}  // namespace reelsd::work
