#include "phrases.hpp"
#include "reading.hpp"
#include "words.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace reelsd::model {

namespace {

// Both lists sorted: they are searched by halving. Words with one clear colour in most sentences;
// "like", "kind" and "well" have too many uses.
constexpr auto praise = std::to_array<std::string_view>(
    {"amazing",
     "awesome",
     "beautiful",
     "best",
     "better",
     "blessed",
     "brilliant",
     "calm",
     "celebrate",
     "charming",
     "cheerful",
     "comfy",
     "congratulations",
     "cozy",
     "cute",
     "delicious",
     "delight",
     "delightful",
     "easy",
     "elegant",
     "enjoy",
     "enjoyed",
     "epic",
     "excellent",
     "excited",
     "exciting",
     "fabulous",
     "fantastic",
     "favorite",
     "favourite",
     "flawless",
     "fresh",
     "fun",
     "funny",
     "glad",
     "glorious",
     "gorgeous",
     "grateful",
     "great",
     "happiness",
     "happy",
     "healthy",
     "hilarious",
     "incredible",
     "inspiring",
     "joy",
     "laugh",
     "love",
     "loved",
     "lovely",
     "loves",
     "lucky",
     "magical",
     "nice",
     "peaceful",
     "perfect",
     "pleasant",
     "proud",
     "recommend",
     "relaxing",
     "satisfying",
     "simple",
     "smile",
     "smooth",
     "stunning",
     "success",
     "super",
     "sweet",
     "tasty",
     "thank",
     "thankful",
     "thanks",
     "win",
     "winner",
     "wonderful",
     "yummy"});
constexpr auto complaint = std::to_array<std::string_view>(
    {"abuse",      "afraid",    "angry",        "annoying",      "anxiety",  "anxious",
     "awful",      "bad",       "boring",       "broke",         "broken",   "crash",
     "crisis",     "cruel",     "cry",          "crying",        "danger",   "dangerous",
     "dead",       "death",     "disappointed", "disappointing", "disaster", "disgusting",
     "dumb",       "fail",      "failed",       "failing",       "failure",  "fake",
     "fear",       "fraud",     "frustrated",   "frustrating",   "garbage",  "gross",
     "guilty",     "hate",      "hated",        "hates",         "horrible", "hurt",
     "hurts",      "ill",       "injured",      "killed",        "lazy",     "lie",
     "lies",       "lonely",    "lose",         "losing",        "loss",     "lost",
     "mad",        "miserable", "mistake",      "mistakes",      "nasty",    "nightmare",
     "overpriced", "overrated", "pain",         "painful",       "panic",    "poor",
     "problem",    "regret",    "ruined",       "sad",           "scam",     "scared",
     "scary",      "shame",     "sick",         "struggle",      "stupid",   "suffer",
     "suffering",  "terrible",  "tired",        "toxic",         "trash",    "ugly",
     "unfair",     "unhappy",   "upset",        "useless",       "victim",   "violence",
     "war",        "waste",     "weak",         "worse",         "worst",    "wrong"});
constexpr auto denials = std::to_array<std::string_view>(
    {"can't", "don't", "isn't", "never", "no", "not", "wasn't", "without", "won't"});
static_assert(std::is_sorted(praise.begin(), praise.end()));
static_assert(std::is_sorted(complaint.begin(), complaint.end()));
static_assert(std::is_sorted(denials.begin(), denials.end()));

constexpr std::size_t denial_reach = 2;  // "not very good"
constexpr int hits_min = 2;

bool stands_in(std::span<const std::string_view> sorted, std::string_view word) {
    return std::binary_search(sorted.begin(), sorted.end(), word);
}

/// Whether a denial stands just before the word at `at`.
bool is_denied(const std::vector<std::string>& words, std::size_t at) {
    const auto begin = at - std::min(at, denial_reach);
    return std::any_of(
        words.begin() + static_cast<std::ptrdiff_t>(begin),
        words.begin() + static_cast<std::ptrdiff_t>(at),
        [](const std::string& word) { return stands_in(denials, word); });
}

struct tally {
    int praise = 0;
    int complaint = 0;
};

void count(tally& into, const std::vector<std::string>& words) {
    for (std::size_t at = 0; at < words.size(); ++at) {
        const bool praises = stands_in(praise, words[at]);
        if (!praises && !stands_in(complaint, words[at])) continue;
        // "not bad" is no complaint, but no praise either; "not good" complains.
        if (!is_denied(words, at)) {
            ++(praises ? into.praise : into.complaint);
        } else if (praises) {
            ++into.complaint;
        }
    }
}

struct evidence {
    std::string_view format;
    std::span<const std::string_view> phrases;
    std::span<const std::string_view> hashtags;
};

constexpr auto advertisement_phrases = std::to_array<std::string_view>(
    {"shop now",
     "order now",
     "buy now",
     "use code",
     "use my code",
     "promo code",
     "discount code",
     "free shipping",
     "percent off",
     "limited offer",
     "paid partnership",
     "sponsored by",
     "available now at"});
constexpr auto advertisement_tags =
    std::to_array<std::string_view>({"ad", "ads", "advertisement", "sponsored", "werbung"});
constexpr auto recipe_phrases = std::to_array<std::string_view>(
    {"recipe", "recipes", "ingredients", "tablespoon", "tablespoons", "teaspoon", "preheat"});
constexpr auto recipe_tags =
    std::to_array<std::string_view>({"recipe", "recipes", "easyrecipe", "easyrecipes"});
constexpr auto tutorial_phrases = std::to_array<std::string_view>(
    {"how to",
     "how i",
     "tutorial",
     "tip",
     "tips",
     "step by step",
     "step one",
     "step two",
     "step 1",
     "step 2",
     "ways to",
     "hack",
     "hacks",
     "diy",
     "here's how",
     "this is how"});
constexpr auto tutorial_tags =
    std::to_array<std::string_view>({"tutorial", "howto", "diy", "tips", "lifehack", "lifehacks"});
constexpr auto review_phrases = std::to_array<std::string_view>(
    {"review", "unboxing", "first impressions", "worth it", "pros and cons"});
constexpr auto review_tags =
    std::to_array<std::string_view>({"review", "unboxing", "productreview"});
constexpr auto interview_phrases = std::to_array<std::string_view>(
    {"interview", "podcast", "thanks for having me", "welcome to the show", "in this episode"});
constexpr auto interview_tags =
    std::to_array<std::string_view>({"interview", "podcast", "podcastclips"});
constexpr auto vlog_phrases = std::to_array<std::string_view>(
    {"vlog",
     "day in my life",
     "day in the life",
     "come with me",
     "get ready with me",
     "grwm",
     "spend the day with me",
     "week in my life"});
constexpr auto vlog_tags =
    std::to_array<std::string_view>({"vlog", "minivlog", "dayinmylife", "grwm", "dayinthelife"});
constexpr auto skit_phrases = std::to_array<std::string_view>({"pov"});
constexpr auto skit_tags =
    std::to_array<std::string_view>({"skit", "comedy", "sketch", "pov", "parody"});
constexpr auto news_phrases =
    std::to_array<std::string_view>({"breaking news", "according to officials"});
constexpr auto news_tags = std::to_array<std::string_view>({"news", "breakingnews"});

// Of formats with the same amount of evidence the first wins.
constexpr auto formats = std::to_array<evidence>({
    {"advertisement", advertisement_phrases, advertisement_tags},
    {"recipe", recipe_phrases, recipe_tags},
    {"tutorial", tutorial_phrases, tutorial_tags},
    {"review", review_phrases, review_tags},
    {"interview", interview_phrases, interview_tags},
    {"vlog", vlog_phrases, vlog_tags},
    {"skit", skit_phrases, skit_tags},
    {"news", news_phrases, news_tags},
});

constexpr auto audiences = std::to_array<std::string_view>(
    {"artists",     "athletes",    "beginners",   "business owners",
     "busy people", "cat owners",  "creators",    "dads",
     "designers",   "developers",  "dog owners",  "entrepreneurs",
     "families",    "founders",    "freelancers", "gamers",
     "homeowners",  "kids",        "moms",        "musicians",
     "new moms",    "new parents", "parents",     "photographers",
     "programmers", "runners",     "seniors",     "small businesses",
     "students",    "teachers",    "teens",       "travelers",
     "travellers",  "vegans",      "vegetarians", "women over 40"});

}  // namespace

