#pragma once

#include "data_blocks.hpp"
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::platform {

/// What data says of the wanted post.
struct post_reading {
    answer_media media = answer_media::absent;
    /// The title of the page error, when gated. In the platform's language.
    std::string page_error = {};
    /// With answer_media::video.
    std::optional<post> subject = {};
};

/// Takes the members of a document one by one and keeps the weightiest word on the wanted post. The
/// names of members, not where they stand, say what they are.
class post_reader {
public:
    /// `wanted` outlives this.
    explicit post_reader(const link& wanted) : wanted_{wanted} {}

    /// Takes a member if it is the answer to one of the queries that we know.
    void take(const std::string& key, const document& value);

    /// Takes every member of every object below `root`.
    void take_all(const document& root);

    /// Takes records of the wanted post below `root` by their own members, under whichever names
    /// they are stored. For data in which no member with a known name was found.
    void take_unnamed(const document& root);

    /// Data of the post that is no JSON.
    void take_unreadable() { note(answer_media::unreadable); }

    [[nodiscard]] bool has_found_nothing() const { return reading_.media == answer_media::absent; }

    [[nodiscard]] post_reading result() && { return std::move(reading_); }

private:
    void take_web_info(const document& value);
    void take_root(const document& root);
    [[nodiscard]] bool is_wanted(const document& object) const;
    [[nodiscard]] const document* find_media(const document& root);
    [[nodiscard]] bool is_own_record(const document& object) const;
    [[nodiscard]] const document* find_first(
        const document& root, const std::function<bool(const document&)>& is_match,
        std::string_view skipped);
    bool note(answer_media what);

    /// Values looked at for a post's record, of all documents together: a page of 1 MB has some
    /// ten thousand.
    static constexpr std::size_t values_max = 200'000;
    /// Records that are read: each root finds one, and roots may stand in roots.
    static constexpr int records_max = 100;

    const link& wanted_;
    std::size_t values_left_ = values_max;
    int records_left_ = records_max;
    post_reading reading_;
};

/// The names under which the data of a post stands.
inline constexpr const char* polaris_key = "xig_polaris_media";
inline constexpr const char* web_info_key = "xdt_api__v1__media__shortcode__web_info";

}  // namespace reelsd::platform
