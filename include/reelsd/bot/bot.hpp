#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/chats/bot_store.hpp>
#include <reelsd/domain/chats/chat_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/domain/usage/usage_store.hpp>
#include <reelsd/net/proxy.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {
class embedder;
}

namespace reelsd::bot {

struct bot_dependencies {
    boost::asio::any_io_executor loop;
    std::string address;  ///< Of the Bot API, without a slash at its end.
    std::string token;    ///< Never logged.
    std::string ca_file;  ///< Empty: the system's.
    std::optional<net::proxy> by_proxy;
    std::string run;  ///< What tells this start of this daemon from all others.
    chats::chat_store chats;
    chats::bot_store bots;
    jobs::submission_batcher submission_batcher;
    jobs::upload_store& uploads;
    jobs::default_limits limits;
    std::uint64_t video_bytes_max = 0;  ///< Of an uploaded video.
    jobs::job_store jobs;
    jobs::reel_search search;
    usage::usage_store usage;
    const model::embedder& embedder;
    async::offload_pool& offload;  ///< Waits for the bot's threads at a stop.
    /// As in api::api_dependencies: on the loop; empty where there are no such vectors.
    std::function<boost::asio::awaitable<std::vector<job_id>>(account_id caller, std::string query)>
        near_reels;
    bool analysis_costs_money = false;
    int requests_per_minute = 600;  ///< Of an account without a limit of its own.
    /// Where people reach the dashboard. Called on the bot's threads, once it has been started.
    std::function<std::string()> origin;
    std::function<void()> job_accepted;       ///< On the loop.
    std::function<void(job_id)> job_removed;  ///< On the loop.
    log::logger log;
};

/// The chat bot: asks the Bot API for updates, does what people ask for with the account that their
/// chat is tied to, and says how it goes. Of several daemons with the same bot one does so at a
/// time. Has threads of its own, which reach the database through the loop.
class bot final : public async::background_service {
public:
    explicit bot(bot_dependencies parts);
    ~bot() override;

    [[nodiscard]] std::string_view name() const noexcept override { return "chat bot"; }

    /// When the daemon listens.
    void start() override;
    /// Asks the threads to end, with no request left open; a message that is being sent gets two
    /// seconds. Then lets other daemons have the bot.
    [[nodiscard]] boost::asio::awaitable<bool> stop(deadline by) override;

    /// The bot's name without the @; empty while it is not known. Any thread.
    [[nodiscard]] std::string username() const;

private:
    class state;
    async::offload_pool& offload_;
    log::logger log_;
    std::unique_ptr<state> state_;
};

}  // namespace reelsd::bot
