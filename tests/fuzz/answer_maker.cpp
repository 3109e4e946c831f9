#include "answer_maker.hpp"

#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

namespace reelsd::fuzz {
namespace {

using namespace std::string_view_literals;

/// Larger answers would only slow the search; sizes are tested elsewhere.
constexpr std::size_t answer_bytes_max = 64 * 1024;

/// Tokens of parsers other than JSON, and bytes that are not text.
constexpr auto tokens = std::to_array<std::string_view>(
    {"<script"sv,
     "<script type=\"application/json\" data-sjs>"sv,
     "<script type='application/json"sv,
     "</script>"sv,
     "</script"sv,
     "<!--"sv,
     "\"contextJSON\":\""sv,
     "\"contextJSON\":null"sv,
     "__additionalDataLoaded('extra',{"sv,
     "\"canonicalRouteName\":\"comet.igweb."sv,
     "for (;;);"sv,
     "\\\"video_url\\\":\\\"https:\\\\\\/\\\\\\/a\\/"sv,
     "\\\"shortcode\\\":\\\"DYexample01\\\""sv,
     "<video class=\"EmbeddedMediaVideo\" src=\"https://a/"sv,
     "\"EmbeddedMediaVideo\""sv,
     "<span class=\"UsernameText\">"sv,
     "data-media-type=\"GraphVideo\""sv,
     "&amp;"sv,
     "\\u0000"sv,
     "\\ud83d"sv,
     "\\ude00"sv,
     "\\u00"sv,
     "\\\\\\\\"sv,
     "\\"sv,
     "\""sv,
     "'"sv,
     "\n"sv,
     "\r\n"sv,
     "\0"sv,
     "\xff"sv,
     "\xc3"sv,
     "\xed\xa0\xbd"sv,
     "\xf4\x90\x80\x80"sv,
     "{"sv,
     "}"sv,
     "["sv,
     "]"sv,
     ":"sv,
     ","sv,
     "null"sv,
     "-1"sv,
     "1e999"sv,
     "18446744073709551616"sv,
     "https://www.instagram.com/reel/DYexample01/"sv,
     "/p/DYexample01/"sv,
     "/accounts/login/"sv,
     "@127.0.0.1"sv,
     "%2f"sv,
     ".."sv,
     "?img_index=2"sv,
     "#"sv,
     "ERROR: [Instagram] DYexample01: "sv,
     "WARNING: "sv,
     "HTTP Error 429"sv});

/// Upper bound for a corpus of pages.
constexpr std::size_t words_max = 1000;
constexpr std::size_t word_bytes_max = 64;

/// Names and short texts of JSON documents, each once.
std::vector<std::string> words_in(const std::vector<std::string>& corpus) {
    std::set<std::string, std::less<>> words;
    for (const std::string_view text : corpus) {
        for (auto at = text.find('"'); at < text.size() && words.size() < words_max;) {
            const auto end = text.find('"', at + 1);
            if (end == std::string_view::npos) break;
            const auto word = text.substr(at + 1, end - at - 1);
            if (!word.empty() && word.size() <= word_bytes_max) words.emplace(word);
            at = text.find('"', end + 1);
        }
    }
    return {words.begin(), words.end()};
}

}  // namespace

answer_maker::answer_maker(std::uint64_t seed, std::vector<std::string> corpus)
    : seed_{seed}, corpus_{std::move(corpus)}, words_{words_in(corpus_)} {}

const std::string& answer_maker::any_of_corpus() {
    return corpus_[below(corpus_.size(), dice_)];
}

/// The start of this answer and the end of another one.
void answer_maker::join(std::string& text) {
    const auto& other = any_of_corpus();
    text.resize(below(text.size() + 1, dice_));
    text.append(other, below(other.size() + 1, dice_));
}

void answer_maker::change_bytes(std::string& text) {
    const auto at = below(text.size() + 1, dice_);
    const auto from = below(text.size() + 1, dice_);
    switch (below(8, dice_)) {
        case 0:
            if (at < text.size()) text[at] = static_cast<char>(below(256, dice_));
            break;
        case 1: text.erase(at, below(16, dice_)); break;
        case 2: text.erase(at, below(text.size() + 1, dice_)); break;
        case 3: text.insert(at, tokens[below(tokens.size(), dice_)]); break;
        case 4: text.insert(at, text.substr(from, below(4096, dice_))); break;
        case 5: join(text); break;
        case 6: {
            const auto part = text.substr(from, below(40, dice_) + 1);
            for (auto count = below(200, dice_); count > 0; --count) text.insert(at, part);
            break;
        }
        default: text.resize(at); break;
    }
}

std::string answer_maker::make(std::size_t number) {
    if (number < corpus_.size()) return corpus_[number];
    dice_.seed(seed_ * 1'000'003 + number);
    auto text = any_of_corpus();
    // A few stay valid, for readers that reject nearly everything else.
    if (below(4, dice_) == 0 && change_json(text, words_, json_change::one_value, dice_))
        return text;
    // Half of the others are changed as JSON, to get past the JSON parser.
    for (auto count = below(4, dice_) + 1; count > 0; --count) {
        if (!change_json(text, words_, json_change::any, dice_)) change_bytes(text);
    }
    if (below(2, dice_) == 0) {
        for (auto count = below(4, dice_) + 1; count > 0; --count) change_bytes(text);
    }
    if (text.size() > answer_bytes_max) text.resize(answer_bytes_max);
    return text;
}

}  // namespace reelsd::fuzz
