// Kills and stops daemons, and disconnects them from their database, in simulated time. No job runs
// twice at the same time, none is lost, and each ends once.
//
//   queue_simulation [--seed N] [--runs N] [--lives N] [--daemons N]
//
// Without --seed: some fixed seeds and one of the day. With --runs: the seed and those after it.
// The same seed, lives and daemons reproduce a run step by step. A breach ends the program with 1
// and prints the seed, the step and the history of the job.
#include "world.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::simulation {
namespace {

struct arguments {
    std::optional<std::uint64_t> seed;
    std::uint64_t runs = 1;
    std::uint64_t lives = 1000;
    int daemons = 3;
};

/// 20260522 on the 22nd of May 2026, by UTC.
std::uint64_t seed_of_the_day() {
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const std::chrono::year_month_day date{today};
    return static_cast<std::uint64_t>(static_cast<int>(date.year())) * 10'000 +
           static_cast<unsigned>(date.month()) * 100 + static_cast<unsigned>(date.day());
}

std::vector<std::uint64_t> seeds_of(const arguments& given) {
    if (!given.seed) return {1, 2, 3, 4, seed_of_the_day()};
    std::vector<std::uint64_t> seeds;
    for (std::uint64_t run = 0; run < given.runs; ++run) seeds.push_back(*given.seed + run);
    return seeds;
}

/// Returns a summary in one line; nothing after a breach.
std::optional<std::string> run(const plan& with) {
    // Flushed immediately, because a run may abort.
    fmt::print("seed {} lives {} daemons {}\n", with.seed, with.lives, with.daemons);
    std::fflush(stdout);
    const auto began = std::chrono::steady_clock::now();
    world simulated{with};
    const bool holds = simulated.run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    auto summary = simulated.summary();
    fmt::print("  {}\n", summary);
    const auto rate = static_cast<double>(with.lives) / took.count();
    if (holds) fmt::print("  {:.0f} lives a second\n", rate);
    if (!holds) fmt::print("BROKEN seed {} {}", with.seed, simulated.breach());
    std::fflush(stdout);
    if (!holds) return std::nullopt;
    return summary;
}

/// Each seed once. Without a given seed, the first one twice, which must give the same run.
bool run_all(const arguments& given) {
    const auto plan_of = [&given](std::uint64_t seed) {
        return plan{.seed = seed, .lives = given.lives, .daemons = given.daemons};
    };
    const auto seeds = seeds_of(given);
    bool all_hold = true;
    for (const auto seed : seeds) {
        const auto summary = run(plan_of(seed));
        all_hold = all_hold && summary;
        if (given.seed || seed != seeds.front() || run(plan_of(seed)) == summary) continue;
        fmt::print("BROKEN seed {}: another run the second time\n", seed);
        all_hold = false;
    }
    return all_hold;
}

}  // namespace
}  // namespace reelsd::simulation

int main(int count, char** values) {
    using namespace reelsd::simulation;
    arguments given;
    CLI::App program{"Simulates the queue and its daemons"};
    program.add_option("--seed", given.seed, "Of all chance");
    program.add_option("--runs", given.runs, "This many seeds from there on");
    program.add_option("--lives", given.lives, "Jobs of each run")->check(CLI::PositiveNumber);
    program.add_option("--daemons", given.daemons, "At once")->check(CLI::Range(1, 64));
    CLI11_PARSE(program, count, values);
    return run_all(given) ? EXIT_SUCCESS : EXIT_FAILURE;
}
