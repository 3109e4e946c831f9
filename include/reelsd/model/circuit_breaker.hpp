#pragma once

#include <reelsd/base/clock.hpp>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace reelsd::model {

/// The circuit of a provider's model, for operators.
struct circuit_state {
    std::string provider;
    std::string model;
    seconds_f open_for{0};  ///< Until requests are sent again; 0: they are sent.
};

/// Stops requests to a provider's model that does not answer. Closed: requests are sent. Open: none
/// are, for a while; then one worker probes the model, and the result closes or opens the circuit
/// for all. Thread-safe.
class circuit_breaker {
public:
    using clock = std::chrono::steady_clock;

    struct rejection {
        seconds_f wait{0};
        bool is_misconfigured = false;  ///< A later request will fail as well.
    };

    /// Empty if the caller may send a request, whose outcome it must report with succeeded(),
    /// failed(), misconfigured() or abandoned().
    [[nodiscard]] std::optional<rejection> admit(clock::time_point now);

    /// The result of admit() without a request: does not start a probe.
    [[nodiscard]] std::optional<rejection> peek(clock::time_point now) const;

    void succeeded();
    /// After all tries: several consecutive failures open the circuit, for longer each time.
    void failed(clock::time_point now);
    /// The provider rejects our configuration: opens the circuit, for longer each time in a row.
    void misconfigured(clock::time_point now);
    /// The outcome says nothing about the provider.
    void abandoned();
    void open_for(seconds_f wait, clock::time_point now);

    /// Whether at most one request has failed since the last success, perhaps because of its video.
    [[nodiscard]] bool is_lone_failure() const;

    /// How long the circuit remains open; 0 if it is closed.
    [[nodiscard]] seconds_f remaining(clock::time_point now) const;

    /// Whether any request has ever succeeded.
    [[nodiscard]] bool has_succeeded() const;

private:
    [[nodiscard]] std::optional<rejection> locked_peek(clock::time_point now) const;
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
