#include "daemon.hpp"

#include <utility>

// The daemon's chat bot: the same doors as the API's, for other people.
namespace reelsd::app {

namespace asio = boost::asio;

std::unique_ptr<bot::bot> daemon::make_bot() {
    if (with_.telegram_token.empty()) return nullptr;
    // What the API is made of, so that neither can do what the other cannot.
    auto door = api_parts();
    return std::make_unique<bot::bot>(bot::bot_parts{
        .loop = loop_.get_executor(),
        .address = with_.telegram_url,
        .token = with_.telegram_token,
        .ca_file = with_.ca_file,
        .run = parts_.run,
        .chats = chats::chat_store{pool_},
        .bots = chats::bot_store{pool_},
        .desk = std::move(door.desk),
        .jobs = door.jobs,
        .search = door.search,
        .usage = door.usage,
        .embedder = door.embedder,
        .near_reels = std::move(door.near_reels),
        .analysis_costs_money = door.analysis_costs_money,
        .requests_per_minute = door.requests_per_minute,
        .origin = [this] { return public_origin(with_, port_); },
        .job_accepted = std::move(door.job_accepted),
        .job_removed = std::move(door.job_removed),
        .log = log_});
}

asio::awaitable<void> daemon::part_from_bot(deadline by) {
    if (!bot_) co_return;
    auto* const leaving = bot_.get();
    const auto wait = [leaving] {
        leaving->join();
        return true;
    };
    const auto ended = co_await offload_.run(by, wait);
    if (!ended) log_.warning("the chat bot does not end", {{"reason", ended.error().to_string()}});
}

}  // namespace reelsd::app
