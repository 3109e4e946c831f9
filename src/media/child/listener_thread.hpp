#pragma once

#include "../sound/sound.hpp"
#include "first_pass.hpp"
#include <reelsd/media/report.hpp>

#include <future>
#include <memory>
#include <thread>

namespace reelsd::media {

/// The second thread: it hears while the first one reads pictures, which saves a third of the time
/// of a video with speech. It must be started before the jail is sealed, and then waits for its
/// sound.
class listener_thread {
public:
    /// Returns when the thread runs: what the C library does to begin one is forbidden in the jail.
    explicit listener_thread(std::unique_ptr<sound::speech_recognizer> recognizer);

    /// Ends the thread; waits for what it is doing.
    ~listener_thread();
    listener_thread(const listener_thread&) = delete;
    listener_thread& operator=(const listener_thread&) = delete;

    /// Once. The future throws what hearing throws.
    [[nodiscard]] std::future<audio_report> hear(heard_samples samples);

private:
    std::promise<void> begun_;
    std::promise<heard_samples> question_;
    std::promise<audio_report> answer_;
    bool asked_ = false;
    std::thread thread_;
};

}  // namespace reelsd::media
