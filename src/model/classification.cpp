#include "corpus.hpp"
#include "words.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace reelsd::model {

namespace {

// Phrases are lists separated by "|". clang-format would give each its own line.
// clang-format off

// Requests to the viewer wherever they occur, the plainest first. A bare "follow" or "save" is none
// ("follow these steps", "save money").
constexpr std::string_view requests =
    "follow for|follow me|follow us|follow along for|follow my|follow our|follow to see|hit follow|"
    "hit that follow|give me a follow|make sure to follow|subscribe|link in bio|link in my bio|"
    "link in the bio|link in our bio|link below|click the link|tap the link|shop now|buy now|"
    "order now|order yours|get yours|book now|sign up|download the app|download now|join us|"
    "join now|learn more|use code|use my code|visit our|visit my|comment below|comment down below|"
    "drop a comment|leave a comment|in the comments|let me know|let us know|comment the word|"
    "save this|save for later|save it for later|share this|share with|share it with|send this to|"
    "send to a friend|tag a friend|tag someone|tag your|double tap|hit the like|hit like|"
    "like and follow|like and share|like this video|swipe up|swipe left|swipe right|swipe to|"
    "tap here|tap below|dm me|dm us|message me|message us|turn on notifications|stay tuned|"
    "try it yourself|don't forget to";

// Of formats with as much evidence the first wins. What begins with "#" is a hashtag alone; every
// other phrase counts as a hashtag too, without its blanks.
constexpr auto formats = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"advertisement",
     "shop now|order now|buy now|use code|use my code|promo code|discount code|free shipping|"
     "percent off|limited offer|paid partnership|sponsored by|available now at|#ad|#ads|"
     "#advertisement|#sponsored|#werbung"},
    {"recipe",
     "recipe|recipes|ingredients|tablespoon|tablespoons|teaspoon|preheat|#easyrecipe|#easyrecipes"},
    {"tutorial",
     "how to|how i|tutorial|tip|tips|step by step|step one|step two|step 1|step 2|ways to|hack|"
     "hacks|diy|here's how|this is how|#lifehack|#lifehacks"},
    {"review", "review|unboxing|first impressions|worth it|pros and cons|#productreview"},
    {"interview",
     "podcast|thanks for having me|welcome to the show|in this episode|#interview|#podcastclips"},
    {"vlog",
     "vlog|day in my life|day in the life|come with me|get ready with me|grwm|week in my life|"
     "spend the day with me|#minivlog"},
    {"skit", "pov|#skit|#comedy|#sketch|#parody"},
    {"news", "breaking news|according to officials|#news"},
});
// clang-format on

/// Calls `use` with each phrase of a list until it returns true; whether it did.
template <class Use>
bool any_phrase(std::string_view list, const Use& use) {
    while (!list.empty()) {
        const auto end = std::min(list.find('|'), list.size());
        if (use(list.substr(0, end))) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

/// The text's words with a blank before and after each, so that phrases are substrings.
std::string spaced_words(std::string_view text) {
    std::string spaced{' '};
    for (const auto& word : words_of(text)) spaced += word + ' ';
    return spaced;
}

/// Where one of `phrases` begins in spaced words.
std::optional<std::size_t> find_phrase(const std::string& spaced, std::string_view phrases) {
    auto at = std::string::npos;
    any_phrase(phrases, [&](std::string_view phrase) {
        at = spaced.find(' ' + std::string{phrase} + ' ');
        return at != std::string::npos;
    });
    return at == std::string::npos ? std::nullopt : std::optional{at};
}

// Speech has no full stops: a short utterance is quoted whole, of a long one what follows the
// request.
constexpr std::ptrdiff_t whole_words_max = 14;
constexpr std::size_t tail_words_max = 12;

std::optional<std::string> request_in(const std::string& text) {
    const auto spaced = spaced_words(text);
    const auto at = find_phrase(spaced, requests);
    if (!at) return std::nullopt;
    const bool is_short = std::count(spaced.begin(), spaced.end(), ' ') <= whole_words_max + 1;
    return is_short ? text : first_words(std::string_view{spaced}.substr(*at), tail_words_max);
}

/// How many phrases of a format occur in the sentences and hashtags.
int evidence_for(
    std::string_view phrases, const std::vector<std::string>& sentences,
    const std::vector<std::string>& hashtags) {
    int evidence = 0;
    any_phrase(phrases, [&](std::string_view phrase) {
        std::string tag{phrase};
        std::erase_if(tag, [](char byte) { return byte == ' ' || byte == '#'; });
        evidence += static_cast<int>(std::count(hashtags.begin(), hashtags.end(), tag));
        for (const auto& sentence : sentences) evidence += find_phrase(sentence, phrase) ? 1 : 0;
        return false;
    });
    return evidence;
}

}  // namespace

bool is_call_to_action(std::string_view sentence) {
    return find_phrase(spaced_words(sentence), requests).has_value();
}

std::optional<std::string> call_to_action(const corpus& text) {
    // Text on screen is spelled best and comes first.
    for (const auto& one : text.sentences) {
        if (auto found = request_in(one.text)) return found;
    }
    return std::nullopt;
}

std::string format_of(const corpus& text) {
    std::vector<std::string> sentences;
    for (const auto& one : text.sentences) sentences.push_back(spaced_words(one.text));
    std::string_view best;
    int most = 0;
    for (const auto& [format, phrases] : formats) {
        const auto evidence = evidence_for(phrases, sentences, text.hashtags);
        if (evidence > most) best = format;
        most = std::max(most, evidence);
    }
    return std::string{best};
}

}  // namespace reelsd::model
