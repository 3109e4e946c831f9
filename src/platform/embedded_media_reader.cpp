#include "embedded_media_reader.hpp"

#include "json_access.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace reelsd::platform {
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
