#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/chats/bot_store.hpp>
#include <reelsd/domain/chats/chat_store.hpp>
#include <reelsd/domain/jobs/admission_desk.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/usage/usage_store.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace reelsd::model {
class embedder;
}

namespace reelsd::bot {

struct bot_parts {
    boost::asio::any_io_executor loop;
    std::string address;  ///< Of the Bot API, without a slash at its end.
    std::string token;    ///< Never logged.
    std::string ca_file;  ///< Empty: the system's.
    std::string run;      ///< What tells this start of this daemon from all others.
    chats::chat_store chats;
    chats::bot_store bots;
    jobs::admission_desk desk;
    jobs::job_store jobs;
    jobs::reel_search search;
    usage::usage_store usage;
    const model::embedder& embedder;
    /// As in api::api_parts: on the loop; empty where there are no such vectors.
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
class bot {
public:
    explicit bot(bot_parts parts);
    /// After stop() and join().
    ~bot();
    bot(const bot&) = delete;
    bot& operator=(const bot&) = delete;

    /// Once, when the daemon listens.
    void start();
    /// Asks the threads to end, at once and without waiting: no question is left open; what is
    /// being said may be said to its end for two seconds.
    void stop();
    /// Waits for them, and lets other daemons have the bot. Not on the loop's thread, and while the
    /// loop still runs.
    void join();

    /// The bot's name without the @; empty while it is not known. Any thread.
    [[nodiscard]] std::string username() const;

private:
    class state;
    std::unique_ptr<state> state_;
};

}  // namespace reelsd::bot
