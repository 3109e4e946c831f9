#include "../clean_text.hpp"
#include "../words.hpp"
#include <reelsd/model/passage_finder.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace reelsd::model {
namespace {

/// A shorter stem than stem_of(): "baking", "baked" and "bakes" are equal.
std::string short_stem(std::string_view word) {
    auto stem = stem_of(word);
    for (const std::string_view ending : {"ing", "ed", "er", "ly"}) {
        if (stem.size() < ending.size() + 3 || !stem.ends_with(ending)) continue;
        stem.erase(stem.size() - ending.size());
        const bool doubled = stem.size() > 3 && stem.back() == stem[stem.size() - 2];
        if (doubled) stem.pop_back();
        break;
    }
    if (stem.size() > 3 && stem.ends_with('e')) stem.pop_back();
    if (stem.size() > 3 && stem.ends_with('y')) stem.back() = 'i';
    return stem;
}

/// Without an article or preposition: "huile" of "l'huile". As PostgreSQL, which indexes both.
std::string_view without_elision(std::string_view word) {
    constexpr auto elided = std::to_array<std::string_view>(
        {"all", "c", "d",    "dall",   "dell", "gl",    "j", "l",    "lorsqu", "jusqu",
         "m",   "n", "nell", "puisqu", "qu",   "quell", "s", "sull", "t",      "un"});
    const auto at = word.find('\'');
    const bool is_elision =
        at != word.npos && std::ranges::find(elided, word.substr(0, at)) != elided.end();
    return is_elision ? word.substr(at + 1) : word;
}

/// The stems of the content words, or of all words if there is no other: "buy" is a stop word, but
/// searches find it.
std::vector<std::string> short_stems_of(std::string_view text) {
    std::vector<std::string> content;
    std::vector<std::string> all;
    for (const auto& word : words_of(search_text(text))) {
        auto stem = short_stem(without_elision(word));
        if (stem.empty()) continue;
        if (!is_stop_word(word)) content.push_back(stem);
        all.push_back(std::move(stem));
    }
    auto& stems = content.empty() ? all : content;
    std::ranges::sort(stems);
    const auto repeated = std::ranges::unique(stems);
    stems.erase(repeated.begin(), repeated.end());
    return std::move(stems);
}

}  // namespace

std::string query_text(std::string_view query) {
    return clean_text(query, query.size());
}

passage_finder::passage_finder(std::string_view query, concept_vector concepts)
    : stems_{short_stems_of(query)}, concepts_{std::move(concepts)} {}

const stored_passage* passage_finder::best_of(const std::vector<stored_passage>& passages) const {
    const stored_passage* best = nullptr;
    double best_relevance = -1;
    for (const auto& passage : passages) {
        // Among passages with as many words, one with a time is the better proof. Without words it
        // must not be much less similar.
        const auto words = words_in(passage.text);
        const double lead = words > 0 ? 0.5 : 0.2;
        const double similarity_share = 0.99 - lead;
        const double least = static_cast<double>(words) + (passage.seconds ? lead : 0);
        if (least + similarity_share <= best_relevance) continue;  // Saves time.
        const auto relevance =
            least + similarity(concepts_, concepts_of(passage)) * similarity_share;
        if (relevance <= best_relevance) continue;
        best = &passage;
        best_relevance = relevance;
    }
    return best;
}

double passage_finder::relevance_of(std::string_view text, const concept_vector& concepts) const {
    constexpr double similarity_share = 0.99;
    return static_cast<double>(words_in(text)) + similarity(concepts_, concepts) * similarity_share;
}

/// How many of the query's words occur in `text`, each counted once.
std::size_t passage_finder::words_in(std::string_view text) const {
    if (stems_.empty()) return 0;
    std::vector<bool> met(stems_.size());
    const bool is_ascii = std::ranges::all_of(
        text, [](char octet) { return static_cast<unsigned char>(octet) < 0x80; });
    // For ASCII, words are the same, and most texts are ASCII.
    const auto compared = is_ascii ? std::string{} : indexed_text(text);
    const auto note = [&](std::string_view word) {
        // Stemming is expensive, so first letters are compared first.
        const auto may_match = [word](const std::string& stem) { return stem[0] == word[0]; };
        if (std::ranges::none_of(stems_, may_match)) return;
        const auto stem = std::ranges::find(stems_, short_stem(word));
        if (stem != stems_.end()) met[static_cast<std::size_t>(stem - stems_.begin())] = true;
    };
    for_each_word(is_ascii ? text : compared, [&](std::string_view word) {
        note(without_elision(word));
        const auto apostrophe = word.find('\'');  // Of a suffix: "Istanbul'da".
        if (apostrophe != word.npos) note(word.substr(0, apostrophe));
    });
    return static_cast<std::size_t>(std::ranges::count(met, true));
}

}  // namespace reelsd::model