sentiment mood_of(const reading& text) {
    tally hits;
    for (const auto& one : text.sentences) count(hits, words_of(one.text));
    if (hits.praise + hits.complaint < hits_min) return sentiment::neutral;
    if (hits.praise >= 3 * hits.complaint) return sentiment::positive;
    if (hits.complaint >= 3 * hits.praise) return sentiment::negative;
    return sentiment::mixed;
}

std::string format_of(const reading& text) {
    std::string_view best;
    std::ptrdiff_t best_hits = 0;
    for (const auto& format : formats) {
        std::ptrdiff_t hits = 0;
        for (const auto& one : text.sentences) {
            const auto words = words_of(one.text);
            hits += std::count_if(
                format.phrases.begin(), format.phrases.end(), [&words](std::string_view phrase) {
                    return find_phrase(words, phrase).has_value();
                });
        }
        for (const auto& hashtag : text.hashtags) {
            hits += std::count(format.hashtags.begin(), format.hashtags.end(), hashtag);
        }
        if (hits <= best_hits) continue;
        best = format.format;
        best_hits = hits;
    }
    return std::string{best};
}

std::string audience_of(const reading& text) {
    for (const auto& one : text.sentences) {
        const auto words = words_of(one.text);
        for (const auto audience : audiences) {
            if (find_phrase(words, "for " + std::string{audience})) return std::string{audience};
        }
    }
    return {};
}

}  // namespace reelsd::model
