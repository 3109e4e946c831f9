#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>
#include <reelsd/model/result_document.hpp>

#include <string>

/// Valid values, of which a test changes one place.
namespace reelsd::model::testing {

inline file_facts make_file() {
    file_facts file;
    file.probe = {
        .duration_seconds = 12.5,
        .width = 720,
        .height = 1280,
        .frame_rate = 30,
        .video_codec = "h264",
        .audio_codec = "aac"};
    file.size_bytes = 1'234'567;
    file.sha256 = std::string(64, 'a');
    return file;
}

inline json make_post() {
    return {
        {"platform", "instagram"},
        {"code", "DYa0IXPgnP5"},
        {"url", "https://www.instagram.com/reel/DYa0IXPgnP5/"},
        {"author", "beans.and.more"},
        {"author_name", nullptr},
        {"author_verified", nullptr},
        {"caption", nullptr},
        {"hashtags", json::array()},
        {"mentions", json::array()},
        {"like_count", nullptr},
        {"comment_count", nullptr},
        {"view_count", nullptr},
        {"posted_at", nullptr},
        {"thumbnail_url", nullptr},
        {"location", nullptr},
        {"music_title", nullptr},
        {"music_artist", nullptr}};
}

inline findings make_findings() {
    findings reported;
    reported.provider = "local";
    reported.model_name = "reelsd-local-1";
    reported.visual.description = "A vertical video.";
    reported.visual.texts = {{"3 TIPS", 0.5, 4}, {"Fresh beans", 4.25, 8}};
    reported.audio.segments = {{"here are three tips", 0.25, 2}, {"use fresh beans", 4, 6}};
    reported.audio.language = "en";
    reported.audio.has_music = true;
    reported.audio.music_description = "Quiet music.";
    reported.content.summary = "Here are three tips.";
    reported.content.topics = {"fresh beans"};
    reported.content.hooks = {"3 TIPS"};
    reported.content.call_to_action = "follow for more";
    reported.content.key_moments = {{0.5, "Opens."}, {4.25, "Scene 2 begins."}};
    reported.metadata = {.format = "tutorial", .mood = sentiment::positive, .target_audience = ""};
    return reported;
}

inline media::analysis_report make_report() {
    media::analysis_report report;
    report.probe = make_file().probe;
    report.audio.silent = false;
    report.picture = {
        .cuts = {}, .motion = 0.03, .brightness = 0.5, .saturation = 0.4, .colours = {"brown"}};
    return report;
}

}  // namespace reelsd::model::testing
