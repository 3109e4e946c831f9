#pragma once

#include "answer_parser.hpp"
#include "json_access.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Readers of media records, with the parts that they share. Pure.
namespace reelsd::platform {

/// Whether an object has the members of a post's own record, which a mention of the post lacks.
[[nodiscard]] bool has_media_fields(const document& object);

/// Reads the record that pages and the mobile API share. `media` is an object. The result is photo,
/// video_without_url, unreadable, or video or video_in_tracks with the post. Of a carousel, it
/// reads chosen_slide().
[[nodiscard]] parsed_answer read_media_object(const document& media, const link& reel);

/// Names of a post's record on embed pages, and of the same in a retired query.
inline constexpr const char* embedded_key = "shortcode_media";
inline constexpr const char* retired_key = "xdt_shortcode_media";

/// Whether an object is a post's own record in the shape of embed pages.
[[nodiscard]] bool is_embedded_media(const document& object);

/// Likewise for the record of an embed page. Type names may begin with "XDT".
[[nodiscard]] parsed_answer read_embedded_media(const document& media, const link& reel);

/// Whether `text` has the scheme http or https and is printable ASCII without whitespace. Does not
/// parse it.
[[nodiscard]] bool is_http_url(const std::string& text);

/// A post with its code and URL; without `code`, the public code of `reel`.
[[nodiscard]] post new_post(const link& reel, std::optional<std::string> code = {});

/// Empty when the seconds since 1970 are missing or out of range.
[[nodiscard]] std::optional<time_point> posted_at(std::optional<std::int64_t> seconds);

void set_caption(post& subject, std::optional<std::string> caption);

/// A file of a video, with picture and sound.
struct video_version {
    std::string url;
    std::int64_t area = 0;      ///< In pixels; 0: unknown, which is common.
    bool is_preferred = false;  ///< Among versions of the same size.
};

/// `width` times `height` of an object, 0 when one is missing.
[[nodiscard]] std::int64_t area_at(const document& object);

[[nodiscard]] bool is_better(
    const video_version& candidate, const std::optional<video_version>& best);

/// The slide of a carousel to read, from 0: the one that the link names, else the first video, else
/// 0. `count` is above 0.
[[nodiscard]] std::size_t chosen_slide(
    std::size_t count, const link& reel, const std::function<bool(std::size_t)>& is_video);

/// `index` from 0.
[[nodiscard]] carousel_position position_of(std::size_t index, std::size_t count);

/// The tracks of a video that is also, or only, served as separate files.
struct dash_tracks {
    std::string picture_url;
    std::string sound_url;  ///< Empty: the video is silent.
};

/// The best tracks of a manifest (MPD, XML): H.264 first, which every player decodes, then the
/// largest picture, then the highest bit rate. Only whole files, no segments. Empty when it is
/// not a manifest or has no picture. Any input is valid; cost is linear. Source: ISO/IEC 23009-1.
[[nodiscard]] std::optional<dash_tracks> best_tracks(std::string_view manifest);

/// Reads the members of documents and keeps the most informative data of the requested post.
/// Members are recognised by their names, at any depth.
class post_reader {
public:
    /// `reel` outlives this.
    explicit post_reader(const link& reel) : reel_{reel} {}

    /// Reads a member if its name is that of a known query.
    void take(const std::string& key, const document& value);

    /// Reads every member of every object below `root`.
    void take_all(const document& root) {
        visit_members(root, [this](const auto& name, const auto& value) { take(name, value); });
    }

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
