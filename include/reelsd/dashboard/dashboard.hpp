#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/session_store.hpp>
#include <reelsd/domain/chats/chat_store.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/operations_store.hpp>
#include <reelsd/domain/retention/retention_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::async {
class offload_pool;
}
namespace reelsd::http {
class router;
}  // namespace reelsd::http

namespace reelsd::dashboard {

/// Limits that hold for accounts without their own, as administrators see them.
struct default_limits {
    int submissions_per_minute = 10;
    int concurrent_jobs = 3;
    int requests_per_minute = 600;
    int queued_jobs = 1000;
};

struct dashboard_dependencies {
    accounts::account_store accounts;
    accounts::session_store sessions;
    jobs::job_store jobs;
    jobs::change_store changes;
    jobs::change_poller& poller;
    jobs::operations_store operations;
    chats::chat_store chats;
    retention::retention_store retention;
    async::offload_pool& offload;  ///< Hashes passwords.
    default_limits limits;
    /// "http://127.0.0.1:8080", for links; known once the server listens.
    std::function<std::string()> origin;
    /// What the daemon knows of itself: `started_at`, `workers`, `resolvers`, `models`, `analyzer`.
    std::function<boost::asio::awaitable<json>()> health;
    /// Whether the platform was asked and has never answered this installation.
    std::function<boost::asio::awaitable<bool>()> platform_never_answered;
    /// The chat bot's name, empty while it is not known; nothing without a bot.
    std::function<std::optional<std::string>()> bot_username;
    /// Jobs have been submitted anew: the queue may look at once.
    std::function<void()> jobs_submitted;
    log::logger log;
};

/// The web dashboard: its pages, signing in, and what its pages ask for beside the API's own
/// resources, which stand behind the same gate (see `gated_prefix`). Thread: the loop's. Outlives
/// the router's use.
class dashboard {
public:
    explicit dashboard(dashboard_dependencies parts);
    ~dashboard();
    dashboard(const dashboard&) = delete;
    dashboard& operator=(const dashboard&) = delete;

    /// Where requests of people who are signed in stand; the gate recognises them by their session.
    static constexpr std::string_view gated_prefix = "/dashboard/api";

    void add_to(http::router& router);

    /// If nobody can sign in as administrator, makes the link that lets the first one in.
    [[nodiscard]] boost::asio::awaitable<std::string> first_administrator_link();

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// The page that an invitation's secret opens. The secret stands in the fragment, which browsers
/// send to nobody: no log has it.
[[nodiscard]] std::string invitation_link(std::string_view origin, std::string_view secret);

}  // namespace reelsd::dashboard
