#include "phrases.hpp"
#include "reading.hpp"
#include "words.hpp"

#include <array>

namespace reelsd::model {

namespace {

// What a viewer is asked to do, the plainest request first. All phrases are requests wherever they
// stand; a bare "follow" or "save" is not ("follow these steps", "save money").
constexpr auto requests = std::to_array<std::string_view>(
    {"follow for more",
     "follow for",
     "follow me",
     "follow us",
     "follow along for",
     "follow my",
     "follow our",
     "follow to see",
     "hit follow",
     "hit that follow",
     "give me a follow",
     "subscribe",
     "link in bio",
     "link in my bio",
     "link in the bio",
     "link in our bio",
     "link below",
     "click the link",
     "tap the link",
     "shop now",
     "buy now",
     "order now",
     "order yours",
     "get yours",
     "book now",
     "sign up",
     "download the app",
     "download now",
     "join us",
     "join now",
     "learn more",
     "use code",
     "use my code",
     "visit our",
     "visit my",
     "comment below",
     "comment down below",
     "drop a comment",
     "leave a comment",
     "tell me in the comments",
     "tell us in the comments",
     "let me know in the comments",
     "let me know",
     "let us know",
     "comment the word",
     "save this",
     "save for later",
     "save it for later",
     "share this",
     "share with",
     "share it with",
     "send this to",
     "send to a friend",
     "tag a friend",
     "tag someone",
     "tag your",
     "double tap",
     "hit the like",
     "hit like",
     "like and follow",
     "like and share",
     "like this video",
     "swipe up",
     "swipe left",
     "swipe right",
     "swipe to",
     "tap here",
     "tap to",
     "tap below",
     "dm me",
     "dm us",
     "message me",
     "message us",
     "turn on notifications",
     "stay tuned",
     "try it yourself",
     "don't forget to",
     "make sure to follow"});

// Speech has no full stops: a short utterance is given whole, of a long one what follows the
// request.
constexpr std::size_t whole_words_max = 14;
constexpr std::size_t tail_words_max = 12;

std::optional<std::string> request_in(std::string_view text) {
    const auto words = words_of(text);
    const auto place = find_any_phrase(words, requests);
    if (!place) return std::nullopt;
    if (words.size() <= whole_words_max) return std::string{text};

    std::string tail;
    const auto end = std::min(words.size(), place->first + tail_words_max);
    for (auto at = place->first; at < end; ++at) tail += (tail.empty() ? "" : " ") + words[at];
    return tail;
}

}  // namespace

bool is_call_to_action(std::string_view sentence) {
    return find_any_phrase(words_of(sentence), requests).has_value();
}

std::optional<std::string> call_to_action(const reading& text) {
    // The sentences come screen, speech, caption: what is shown is spelled best and seen by
    // everybody.
    for (const auto& one : text.sentences) {
        if (auto found = request_in(one.text)) return found;
    }
    return std::nullopt;
}

}  // namespace reelsd::model
