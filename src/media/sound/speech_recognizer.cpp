#include "level.hpp"
#include "sound.hpp"
#include "speech_recogniser.hpp"

#include <utility>

namespace reelsd::media::sound {

namespace {

class listening_recognizer final : public speech_recognizer {
public:
    explicit listening_recognizer(std::unique_ptr<speech_recogniser> ears)
        : ears_{std::move(ears)} {}

    speech_report recognize(std::span<const std::int16_t> samples) override {
        if (is_silent(samples)) return {};
        return to_report(ears_->listen(samples));
    }

private:
    std::unique_ptr<speech_recogniser> ears_;
};

}  // namespace

result<std::unique_ptr<speech_recognizer>> speech_recognizer::load(const std::string& model_dir) {
    auto ears = speech_recogniser::load(model_dir);
    if (!ears) return ears.error();
    return std::make_unique<listening_recognizer>(std::move(*ears));
}

}  // namespace reelsd::media::sound
