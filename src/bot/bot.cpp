#include "bot_state.hpp"
#include <reelsd/bot/bot.hpp>

#include <utility>

namespace reelsd::bot {

namespace asio = boost::asio;

bot::bot(bot_dependencies parts)
    : offload_{parts.offload}, log_{parts.log}, state_{std::make_unique<state>(std::move(parts))} {}

bot::~bot() = default;

void bot::start() {
    state_->start();
}

asio::awaitable<bool> bot::stop(deadline by) {
    state_->stop();
    const auto join = [this] {
        state_->join();
        return true;
    };
    const auto joined = co_await offload_.run(by, join);
    if (!joined) {
        log_.warning("the chat bot does not end", {{"reason", joined.error().to_string()}});
    }
    co_return joined.has_value();
}

std::string bot::username() const {
    return state_->username();
}

}  // namespace reelsd::bot
