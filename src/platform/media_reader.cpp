#include "media_reader.hpp"

#include <reelsd/base/text.hpp>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <tuple>
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

/// The progressive file with the largest area. Sizes are often missing; then type 101 is the best.
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

struct media_files {
    answer_media kind = answer_media::video;
    remote_media media;
};

/// One file with picture and sound if there is any, else the tracks of a manifest.
std::optional<media_files> best_files(const document& media) {
    if (auto url = best_video_url(media)) return media_files{.media = {.url = *std::move(url)}};
    const auto manifest = text_at(media, {"video_dash_manifest"});
    auto tracks = manifest ? best_tracks(*manifest) : std::nullopt;
    if (!tracks) return std::nullopt;
    return media_files{
        .kind = answer_media::video_in_tracks,
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

/// The post without its files.
post describe_media(const document& media, const document& slide, const link& reel) {
    auto subject = new_post(reel, text_at(media, {"code"}));
    subject.author = text_at(media, {"user", "username"}).value_or("");
    subject.author_name = text_at(media, {"user", "full_name"});
    subject.author_verified = truth_at(media, {"user", "is_verified"});
    set_caption(subject, caption_of(media));
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

std::optional<std::string> embedded_caption(const document& media) {
    const auto& edges = array_at(media, {"edge_media_to_caption", "edges"});
    return edges.empty() ? std::nullopt : text_at(edges.front(), {"node", "text"});
}

std::optional<std::int64_t> edge_count(
    const document& media, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (const auto count = count_at(media, {name, "count"})) return count;
    }
    return std::nullopt;
}

std::optional<std::string> embedded_thumbnail(const document& slide, const document& media) {
    for (const auto* from : {&slide, &media}) {
        for (const char* name : {"display_url", "thumbnail_src"}) {
            if (auto url = text_at(*from, {name}); url && is_http_url(*url)) return url;
        }
    }
    return std::nullopt;
}

/// The post without its files.
post describe_embedded(const document& media, const document& slide, const link& reel) {
    auto subject = new_post(reel, text_at(media, {"shortcode"}));
    subject.author = text_at(media, {"owner", "username"}).value_or("");
    subject.author_name = text_at(media, {"owner", "full_name"});
    subject.author_verified = truth_at(media, {"owner", "is_verified"});
    set_caption(subject, embedded_caption(media));
    subject.like_count = edge_count(media, {"edge_media_preview_like", "edge_liked_by"});
    subject.comment_count = edge_count(
        media,
        {"edge_media_to_parent_comment", "edge_media_to_comment", "edge_media_preview_comment"});
    subject.view_count = count_at(media, {"video_play_count"});
    if (!subject.view_count) subject.view_count = count_at(media, {"video_view_count"});
    subject.posted_at = posted_at(count_at(media, {"taken_at_timestamp"}));
    subject.thumbnail_url = embedded_thumbnail(slide, media);
    subject.location = text_at(media, {"location", "name"});
    subject.music_title = text_at(media, {"clips_music_attribution_info", "song_name"});
    subject.music_artist = text_at(media, {"clips_music_attribution_info", "artist_name"});
    return subject;
}

constexpr auto code_names = std::to_array<const char*>({"code", "shortcode"});

/// Observed manifests have 5 to 30 KB.
constexpr std::size_t manifest_bytes_max = std::size_t{1024} * 1024;

/// `kind` is "video" for contentType="video" or mimeType="video/mp4", on either element.
bool is_of_kind(const pugi::xml_node& set, const pugi::xml_node& track, std::string_view kind) {
    for (const auto& node : {track, set}) {
        if (const auto type = node.attribute("contentType")) return type.value() == kind;
        const std::string_view mime = node.attribute("mimeType").value();
        if (!mime.empty()) return mime.substr(0, mime.find('/')) == kind;
    }
    return false;
}

/// The URL of a track; empty if it is not http or https.
std::string address_of(const pugi::xml_node& track) {
    std::string address{trimmed(track.child("BaseURL").text().get())};
    return is_http_url(address) ? address : std::string{};
}

bool is_h264(const pugi::xml_node& set, const pugi::xml_node& track) {
    for (const auto& node : {track, set}) {
        const std::string_view codecs = node.attribute("codecs").value();
        if (!codecs.empty()) return codecs.starts_with("avc1") || codecs.starts_with("avc3");
    }
    return false;
}

/// Criteria of comparison, the most important first.
using rank = std::tuple<bool, std::int64_t, std::int64_t>;

struct candidate {
    rank worth;
    std::string address;
};

std::int64_t number_at(const pugi::xml_node& node, const char* name) {
    constexpr std::int64_t number_max = 1'000'000'000;
    const auto number = node.attribute(name).as_llong();
    return number < 0 || number > number_max ? 0 : number;
}

void keep_better(std::optional<candidate>& best, candidate next) {
    if (next.address.empty()) return;
    if (!best || next.worth > best->worth) best = std::move(next);
}

}  // namespace

bool is_http_url(const std::string& text) {
    // Signed URLs have about 1,500; servers accept at most this in a request line.
    constexpr std::size_t bytes_max = 8192;
    const bool has_scheme = text.starts_with("https://") || text.starts_with("http://");
    return has_scheme && text.size() <= bytes_max &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

std::optional<time_point> posted_at(std::optional<std::int64_t> seconds) {
    // The year 2100.
    constexpr std::int64_t seconds_max = 4'102'444'800;
    if (!seconds || *seconds == 0 || *seconds > seconds_max) return std::nullopt;
    return time_point{std::chrono::seconds{*seconds}};
}

post new_post(const link& reel, std::optional<std::string> code) {
    post subject;
    subject.code = code ? *std::move(code) : std::string{public_code(reel.code)};
    subject.url = post_link(subject.code).canonical_url();
    return subject;
}

void set_caption(post& subject, std::optional<std::string> caption) {
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

std::size_t chosen_slide(
    std::size_t count, const link& reel, const std::function<bool(std::size_t)>& is_video_at) {
    if (reel.img_index && *reel.img_index >= 1) {
        const auto named = static_cast<std::size_t>(*reel.img_index) - 1;
        if (named < count) return named;
    }
    for (std::size_t index = 0; index < count; ++index) {
        if (is_video_at(index)) return index;
    }
    return 0;
}

carousel_position position_of(std::size_t index, std::size_t count) {
    return {.index = static_cast<int>(index) + 1, .count = static_cast<int>(count)};
}

bool has_media_fields(const document& object) {
    return member(object, {"video_versions"}) != nullptr ||
           member(object, {"image_versions2"}) != nullptr ||
           member(object, {"carousel_media"}) != nullptr;
}

parsed_answer read_media_object(const document& media, const link& reel) {
    const auto& slides = array_at(media, {"carousel_media"});
    const auto type = count_at(media, {"media_type"});
    if (slides.empty() && type == carousel_type) return {.media = answer_media::unreadable};

    const auto is_video_at = [&](std::size_t index) { return is_video(slides[index]); };
    const auto index = slides.empty() ? 0 : chosen_slide(slides.size(), reel, is_video_at);
    const document& slide = slides.empty() ? media : slides[index];
    if (!is_video(slide)) {
        const auto slide_type = count_at(slide, {"media_type"});
        const bool is_known = !slide_type || *slide_type == photo_type;
        return {.media = is_known ? answer_media::photo : answer_media::unreadable};
    }
    auto files = best_files(slide);
    if (!files) return {.media = answer_media::video_without_url};

    auto subject = describe_media(media, slide, reel);
    subject.media = std::move(files->media);
    if (!slides.empty()) subject.carousel = position_of(index, slides.size());
    return {.media = files->kind, .subject = std::move(subject)};
}

bool is_embedded_media(const document& object) {
    return member(object, {"shortcode"}) != nullptr &&
           (member(object, {"is_video"}) != nullptr || member(object, {"__typename"}) != nullptr);
}

parsed_answer read_embedded_media(const document& media, const link& reel) {
    const auto slides = slides_of(media);
    if (slides.empty() && type_of(media) == "GraphSidecar")
        return {.media = answer_media::unreadable};

    const auto is_video_at = [&](std::size_t index) { return is_embedded_video(*slides[index]); };
    const auto index = slides.empty() ? 0 : chosen_slide(slides.size(), reel, is_video_at);
    const document& slide = slides.empty() ? media : *slides[index];
    if (!is_embedded_video(slide)) {
        const bool is_known =
            type_of(slide) == "GraphImage" || truth_at(slide, {"is_video"}).has_value();
        return {.media = is_known ? answer_media::photo : answer_media::unreadable};
    }
    auto url = text_at(slide, {"video_url"});
    if (!url || !is_http_url(*url)) return {.media = answer_media::video_without_url};

    auto subject = describe_embedded(media, slide, reel);
    subject.media = remote_media{.url = *std::move(url)};
    if (!slides.empty()) subject.carousel = position_of(index, slides.size());
    return {.media = answer_media::video, .subject = std::move(subject)};
}

void post_reader::take(const std::string& key, const document& value) {
    if (answer_.media == answer_media::video) return;  // Nothing is more informative.
    if (key == web_info_key) return take_web_info(value);
    if (key == polaris_key || key == embedded_key || key == retired_key) {
        if (!value.is_null()) return take_root(value);
        note(answer_media::null_root);
    }
}

void post_reader::take_web_info(const document& value) {
    const auto& items = array_at(value, {"items"});
    if (items.empty()) note(answer_media::null_root);
    for (const auto& item : items) take_root(item);
}

void post_reader::take_root(const document& root) {
    if (const auto* media = find_media(root)) {
        if (records_left_ == 0) return;
        --records_left_;
        auto read = is_embedded_media(*media) ? read_embedded_media(*media, reel_)
                                              : read_media_object(*media, reel_);
        if (note(read.media)) answer_.subject = std::move(read.subject);
        return;
    }
    const bool names_a_post = std::ranges::any_of(
        code_names, [&](const char* name) { return member(root, {name}) != nullptr; });
    if (!is_requested(root) && names_a_post) {
        note(answer_media::other_post);
        return;
    }
    if (const auto* page_error = member(root, {"gating_ruling"})) {
        if (note(answer_media::gated))
            answer_.page_error = text_at(*page_error, {"title"}).value_or("");
        return;
    }
    const bool is_withheld = root.is_object() && root.contains("if_not_gated_logged_out") &&
                             root["if_not_gated_logged_out"].is_null();
    note(is_withheld ? answer_media::withheld : answer_media::unreadable);
}

/// An object with two codes matches only if both do.
bool post_reader::is_requested(const document& object) const {
    bool is_named = false;
    for (const char* name : code_names) {
        const auto* value = member(object, {name});
        if (value == nullptr || !value->is_string()) continue;
        const auto& code = value->get_ref<const std::string&>();
        if (code != reel_.code && code != public_code(reel_.code)) return false;
        is_named = true;
    }
    return is_named;
}

void post_reader::take_unnamed(const document& root) {
    if (find_media(root) != nullptr) return take_root(root);
    // Pages for throttled clients mention the post in the author's list of posts.
    const auto is_own = [this](const document& at) { return is_own_record(at); };
    const auto* record = find_first(root, is_own, "edges");
    if (record != nullptr) take_root(*record);
}

/// Whether an object names the requested post and has one more fact. The route's parameters have
/// none.
bool post_reader::is_own_record(const document& object) const {
    constexpr auto facts = std::to_array<const char*>({"pk", "media_type", "user", "__typename"});
    return is_requested(object) && std::ranges::any_of(facts, [&](const char* name) {
               return member(object, {name}) != nullptr;
           });
}

/// Wrappers and lists of the author's posts also have the code, but only the record has media.
const document* post_reader::find_media(const document& root) {
    return find_first(
        root,
        [this](const document& at) {
            return (has_media_fields(at) || is_embedded_media(at)) && is_requested(at);
        },
        {});
}

/// Breadth first, because higher objects are more relevant. Omits members called `skipped`.
const document* post_reader::find_first(
    const document& root, const std::function<bool(const document&)>& is_match,
    std::string_view skipped) {
    std::deque<const document*> open{&root};
    while (!open.empty()) {
        const document& at = *open.front();
        open.pop_front();
        // Roots can contain roots: without a bound for all, the cost would be quadratic.
        if (at.size() >= values_left_) return nullptr;
        values_left_ -= at.size();
        if (at.is_object() && is_match(at)) return &at;
        for (auto child = at.begin(); child != at.end(); ++child) {
            const bool is_skipped = at.is_object() && child.key() == skipped;
            if (child->is_structured() && !is_skipped) open.push_back(&*child);
        }
    }
    return nullptr;
}

/// Keeps the most informative media. Returns whether `media` is it.
bool post_reader::note(answer_media media) {
    if (media < answer_.media || (media == answer_.media && media == answer_media::video))
        return false;
    answer_.media = media;
    answer_.page_error.clear();
    return true;
}

std::optional<dash_tracks> best_tracks(std::string_view manifest) {
    if (manifest.size() > manifest_bytes_max) return std::nullopt;
    pugi::xml_document parsed;
    // Without document types and processing instructions no entity is expanded.
    if (!parsed.load_buffer(manifest.data(), manifest.size(), pugi::parse_default))
        return std::nullopt;
    std::optional<candidate> picture;
    std::optional<candidate> sound;
    for (const auto& set : parsed.child("MPD").child("Period").children("AdaptationSet")) {
        for (const auto& track : set.children("Representation")) {
            const auto bits = number_at(track, "bandwidth");
            if (is_of_kind(set, track, "video")) {
                const auto area = number_at(track, "width") * number_at(track, "height");
                keep_better(picture, {{is_h264(set, track), area, bits}, address_of(track)});
            } else if (is_of_kind(set, track, "audio")) {
                keep_better(sound, {{true, 0, bits}, address_of(track)});
            }
        }
    }
    if (!picture) return std::nullopt;
    return dash_tracks{
        .picture_url = std::move(picture->address),
        .sound_url = sound ? std::move(sound->address) : std::string{}};
}

}  // namespace reelsd::platform
