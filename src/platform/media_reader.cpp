#include "media_reader.hpp"

#include "dash_manifest.hpp"
#include "json_access.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace reelsd::platform {
namespace {

// Values of `media_type`.
constexpr std::int64_t photo_type = 1;
constexpr std::int64_t video_type = 2;
constexpr std::int64_t carousel_type = 8;

bool is_video(const document& media) {
    const auto type = count_at(media, {"media_type"});
    if (type) return *type == video_type;
    return !array_at(media, {"video_versions"}).empty();
}

/// The best progressive file: largest area; sizes are often missing, then type 101 is the one.
std::optional<std::string> best_video_url(const document& media) {
    std::optional<video_version> best;
    for (const auto& entry : array_at(media, {"video_versions"})) {
        auto url = text_at(entry, {"url"});
        if (!url || !is_http_url(*url)) continue;
        video_version candidate{
            .url = *std::move(url),
            .area = area_at(entry),
            .is_preferred = count_at(entry, {"type"}) == 101};
        if (is_better(candidate, best)) best = std::move(candidate);
    }
    if (!best) return std::nullopt;
    return std::move(best->url);
}

struct readable_file {
    answer_media what = answer_media::video;
    remote_media media;
};

/// One file of picture and sound if there is any, else the tracks of a manifest.
std::optional<readable_file> best_file(const document& media) {
    if (auto url = best_video_url(media)) return readable_file{.media = {.url = *std::move(url)}};
    const auto manifest = text_at(media, {"video_dash_manifest"});
    auto tracks = manifest ? best_tracks(*manifest) : std::nullopt;
    if (!tracks) return std::nullopt;
    return readable_file{
        .what = answer_media::video_in_tracks,
        .media = {
            .url = std::move(tracks->picture_url), .sound_url = std::move(tracks->sound_url)}};
}

std::optional<std::string> thumbnail_of(const document& media) {
    for (const auto& candidate : array_at(media, {"image_versions2", "candidates"})) {
        if (auto url = text_at(candidate, {"url"}); url && is_http_url(*url)) return url;
    }
    auto url = text_at(media, {"display_uri"});
    return url && is_http_url(*url) ? url : std::nullopt;
}

std::optional<std::string> caption_of(const document& media) {
    if (auto text = text_at(media, {"caption", "text"})) return text;
    if (auto text = text_at(media, {"caption"})) return text;
    return text_at(media, {"caption_text"});
}

std::optional<std::int64_t> view_count_of(const document& media) {
    for (const char* name : {"play_count", "ig_play_count", "fb_play_count", "view_count"}) {
        if (const auto count = count_at(media, {name})) return count;
    }
    return std::nullopt;
}

/// Everything but the file.
post describe(const document& media, const document& slide, const link& wanted) {
    post subject;
    subject.code = text_at(media, {"code"}).value_or(std::string{public_code(wanted.code)});
    subject.url = post_link(subject.code).canonical_url();
    subject.author = text_at(media, {"user", "username"}).value_or("");
    subject.author_name = text_at(media, {"user", "full_name"});
    subject.author_verified = truth_at(media, {"user", "is_verified"});
    put_caption(subject, caption_of(media));
    if (!truth_at(media, {"like_and_view_counts_disabled"}).value_or(false)) {
        subject.like_count = count_at(media, {"like_count"});
        subject.view_count = view_count_of(media);
    }
    subject.comment_count = count_at(media, {"comment_count"});
    subject.posted_at = posted_at(count_at(media, {"taken_at"}));
    subject.thumbnail_url = thumbnail_of(slide);
    if (!subject.thumbnail_url) subject.thumbnail_url = thumbnail_of(media);
    subject.location = text_at(media, {"location", "name"});
    const auto* music = member(media, {"clips_metadata", "music_info", "music_asset_info"});
    if (music != nullptr) {
        subject.music_title = text_at(*music, {"title"});
        subject.music_artist = text_at(*music, {"display_artist"});
    }
    return subject;
}

/// The wanted slide, from 0: the one that the link names if it is there, else the first video, else
/// the first. `slides` is not empty.
std::size_t slide_index(const document& slides, const link& wanted) {
    if (const auto named = named_slide(slides.size(), wanted)) return *named;
    for (std::size_t index = 0; index < slides.size(); ++index) {
        if (is_video(slides[index])) return index;
    }
    return 0;
}

}  // namespace

