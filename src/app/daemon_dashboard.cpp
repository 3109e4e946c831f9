#include "daemon.hpp"
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/json.hpp>  // A coroutine that returns it is destroyed here.
#include <reelsd/db/errors.hpp>

#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>
#include <vector>

// What the daemon does for its dashboard.
namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// A token's last use is shown to the minute.
constexpr auto token_uses_interval = 30s;
constexpr auto write_time_max = 2s;
/// Steps are written for people who watch; one that is over sooner than this is not worth a commit.
constexpr auto steps_interval = 100ms;

}  // namespace

dashboard::dashboard_parts daemon::dashboard_parts() {
    return {
        .accounts = accounts::account_store{pool_},
        .sessions = accounts::session_store{pool_},
        .jobs = jobs::job_store{pool_},
        .changes = jobs::change_store{pool_},
        .poller = poller_,
        .operations = jobs::operations_store{pool_},
        .chats = chats::chat_store{pool_},
        .retention = retention::retention_store{pool_},
        .offload = offload_,
        .limits =
            {.submissions_per_minute = with_.submissions_per_minute,
             .concurrent_jobs = with_.concurrent_jobs,
             .requests_per_minute = with_.requests_per_minute},
        .origin = [this] { return public_origin(with_, port_); },
        .health = [this] { return health(); },
        .bot_username = [this] { return bot_ ? std::optional{bot_->username()} : std::nullopt; },
        .jobs_submitted = [this] { dispatcher_.wake(); },
        .log = log_};
}

asio::awaitable<void> daemon::offer_first_administrator() {
    for (;;) {
        try {
            const auto link = co_await dashboard_.first_administrator_link();
            if (!link.empty()) log_.info("set-up link", {{"link", link}});
            co_return;
        } catch (const db::failure& failure) {
            log_.debug("no set-up link yet", {{"reason", failure.what()}});
        }
        co_await async::pause(1s);
    }
}

asio::awaitable<void> daemon::keep_token_uses() {
    for (;;) {
        co_await async::pause(token_uses_interval);
        co_await write_token_uses();
    }
}

asio::awaitable<void> daemon::write_token_uses() {
    if (used_tokens_.empty()) co_return;
    const std::vector<token_id> used{used_tokens_.begin(), used_tokens_.end()};
    try {
        accounts::account_store store{pool_};
        co_await store.note_token_uses(used, deadline::after(write_time_max));
        for (const auto token : used) used_tokens_.erase(token);
    } catch (const db::failure& failure) {
        // Kept for the next time.
        log_.debug("uses of tokens are not written", {{"reason", failure.what()}});
    }
}

void daemon::note_step(const jobs::claimed_job& job, std::string_view step) {
    asio::post(loop_, [this, id = job.id, claim = job.claim, step = std::string{step}]() mutable {
        if (stopping_) return;
        steps_.insert_or_assign(id, jobs::step_note{id, claim, std::move(step)});
        if (!std::exchange(is_noting_steps_, true)) tasks_.spawn("note steps", write_steps());
    });
}

asio::awaitable<void> daemon::write_steps() {
    struct noting {
        bool& flag;
        ~noting() { flag = false; }
    } const until_end{is_noting_steps_};
    while (!steps_.empty()) {
        co_await async::pause(steps_interval);
        std::vector<jobs::step_note> reached;
        for (auto& [job, step] : std::exchange(steps_, {})) reached.push_back(std::move(step));
        try {
            jobs::change_store store{pool_};
            co_await store.note_steps(reached, deadline::after(write_time_max));
        } catch (const db::failure& failure) {
            // Shown to people who watch, and to nobody else.
            log_.debug("steps are not written", {{"reason", failure.what()}});
        }
    }
}

}  // namespace reelsd::app
