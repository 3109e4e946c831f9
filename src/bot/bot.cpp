#include "bot_state.hpp"
#include <reelsd/bot/bot.hpp>

namespace reelsd::bot {

bot::bot(bot_parts parts) : state_{std::make_unique<state>(std::move(parts))} {}

bot::~bot() = default;

void bot::start() {
    state_->start();
}

void bot::stop() {
    state_->stop();
}

void bot::join() {
    state_->join();
}

std::string bot::username() const {
    return state_->username();
}

}  // namespace reelsd::bot
