#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/db/store.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::jobs {

inline constexpr int tags_max = 20;  ///< Of one reel.
inline constexpr std::size_t tag_characters_max = 40;

/// The form in which a tag is stored: trimmed, ASCII letters in lower case. Errors:
/// invalid_argument for an empty or long tag, one with a comma or control characters, and text that
/// is not UTF-8. Pure.
[[nodiscard]] result<std::string> tag_from(std::string_view text);

struct tag_count {
    std::string tag;
    std::int64_t reels = 0;
};

/// Tags of an account's reels.
class tag_store : public db::store {
public:
    using db::store::store;

    /// By name; empty if the account has no such reel.
    awaitable<std::optional<std::vector<std::string>>> find(
        account_id caller, job_id reel, deadline by);
    /// The most frequent tags of the account, up to 1,000.
    awaitable<std::vector<tag_count>> list(account_id caller, deadline by);
    /// Replaces the tags of a reel. Errors: not_found; invalid_argument for more than `tags_max`.
    awaitable<result<void>> replace(
        account_id caller, job_id reel, std::vector<std::string> tags, deadline by);
    /// Removes and adds tags of the account's reels among `reels`, and returns their number.
    /// Errors: invalid_argument, and no change, if one would have more than `tags_max`.
    awaitable<result<std::int32_t>> change(
        account_id caller, std::vector<job_id> reels, std::vector<std::string> added,
        std::optional<std::vector<std::string>> removed, deadline by);
};

}  // namespace reelsd::jobs
