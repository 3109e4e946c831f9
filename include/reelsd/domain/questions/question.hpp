#pragma once

#include <reelsd/db/store.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

/// Questions about the reels of an account.
namespace reelsd::questions {

inline constexpr std::size_t question_characters_max = 500;
inline constexpr int reels_usual = 8;
inline constexpr int reels_most = 20;

/// What an account asks.
struct question {
    std::string text;                 ///< 1 to `question_characters_max`; valid UTF-8.
    std::optional<job_id> reel = {};  ///< Empty: the library.
    int reels_max = reels_usual;      ///< Reels of the library considered, 1 to `reels_most`.
    /// Only reels of this author, in any letter case; only for the library.
    std::optional<std::string> author = {};
};

/// A verbatim passage of a stored result.
struct citation {
    job_id id;
    std::string code;   ///< Of the post.
    std::string field;  ///< "audio.transcript", "content.summary", ...
    std::string text;
    std::optional<double> seconds = {};  ///< From the start of the video, if it has a time.
};

struct answer {
    bool is_answered = false;
    std::string text;                 ///< Says that the reels do not say, unless answered.
    std::vector<citation> citations;  ///< Best first; empty unless answered.
    std::string provider;
    std::string model;
    /// An exact decimal of US dollars; empty if the cost of a call is unknown.
    std::optional<std::string> cost_usd = "0";
};

/// Why a question is not answered.
struct refusal {
    enum class reason : std::uint8_t {
        no_model,      ///< This server has no model.
        not_found,     ///< Unknown reel, or another account's.
        not_done,      ///< The reel is not done.
        rate_limited,  ///< The account's submissions per minute.
        budget_spent,  ///< The account's monthly budget.
        unavailable,   ///< The model cannot be reached, or too many questions are being answered.
    };

    reason why = reason::unavailable;
    std::string text;     ///< For the user.
    int retry_after = 0;  ///< Seconds; 0: not worth a retry.
};

using outcome = std::variant<answer, refusal>;

/// Answers on the loop. `stop` is requested when the client no longer waits: no further call is
/// made then. Throws db::failure.
using answerer =
    std::function<awaitable<outcome>(account_id caller, question asked, std::stop_token stop)>;

[[nodiscard]] inline refusal no_model() {
    return {.why = refusal::reason::no_model, .text = "asking needs a model; this server has none"};
}

class question_store : public db::store {
public:
    using db::store::store;

    /// Takes one of the account's submissions per minute, unless it has none left or its monthly
    /// budget is spent. `rate_default`: of accounts without their own limit.
    awaitable<std::optional<refusal>> begin(account_id caller, int rate_default, deadline by);
};

}  // namespace reelsd::questions
