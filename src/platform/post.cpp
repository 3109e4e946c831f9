#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/platform/post.hpp>

#include <unictype.h>

#include <cstddef>
#include <set>

namespace reelsd::platform {
namespace {

template <class Value>
json or_null(const std::optional<Value>& value) {
    return value ? json(*value) : json(nullptr);
}

constexpr std::size_t hashtag_characters_max = 150;
constexpr std::size_t user_characters_max = 30;
/// A caption has at most 2,200 characters, and therefore fewer words.
constexpr std::size_t words_max = 1000;

/// Letters, marks, digits and underscore of any script.
bool is_hashtag_character(ucs4_t c) {
    if (c < 0x80) return c == '_' || is_alphanumeric(static_cast<char>(c));
    constexpr std::uint32_t classes = UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_M | UC_CATEGORY_MASK_N;
    // Variation selectors are marks, but belong to the preceding emoji.
    if (c >= 0xfe00 && c <= 0xfe0f) return false;
    return uc_is_general_category_withtable(c, classes);
}

bool is_user_character(ucs4_t c) {
    return c == '.' || (c < 0x80 && is_hashtag_character(c));
}

struct word_rule {
    ucs4_t sign;
    bool (*continues)(ucs4_t);
    /// Characters before the sign after which it begins no word.
    bool (*disqualifies)(ucs4_t);
    std::size_t characters_max;
    bool trims_dots;
};

std::vector<std::string> words_of(std::string_view caption, const word_rule& rule) {
    const auto text = code_points_of(caption);
    std::vector<std::string> words;
    std::set<std::string> known;
    for (std::size_t at = 0; at < text.size() && words.size() < words_max; ++at) {
        if (text[at] != rule.sign || (at > 0 && rule.disqualifies(text[at - 1]))) continue;
        const auto from = at + 1;
        auto to = from;
        while (to < text.size() && to - from < rule.characters_max && rule.continues(text[to]))
            ++to;
        at = to - 1;
        while (rule.trims_dots && to > from && text[to - 1] == '.') --to;
        auto word = composed(utf8_of(text.substr(from, to - from)));
        if (!word.empty() && known.insert(word).second) words.push_back(std::move(word));
    }
    return words;
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

std::vector<std::string> hashtags_of(std::string_view caption) {
    constexpr word_rule rule{
        .sign = '#',
        .continues = &is_hashtag_character,
        .disqualifies = [](ucs4_t c) { return c == '&' || is_hashtag_character(c); },
        .characters_max = hashtag_characters_max,
        .trims_dots = false};
    return words_of(caption, rule);
}

std::vector<std::string> mentions_of(std::string_view caption) {
    constexpr word_rule rule{
        .sign = '@',
        .continues = &is_user_character,
        .disqualifies = [](ucs4_t c) { return c == '.' || is_hashtag_character(c); },
        .characters_max = user_characters_max,
        .trims_dots = true};
    return words_of(caption, rule);
}

}  // namespace reelsd::platform
