#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reelsd::dashboard {

struct guess {
    std::string email;
    std::string remote;  ///< An IP address.
    /// Identifies a browser that has signed in to this account before; empty for others.
    std::string device = {};
};

/// Limits attempts to guess passwords: token buckets by e-mail address, by network address (IPv6:
/// by /64), and by both. A browser that has signed in to the account before has its own bucket
/// instead, which attempts by strangers do not affect. An attempt takes from all its buckets; a
/// correct password refunds it. Each instance counts in its own memory, so that N instances allow N
/// times as many attempts. The caller provides the time.
class sign_in_throttle {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// Takes an attempt and returns 0, or takes nothing and returns the seconds (at least 1) until
    /// an attempt is allowed.
    [[nodiscard]] int take(const guess& attempt, time_point now);
    /// Refunds an attempt with the correct password.
    void give_back(const guess& attempt);

    [[nodiscard]] std::size_t size() const noexcept { return buckets_.size(); }

private:
    struct rule {
        double capacity = 0;
        std::chrono::duration<double> refill{};  ///< For one attempt.
    };
    struct bucket {
        double attempts = 0;
        time_point filled;
        rule by{};
    };

    struct counted {
        std::string key;
        rule by{};
    };

    [[nodiscard]] static std::vector<counted> buckets_of(const guess& attempt);
    bucket& filled_bucket(const std::string& key, const rule& by, time_point now);
    void forget_full(time_point now);
    void forget_oldest();

    /// Eight attempts at once, then one a minute.
    static constexpr rule both_rule{8, std::chrono::seconds{60}};
    /// Allows for an office behind one address.
    static constexpr rule remote_rule{40, std::chrono::seconds{15}};
    /// Attempts from many networks; high, because reaching it locks the owner out.
    static constexpr rule email_rule{100, std::chrono::seconds{15}};
    /// A bucket has a few hundred bytes.
    static constexpr std::size_t buckets_max = 30'000;

    std::unordered_map<std::string, bucket> buckets_;
    time_point next_sweep_{};
};

/// Refunds a taken attempt unless a password was compared, for example after a database error.
class taken_attempt {
public:
    /// `throttle` outlives it.
    taken_attempt(sign_in_throttle& throttle, guess attempt)
        : throttle_{throttle}, attempt_{std::move(attempt)} {}
    taken_attempt(const taken_attempt&) = delete;
    taken_attempt& operator=(const taken_attempt&) = delete;
    ~taken_attempt() {
        if (!is_used_) give_back();
    }

    /// Called before a password is compared.
    void use() noexcept { is_used_ = true; }
    /// Refunds the attempt: the password was correct.
    void give_back() { throttle_.give_back(attempt_); }

private:
    sign_in_throttle& throttle_;
    guess attempt_;
    bool is_used_ = false;
};

}  // namespace reelsd::dashboard
