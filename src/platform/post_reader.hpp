#pragma once

#include "answer_parser.hpp"
#include "json_access.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace reelsd::platform {

/// Reads the members of documents and keeps the most informative data of the requested post.
/// Members are recognised by their names, at any depth.
class post_reader {
public:
    /// `reel` outlives this.
    explicit post_reader(const link& reel) : reel_{reel} {}

    /// Reads a member if its name is that of a known query.
    void take(const std::string& key, const document& value);

    /// Reads every member of every object below `root`.
    void take_all(const document& root);

    /// Reads records of the requested post below `root`, recognised by their own members. For data
    /// without a member of a known name.
    void take_unnamed(const document& root);

    /// Notes data of the post that is not JSON.
    void take_unreadable() { note(answer_media::unreadable); }

    [[nodiscard]] bool has_found_nothing() const { return answer_.media == answer_media::absent; }

    [[nodiscard]] parsed_answer result() && { return std::move(answer_); }

private:
    void take_web_info(const document& value);
    void take_root(const document& root);
    [[nodiscard]] bool is_requested(const document& object) const;
    [[nodiscard]] const document* find_media(const document& root);
    [[nodiscard]] bool is_own_record(const document& object) const;
    [[nodiscard]] const document* find_first(
        const document& root, const std::function<bool(const document&)>& is_match,
        std::string_view skipped);
    bool note(answer_media media);

    /// Bound on the values that are searched for a record, in all documents together. A page of 1
    /// MB has about ten thousand.
    static constexpr std::size_t values_max = 200'000;
    /// Bound on the records that are read: each root has one, and roots can contain roots.
    static constexpr int records_max = 100;

    const link& reel_;
    std::size_t values_left_ = values_max;
    int records_left_ = records_max;
    parsed_answer answer_;
};

/// Names of the members with a post's data.
inline constexpr const char* polaris_key = "xig_polaris_media";
inline constexpr const char* web_info_key = "xdt_api__v1__media__shortcode__web_info";

}  // namespace reelsd::platform
