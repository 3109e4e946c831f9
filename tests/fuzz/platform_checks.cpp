#include "platform_checks.hpp"

#include "platform/answer_parser.hpp"
#include "platform/http_resolvers.hpp"
#include "platform/media_reader.hpp"
#include "support/paths.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/yt_dlp_resolver.hpp>

#include <algorithm>
#include <optional>

namespace reelsd::fuzz {
namespace {

using namespace platform;

constexpr const char* wanted_code = "DYexample01";

/// The post of all golden files, as links name it.
const std::vector<link>& wanted_links() {
    static const std::vector<link> links = [] {
        auto slide = post_link(wanted_code);
        slide.img_index = 3;
        return std::vector<link>{
            post_link(wanted_code), slide, post_link(wanted_code + std::string(28, 'k'))};
    }();
    return links;
}

bool is_address(const std::string& text) {
    const bool has_scheme = text.starts_with("https://") || text.starts_with("http://");
    return has_scheme &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// Neither invalid UTF-8, for which dump() throws, nor U+0000, which PostgreSQL cannot store.
bool is_storable(const json& value) {
    try {
        return value.dump().find("\\u0000") == std::string::npos ||
               value.dump().find("\\\\u0000") != std::string::npos;
    } catch (const json::exception&) {
        return false;
    }
}

bool is_count(const std::optional<std::int64_t>& count) {
    return !count || *count >= 0;
}

std::string violation_of(const post& subject, const link& target) {
    if (subject.code != target.code && subject.code != public_code(target.code))
        return "another post: " + subject.code;
    if (subject.url != post_link(subject.code).canonical_url()) return "a strange link";
    const auto* media = std::get_if<remote_media>(&subject.media);
    if (media == nullptr || !is_address(media->url)) return "no address of a video";
    if (!media->sound_url.empty() && !is_address(media->sound_url)) return "a strange sound";
    if (subject.thumbnail_url && !is_address(*subject.thumbnail_url)) return "a strange thumbnail";
    if (!is_count(subject.like_count) || !is_count(subject.comment_count) ||
        !is_count(subject.view_count))
        return "a negative count";
    const auto& slide = subject.carousel;
    if (slide && (slide->index < 1 || slide->index > slide->count)) return "no such slide";
    for (const auto* words : {&subject.hashtags, &subject.mentions}) {
        if (std::find(words->begin(), words->end(), "") != words->end()) return "an empty word";
    }
    return is_storable(platform_meta_of(subject)) ? "" : "text that can't be stored";
}

bool has_video(answer_media media) {
    return media == answer_media::video || media == answer_media::video_in_tracks;
}

/// Guarantees for all shapes.
std::string violation_of(
    answer_media media, const std::string& page_error, const std::optional<post>& subject,
    const link& target) {
    if (subject.has_value() != has_video(media)) return "a video without a post";
    if (!page_error.empty() && media != answer_media::gated) return "a page error, but not gated";
    if (!is_storable(page_error)) return "a page error that cannot be stored";
    return subject ? violation_of(*subject, target) : "";
}

/// With `signals.takes_tracks`.
std::string violation_of(const answer_classification& classification, answer_media media) {
    if (classification.failure.has_value() == has_video(media))
        return "the classification does not match";
    return classification.failure && classification.reason.empty() ? "a failure without a reason"
                                                                   : "";
}

/// Calls `read` for each requested link. Returns the first violation, and whether a post was found.
reading read_for_each(const std::function<reading(const link&)>& read) {
    reading all;
    for (const auto& target : wanted_links()) {
        auto outcome = read(target);
        all.accepted = all.accepted || outcome.accepted;
        if (all.violation.empty()) all.violation = std::move(outcome.violation);
    }
    return all;
}

reading read_page(std::string_view html) {
    return read_for_each([&](const link& target) -> reading {
        const auto page = parse_page(html, target);
        auto broken = violation_of(page.media, page.page_error, page.subject, target);
        if (broken.empty())
            broken = violation_of(
                classify(
                    {.kind = answer_kind::page,
                     .route = page.route,
                     .media = page.media,
                     .takes_tracks = true}),
                page.media);
        return {.violation = std::move(broken), .accepted = page.subject.has_value()};
    });
}

reading read_answer(std::string_view body) {
    return read_for_each([&](const link& target) -> reading {
        const auto answer = parse_query(body, target);
        auto broken = violation_of(answer.media, answer.page_error, answer.subject, target);
        if (platform_error_of(body) != answer.platform_error) broken = "two different errors";
        if (broken.empty())
            broken = violation_of(
                classify(
                    {.kind = answer_kind::query,
                     .media = answer.media,
                     .platform_error = answer.platform_error,
                     .takes_tracks = true}),
                answer.media);
        return {.violation = std::move(broken), .accepted = answer.subject.has_value()};
    });
}

reading read_embed(std::string_view html) {
    return read_for_each([&](const link& target) -> reading {
        const auto embed = parse_embed(html, target);
        auto broken = violation_of(embed.media, {}, embed.subject, target);
        if (broken.empty())
            broken = violation_of(
                classify({.kind = answer_kind::embed, .media = embed.media, .takes_tracks = true}),
                embed.media);
        return {.violation = std::move(broken), .accepted = embed.subject.has_value()};
    });
}

reading read_yt_dlp(std::string_view output) {
    return read_for_each([&](const link& target) -> reading {
        const auto parsed = parse_yt_dlp(output, target);
        // Its separate tracks are not joined: there is no post.
        const auto media = parsed.media == answer_media::video_in_tracks
                               ? answer_media::video_without_url
                               : parsed.media;
        return {
            .violation = violation_of(media, {}, parsed.subject, target),
            .accepted = parsed.subject.has_value()};
    });
}

reading read_messages(std::string_view output) {
    constexpr std::size_t detail_bytes_max = 500;
    const auto none = classify_yt_dlp(1, output);
    const auto& detail = none.why.detail();
    const bool is_plain =
        std::all_of(detail.begin(), detail.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!is_plain || detail.size() > detail_bytes_max)
        return {.violation = "a detail that cannot be logged"};
    const bool needs_confirmation = none.needs_confirmation;
    if (needs_confirmation && none.why.code() != errc::video_unavailable)
        return {.violation = "only a missing post may need confirmation"};
    const auto version = yt_dlp_version_in(output);
    return {.accepted = !version.empty() && !is_outdated_yt_dlp(version)};
}

bool is_whole_link(const link& found) {
    constexpr int slides_max = 100;
    const auto is_allowed = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '-' || c == '_';
    };
    return found.code.size() >= 5 && found.code.size() <= 48 &&
           std::all_of(found.code.begin(), found.code.end(), is_allowed) &&
           found.img_index.value_or(1) >= 1 && found.img_index.value_or(1) <= slides_max;
}

/// A link that was accepted is accepted again in its canonical form.
reading read_link(std::string_view text) {
    const auto found = parse_link(text);
    if (!found) {
        const bool is_expected = found.error().code() == errc::invalid_argument &&
                                 found.error().detail().starts_with("URL must be ");
        return {.violation = is_expected ? "" : "no expected message"};
    }
    if (!is_whole_link(*found)) return {.violation = "no link", .accepted = true};
    auto plain = *found;
    plain.img_index.reset();
    const auto again = parse_link(found->canonical_url());
    const bool is_same = again && *again == plain;
    return {.violation = is_same ? "" : "another link", .accepted = true};
}

reading read_redirect(std::string_view location) {
    static const auto from = net::url::parse("https://www.instagram.com/reel/DYexample01/").value();
    reading all;
    for (const auto& sought : wanted_links()) {
        const auto leads = redirect_of(from, location, sought);
        const auto target = from.resolve(location);
        const bool stays = target && (target->origin() == from.origin() ||
                                      net::has_suffix(target->host(), "instagram.com"));
        if (leads != answer_redirect::elsewhere && !stays) all.violation = "another site";
        all.accepted = all.accepted || leads == answer_redirect::post;
    }
    const auto shared = post_behind(from, location);
    if (!shared) return all;
    all.accepted = true;
    if (shared->kind != link_kind::post || !is_whole_link(*shared)) all.violation = "no post";
    return all;
}

reading read_manifest(std::string_view text) {
    const auto tracks = best_tracks(text);
    if (!tracks) return {};
    const bool is_whole = is_address(tracks->picture_url) &&
                          (tracks->sound_url.empty() || is_address(tracks->sound_url));
    return {.violation = is_whole ? "" : "a strange track", .accepted = true};
}

/// The number of a code.
reading read_ids(std::string_view text) {
    const auto id = media_id_of(text);
    if (!id) return {};
    const bool is_number = !id->empty() && std::ranges::all_of(*id, is_digit);
    return {.violation = is_number ? "" : "no number", .accepted = true};
}

}  // namespace

std::vector<reader_check> platform_checks() {
    const std::filesystem::path source{REELSD_SOURCE_DIR};
    const auto golden = source / "tests/golden/platform";
    const auto own = source / "tests/fuzz/platform_corpus";
    return {
        {"page", files_of(golden, ".html"), read_page},
        {"query", files_of(golden / "queries", ".txt"), read_answer},
        {"embed", files_of(golden / "embeds", ".html"), read_embed},
        {"yt-dlp", files_of(golden / "yt_dlp", ".txt"), read_yt_dlp},
        {"manifest", lines_of(own / "manifests.txt"), read_manifest},
        {"yt-dlp messages", lines_of(own / "yt_dlp_messages.txt"), read_messages},
        {"link", lines_of(own / "links.txt"), read_link},
        {"redirect", lines_of(own / "redirects.txt"), read_redirect},
        {"id", lines_of(own / "ids.txt"), read_ids},
    };
}

}  // namespace reelsd::fuzz
