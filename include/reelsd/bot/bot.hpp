#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/background_service.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/chats/bot_store.hpp>
#include <reelsd/domain/chats/chat_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/domain/questions/question.hpp>
#include <reelsd/domain/usage/usage_store.hpp>
#include <reelsd/model/analysis_options.hpp>
#include <reelsd/net/proxy.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
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
    std::string address;  ///< Base URL of the Bot API, without a trailing slash.
    std::string token;    ///< Never logged.
    std::string ca_file;  ///< Empty: the system's.
    std::optional<net::proxy> by_proxy;
    std::string run;  ///< Unique to this start of this daemon.
    chats::chat_store chats;
    chats::bot_store bots;
    jobs::submission_batcher submission_batcher;
    jobs::upload_store& uploads;
    jobs::default_limits limits;
    std::uint64_t video_bytes_max = 0;  ///< Upper bound on an uploaded video.
    /// As in api::submission_service. Any thread.
    std::function<result<void>(std::uint64_t bytes)> check_space;
    jobs::job_store jobs;
    jobs::media_store media;
    /// As in api::api_dependencies; empty without a media store besides the database.
    std::function<awaitable<result<std::vector<std::byte>>>(jobs::object_range)> read_object;
    jobs::reel_search search;
    usage::usage_store usage;
    const model::embedder& embedder;
    async::offload_pool& offload;  ///< Waits for the bot's threads at a stop.
    /// As in api::api_dependencies: on the loop; empty without vectors.
    std::function<awaitable<std::vector<job_id>>(account_id caller, std::string query)> near_reels;
    questions::answerer answer;
    std::chrono::milliseconds drain{4000};                ///< How long a stop waits for an answer.
    std::function<model::offered_analyzers()> analyzers;  ///< Any thread.
    int requests_per_minute = 600;  ///< Default for accounts without their own limit.
    /// The address of the dashboard. Called on the bot's threads.
    std::function<std::string()> origin;
    std::function<void()> job_accepted;       ///< On the loop.
    std::function<void(job_id)> job_removed;  ///< On the loop.
    log::logger log;
};

/// The chat bot: polls the Bot API for updates and handles them for the account that a chat is
/// linked to. Of several daemons on one database, one runs the bot at a time. Its threads use the
/// database through the loop.
class bot final : public async::background_service {
public:
    explicit bot(bot_dependencies dependencies);
    ~bot() override;

    [[nodiscard]] std::string_view name() const noexcept override { return "chat bot"; }

    void start() override;
    /// Ends the threads and their requests; what is being sent or answered gets `drain`, at least
    /// two seconds. Then releases the bot to other daemons.
    [[nodiscard]] awaitable<bool> stop(deadline by) override;

    /// The bot's name without the @; empty while it is not known. Any thread.
    [[nodiscard]] std::string username() const;

private:
    class state;
    async::offload_pool& offload_;
    log::logger log_;
    std::unique_ptr<state> state_;
};

}  // namespace reelsd::bot
