#pragma once

#include "simulated_daemon.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::simulation {

struct plan {
    std::uint64_t seed = 1;
    std::uint64_t lives = 1000;  ///< Number of jobs.
    int daemons = 3;             ///< 1 or more.
};

/// Daemons, clients and one database with all their faults. Faults end when the last job is
/// submitted; then all jobs have to end.
class world {
public:
    explicit world(const plan& with);
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    /// True without a breach.
    bool run();

    /// A summary in one line, and the breach with its history, if any.
    [[nodiscard]] std::string summary() const;
    [[nodiscard]] std::string breach() const { return ledger_.report(); }

private:
    struct place {
        int starts = 0;
        std::unique_ptr<simulated_daemon> daemon;  ///< Null while it is down.
    };

    void plan_submissions();
    void submit_some();
    void submit_one();
    void plan_weather();
    void plan_trouble(std::size_t which);
    void trouble(std::size_t which);
    void start(std::size_t which);
    void kill(std::size_t which);
    void stop(std::size_t which);
    void cut_off(std::size_t which);
    void remove(job_id job);
    void forget_old();
    void check_permit(const model_row& before, const model_row& after);
    void note_change(row_change why, const model_row* before, const model_row* after);

    void clear_up();
    void go_on();
    void check();
    void bury_stopped();
    [[nodiscard]] bool is_quiet() const;
    [[nodiscard]] bool run_until_quiet();
    bool stop_all();
    [[nodiscard]] duration patience() const;
    [[nodiscard]] simulated_daemon* any_daemon();

    plan plan_;
    dice dice_;
    simulated_loop loop_;
    seconds_f lease_;
    work_mix mix_;
    ledger ledger_;
    queue_model model_;
    simulated_database database_;
    std::vector<place> places_;
    std::size_t workers_max_;
    duration submit_every_{};
    std::deque<std::pair<instant, job_id>> ended_;  ///< With their times; removed later.
    instant last_end_;
    /// How often an account in line has been passed over by another since its last permit.
    std::map<std::pair<std::int64_t, std::int64_t>, int> passed_over_;
    bool is_clear_ = false;  ///< There are no more faults.
    std::uint64_t kills_ = 0;
    std::uint64_t stops_ = 0;
    std::uint64_t cuts_ = 0;
};

}  // namespace reelsd::simulation
