#include <reelsd/base/json.hpp>
#include <reelsd/platform/post.hpp>

namespace reelsd::platform {
namespace {

template <class Value>
json or_null(const std::optional<Value>& value) {
    return value ? json(*value) : json(nullptr);
}

}  // namespace

json platform_meta_of(const post& subject) {
    json meta = json::object();
    meta["platform"] = "instagram";
    meta["code"] = subject.code;
    meta["url"] = subject.url;
    meta["author"] = subject.author;
    meta["author_name"] = or_null(subject.author_name);
    meta["author_verified"] = or_null(subject.author_verified);
    meta["caption"] = or_null(subject.caption);
    meta["hashtags"] = subject.hashtags;
    meta["mentions"] = subject.mentions;
    meta["like_count"] = or_null(subject.like_count);
    meta["comment_count"] = or_null(subject.comment_count);
    meta["view_count"] = or_null(subject.view_count);
    meta["posted_at"] = subject.posted_at ? json(to_rfc3339(*subject.posted_at)) : json(nullptr);
    meta["thumbnail_url"] = or_null(subject.thumbnail_url);
    meta["location"] = or_null(subject.location);
    meta["music_title"] = or_null(subject.music_title);
    meta["music_artist"] = or_null(subject.music_artist);
    return meta;
}

}  // namespace reelsd::platform
