#pragma once

#include <reelsd/base/clock.hpp>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace reelsd::model {

/// What operators see of a provider's model.
struct circuit_state {
    std::string provider;
    std::string model;
    seconds_f closed_in{0};  ///< For how long it is not asked yet; 0: it is asked.
};

/// Keeps the daemon's workers from asking a provider's model that is known not to answer. Closed:
/// everybody may ask. Open: nobody, for a while. After that one worker asks, and how that ends
/// decides for all. Safe from any thread; never blocks for long.
class circuit_breaker {
public:
    using clock = std::chrono::steady_clock;

    /// Why and for how long not to ask.
    struct closed_way {
        seconds_f wait{0};
        bool is_misconfigured = false;  ///< Whoever asks then will hear the same.
    };

    /// Nothing: ask, and say with succeeded(), failed(), misconfigured() or abandoned() how it
    /// ended.
    [[nodiscard]] std::optional<closed_way> refusal(clock::time_point now);

    /// The same for a caller that will not ask now: nobody waits for what it finds out.
    [[nodiscard]] std::optional<closed_way> closed(clock::time_point now) const;

    void succeeded();
    /// Given up after all tries: several in a row open the circuit, for longer each time.
    void failed(clock::time_point now);
    /// The provider will not have us: opens it at once, for longer each time in a row.
    void misconfigured(clock::time_point now);
    /// Ended without telling anything about the provider.
    void abandoned();
    /// Opens it at once.
    void open_for(seconds_f wait, clock::time_point now);

    /// Whether a failure may be one video's: nobody else has failed since the last success.
    [[nodiscard]] bool is_lone_failure() const;

    /// For how long it is open yet; 0: it is not.
    [[nodiscard]] seconds_f open_yet(clock::time_point now) const;

    /// Whether anything has ever succeeded: a key that worked does not become wrong by itself.
    [[nodiscard]] bool has_succeeded() const;

private:
    [[nodiscard]] std::optional<closed_way> locked_closed(clock::time_point now) const;
    void open(seconds_f wait_first, seconds_f wait_max, clock::time_point now);

    mutable std::mutex lock_;
    clock::time_point open_until_{};
    seconds_f last_wait_{0};
    int failures_ = 0;
    bool is_probing_ = false;
    bool is_misconfigured_ = false;
    bool has_succeeded_ = false;
};

}  // namespace reelsd::model