bool is_http_url(const std::string& text) {
    // Signed ones have some 1,500; servers take no more than this in a request's first line.
    constexpr std::size_t bytes_max = 8192;
    const bool has_scheme = text.starts_with("https://") || text.starts_with("http://");
    return has_scheme && text.size() <= bytes_max &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::optional<time_point> posted_at(std::optional<std::int64_t> seconds) {
    // The platform opened in 2010; the year 2100 is 4102444800.
    constexpr std::int64_t seconds_max = 4'102'444'800;
    if (!seconds || *seconds == 0 || *seconds > seconds_max) return std::nullopt;
    return time_point{std::chrono::seconds{*seconds}};
}

void put_caption(post& subject, std::optional<std::string> caption) {
    subject.caption = std::move(caption);
    if (!subject.caption) return;
    subject.hashtags = hashtags_of(*subject.caption);
    subject.mentions = mentions_of(*subject.caption);
}

std::int64_t area_at(const document& object) {
    constexpr std::int64_t side_max = 100'000;
    const auto width = std::min(count_at(object, {"width"}).value_or(0), side_max);
    const auto height = std::min(count_at(object, {"height"}).value_or(0), side_max);
    return width * height;
}

bool is_better(const video_version& candidate, const std::optional<video_version>& best) {
    if (!best || candidate.area != best->area) return !best || candidate.area > best->area;
    return candidate.is_preferred && !best->is_preferred;
}

std::optional<std::size_t> named_slide(std::size_t count, const link& wanted) {
    if (!wanted.img_index || *wanted.img_index < 1) return std::nullopt;
    const auto index = static_cast<std::size_t>(*wanted.img_index) - 1;
    return index < count ? std::optional{index} : std::nullopt;
}

bool has_media_fields(const document& object) {
    return member(object, {"video_versions"}) != nullptr ||
           member(object, {"image_versions2"}) != nullptr ||
           member(object, {"carousel_media"}) != nullptr;
}

read_media read_media_object(const document& media, const link& wanted) {
    const auto& slides = array_at(media, {"carousel_media"});
    const auto type = count_at(media, {"media_type"});
    if (slides.empty() && type == carousel_type) return {.what = answer_media::unreadable};

    const auto index = slides.empty() ? 0 : slide_index(slides, wanted);
    const document& slide = slides.empty() ? media : slides[index];
    if (!is_video(slide)) {
        const auto slide_type = count_at(slide, {"media_type"});
        const bool is_known = !slide_type || *slide_type == photo_type;
        return {.what = is_known ? answer_media::photo : answer_media::unreadable};
    }
    auto file = best_file(slide);
    if (!file) return {.what = answer_media::video_without_url};

    auto subject = describe(media, slide, wanted);
    subject.media = std::move(file->media);
    if (!slides.empty())
        subject.carousel = carousel_position{
            .index = static_cast<int>(index) + 1, .count = static_cast<int>(slides.size())};
    return {.what = file->what, .subject = std::move(subject)};
}

namespace {

/// "GraphVideo", "GraphImage" or "GraphSidecar"; empty when unknown.
std::string type_of(const document& media) {
    auto name = text_at(media, {"__typename"}).value_or("");
    if (name.starts_with("XDT")) name.erase(0, 3);
    return name;
}

bool is_embedded_video(const document& media) {
    return truth_at(media, {"is_video"}).value_or(type_of(media) == "GraphVideo");
}

std::vector<const document*> slides_of(const document& media) {
    std::vector<const document*> slides;
    for (const auto& edge : array_at(media, {"edge_sidecar_to_children", "edges"})) {
        if (const auto* node = member(edge, {"node"})) slides.push_back(node);
    }
    return slides;
}

std::size_t first_video(const std::vector<const document*>& slides) {
    for (std::size_t index = 0; index < slides.size(); ++index) {
        if (is_embedded_video(*slides[index])) return index;
    }
    return 0;
}

std::optional<std::string> embedded_caption(const document& media) {
    const auto& edges = array_at(media, {"edge_media_to_caption", "edges"});
    return edges.empty() ? std::nullopt : text_at(edges.front(), {"node", "text"});
}

std::optional<std::int64_t> first_count(
    const document& media, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (const auto count = count_at(media, {name, "count"})) return count;
    }
    return std::nullopt;
}

std::optional<std::string> thumbnail_of(const document& slide, const document& media) {
    for (const auto* from : {&slide, &media}) {
        for (const char* name : {"display_url", "thumbnail_src"}) {
            if (auto url = text_at(*from, {name}); url && is_http_url(*url)) return url;
        }
    }
    return std::nullopt;
}

/// Everything but the file.
post describe_embedded(const document& media, const document& slide, const link& wanted) {
    post subject;
    subject.code = text_at(media, {"shortcode"}).value_or(std::string{public_code(wanted.code)});
    subject.url = post_link(subject.code).canonical_url();
    subject.author = text_at(media, {"owner", "username"}).value_or("");
    subject.author_name = text_at(media, {"owner", "full_name"});
    subject.author_verified = truth_at(media, {"owner", "is_verified"});
    put_caption(subject, embedded_caption(media));
    subject.like_count = first_count(media, {"edge_media_preview_like", "edge_liked_by"});
    subject.comment_count = first_count(
        media,
        {"edge_media_to_parent_comment", "edge_media_to_comment", "edge_media_preview_comment"});
    subject.view_count = count_at(media, {"video_play_count"});
    if (!subject.view_count) subject.view_count = count_at(media, {"video_view_count"});
    subject.posted_at = posted_at(count_at(media, {"taken_at_timestamp"}));
    subject.thumbnail_url = thumbnail_of(slide, media);
    subject.location = text_at(media, {"location", "name"});
    subject.music_title = text_at(media, {"clips_music_attribution_info", "song_name"});
    subject.music_artist = text_at(media, {"clips_music_attribution_info", "artist_name"});
    return subject;
}

}  // namespace

