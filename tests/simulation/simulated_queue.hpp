#pragma once

#include "ledger.hpp"
#include "queue_model.hpp"
#include "simulated_loop.hpp"
#include <reelsd/domain/jobs/job_queue.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace reelsd::simulation {

/// Faults between daemons and the database. Probabilities are per statement.
struct weather {
    duration delay_mean = std::chrono::milliseconds{2};  ///< Of each way.
    double lost_before = 0;  ///< The connection breaks before the statement is executed.
    double lost_after = 0;   ///< It is executed, and the answer is lost.
    double late = 0;         ///< It hangs, and is executed after the caller may have given up.
    double slow_answer = 0;  ///< It is executed in time, but the answer is slow.
    double refused = 0;      ///< The disk is full.
    bool is_outage = false;  ///< The database is unreachable.
};

/// The database of all daemons, and the faults of its connections.
class simulated_database {
public:
    /// Its clock runs `clock_rate` times as fast as the daemons' clocks.
    simulated_database(
        simulated_loop& loop, dice& chance, ledger& watch, queue_model& model, double clock_rate)
        : loop_{loop}, dice_{chance}, ledger_{watch}, model_{model}, clock_rate_{clock_rate} {}

    void set_weather(const weather& now);
    [[nodiscard]] const weather& current() const noexcept { return weather_; }
    /// Number of outages. Statements in transit at that time may not arrive.
    [[nodiscard]] std::uint64_t outages() const noexcept { return outages_; }

    [[nodiscard]] instant now() const;
    [[nodiscard]] simulated_loop& loop() noexcept { return loop_; }
    [[nodiscard]] dice& chance() noexcept { return dice_; }
    [[nodiscard]] ledger& watch() noexcept { return ledger_; }
    [[nodiscard]] queue_model& model() noexcept { return model_; }

    std::uint64_t statements = 0;   ///< Sent so far.
    std::uint64_t faults = 0;       ///< Statements with a fault.
    std::uint64_t claims = 0;       ///< Statements that claim ready jobs.
    std::uint64_t full_claims = 0;  ///< Claims that read from the lowest turn.

private:
    simulated_loop& loop_;
    dice& dice_;
    ledger& ledger_;
    queue_model& model_;
    double clock_rate_;
    weather weather_;
    std::uint64_t outages_ = 0;
};

/// State of one daemon's connection, shared with its statements in transit.
struct line {
    bool is_alive = true;  ///< Of the daemon.
    bool is_cut_off = false;
    std::uint64_t cuts = 0;  ///< As simulated_database::outages().
};

/// One daemon's connection to the database. Statements in transit may be executed after its end.
class simulated_queue final : public jobs::job_queue {
public:
    /// `lease_rate`: speed of the database's clock relative to this daemon's, in addition to the
    /// rate for all daemons.
    simulated_queue(simulated_database& database, std::string worker, double lease_rate);
    simulated_queue(const simulated_queue&) = delete;
    simulated_queue& operator=(const simulated_queue&) = delete;
    ~simulated_queue() override;

    boost::asio::awaitable<std::vector<jobs::claimed_job>> claim(
        jobs::claim_request request, deadline by) override;
    boost::asio::awaitable<jobs::line_answer> claim_in_line(
        jobs::claim_request request, jobs::platform_line line, deadline by) override;
    boost::asio::awaitable<jobs::renewal> renew(
        std::vector<jobs::lease> held, seconds_f lease, deadline by) override;
    boost::asio::awaitable<std::vector<job_id>> lost_among(
        std::vector<jobs::lease> held, deadline by) override;
    boost::asio::awaitable<std::vector<job_id>> rescue(
        jobs::rescue_request request, deadline by) override;
    boost::asio::awaitable<bool> report(
        jobs::lease held, jobs::transition ended, deadline by) override;

    /// Disconnects this daemon only.
    void cut_off();
    void join_again() { line_->is_cut_off = false; }

    /// Reports that the caller knows to be written.
    [[nodiscard]] std::uint64_t confirmed_reports() const noexcept { return confirmed_reports_; }

private:
    template <class Answer>
    boost::asio::awaitable<Answer> run(deadline by, std::function<Answer()> statement);

    simulated_database& database_;
    std::string worker_;
    double lease_rate_;
    std::shared_ptr<line> line_ = std::make_shared<line>();
    std::uint64_t confirmed_reports_ = 0;
};

/// An invalid result, whose report the database rejects.
inline constexpr const char* unstorable_result = "no JSON";

}  // namespace reelsd::simulation
