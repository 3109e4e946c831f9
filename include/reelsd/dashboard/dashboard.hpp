#pragma once

#include <reelsd/async/awaitable.hpp>
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
#include <reelsd/model/analysis_options.hpp>

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
}

namespace reelsd::dashboard {

/// Limits of accounts without own limits, and those of every account.
struct default_limits {
    int submissions_per_minute = 10;
    int concurrent_jobs = 3;
    int requests_per_minute = 600;
    int queued_jobs = 1000;
    seconds_f video_seconds_max{90};
    std::int64_t video_bytes_max = 0;
};

struct account_service {
    accounts::account_store accounts;
    accounts::session_store sessions;
    retention::retention_store retention;
    default_limits limits;
    /// Public origin for links, for example "http://127.0.0.1:8080"; known once the server listens.
    std::function<std::string()> origin;
    log::logger log;
};

struct chat_service {
    chats::chat_store chats;
    /// The chat bot's name without the @, empty while it is unknown; nullopt without a bot.
    std::function<std::optional<std::string>()> bot_username;
};

struct operations_service {
    jobs::job_store jobs;
    jobs::operations_store operations;
    /// The daemon's health: `started_at`, `workers`, `resolvers`, `models`, `analyzer`.
    std::function<awaitable<json>()> health;
    /// Whether the platform has never answered a request of this installation.
    std::function<awaitable<bool>()> platform_never_answered;
    /// Called when jobs were resubmitted, so that workers claim immediately.
    std::function<void()> jobs_submitted;
    log::logger log;
};

/// The remote model that an administrator enters: its form, and the actions on it. Their errors'
/// details are for the administrator.
struct model_service {
    std::function<json()> view;
    std::function<awaitable<result<void>>(json form, deadline by)> save;
    std::function<awaitable<result<void>>(json form)> check;
    std::function<awaitable<void>(deadline by)> remove;
    log::logger log;
};

struct dashboard_dependencies {
    account_service accounts;
    chat_service chats;
    operations_service operations;
    jobs::change_store changes;
    jobs::change_poller& poller;
    async::offload_pool& offload;  ///< Hashes passwords.
    /// Pages ask questions if one is a model.
    const model::offered_analyzers& analyzers;
    model_service models;
};

/// The web dashboard: its pages, sign-in and the resources that only the dashboard has. The API's
/// resources are below `gated_prefix` too. Event loop only. Outlives the router.
class dashboard {
public:
    explicit dashboard(dashboard_dependencies dependencies);
    ~dashboard();

    /// Prefix of routes that require a session.
    static constexpr std::string_view gated_prefix = "/dashboard/api";

    void add_to(http::router& router);

    /// A link that creates the first administrator; empty if there is one.
    [[nodiscard]] awaitable<std::string> first_administrator_link();

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// The page of an invitation. The secret is in the fragment, which browsers do not send, so that no
/// log contains it.
[[nodiscard]] std::string invitation_link(std::string_view origin, std::string_view secret);

}  // namespace reelsd::dashboard