bool is_embedded_media(const document& object) {
    return member(object, {"shortcode"}) != nullptr &&
           (member(object, {"is_video"}) != nullptr || member(object, {"__typename"}) != nullptr);
}

read_media read_embedded_media(const document& media, const link& wanted) {
    const auto slides = slides_of(media);
    if (slides.empty() && type_of(media) == "GraphSidecar")
        return {.what = answer_media::unreadable};

    const auto index =
        slides.empty() ? 0 : named_slide(slides.size(), wanted).value_or(first_video(slides));
    const document& slide = slides.empty() ? media : *slides[index];
    if (!is_embedded_video(slide)) {
        const bool is_known =
            type_of(slide) == "GraphImage" || truth_at(slide, {"is_video"}).has_value();
        return {.what = is_known ? answer_media::photo : answer_media::unreadable};
    }
    auto url = text_at(slide, {"video_url"});
    if (!url || !is_http_url(*url)) return {.what = answer_media::video_without_url};

    auto subject = describe_embedded(media, slide, wanted);
    subject.media = remote_media{.url = *std::move(url)};
    if (!slides.empty())
        subject.carousel = carousel_position{
            .index = static_cast<int>(index) + 1, .count = static_cast<int>(slides.size())};
    return {.what = answer_media::video, .subject = std::move(subject)};
}

}  // namespace reelsd::platform
