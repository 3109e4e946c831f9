#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reelsd::dashboard {

/// One attempt to sign in.
struct guess {
    std::string email;
    std::string remote;  ///< An IP address.
    /// What tells the browser from others, once it has signed in to this account; empty before.
    std::string device = {};
};

/// How often passwords may be guessed: token buckets by address of the account, by address of the
/// network (of IPv6 a /64), and by both. A browser that has signed in to the account before has a
/// bucket of its own instead, so that no stranger's guesses count against it. An attempt takes from
/// all its buckets, and gets back what it took when the password was right. In memory and on this
/// instance alone: guessing over many instances gains a factor, not a way. Pure but for its own
/// state: the clock is the caller's.
class sign_in_throttle {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// Takes an attempt. Zero when it may go on, else the seconds (1 or more) until one may; then
    /// nothing is taken.
    [[nodiscard]] int take(const guess& attempt, time_point now);
    /// The password was right.
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

    /// Eight guesses at once, then one a minute.
    static constexpr rule both_rule{8, std::chrono::seconds{60}};
    /// An office behind one address.
    static constexpr rule remote_rule{40, std::chrono::seconds{15}};
    /// A guess from each of many networks; high, because whoever reaches it locks the owner out.
    static constexpr rule email_rule{100, std::chrono::seconds{15}};
    /// A few hundred bytes each.
    static constexpr std::size_t buckets_max = 30'000;

    std::unordered_map<std::string, bucket> buckets_;
    time_point next_sweep_{};
};

/// An attempt that was taken, and is given back unless a password was compared: who was let down by
/// the database has guessed nothing.
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

    /// A password is about to be compared.
    void use() noexcept { is_used_ = true; }
    /// It was right.
    void give_back() { throttle_.give_back(attempt_); }

private:
    sign_in_throttle& throttle_;
    guess attempt_;
    bool is_used_ = false;
};

}  // namespace reelsd::dashboard
