#include "transcript.hpp"

#include <algorithm>
#include <cstddef>

namespace reelsd::media::sound {

namespace {

constexpr double words_per_second_min = 1.5;
constexpr double long_words_per_second_min = 0.6;
constexpr std::size_t long_word_letters = 4;
constexpr double phrase_pause_seconds = 0.5;

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::vector<std::string_view> long_words(std::span<const transcript_word> words) {
    std::vector<std::string_view> result;
    for (const transcript_word& word : words) {
        if (word.text.size() >= long_word_letters) result.push_back(word.text);
    }
    return result;
}

}  // namespace

std::string spoken_text(std::string_view word) {
    if (word.empty() || word.front() == '<' || word.front() == '[' || word.front() == '+')
        return {};
    std::string text{word.substr(0, word.find('('))};
    std::transform(text.begin(), text.end(), text.begin(), lower);
    return text;
}

bool plausible_speech(std::span<const transcript_word> words, double seconds) {
    if (seconds <= 0) return false;
    return static_cast<double>(words.size()) >= words_per_second_min * seconds &&
           static_cast<double>(long_words(words).size()) >= long_words_per_second_min * seconds;
}

double mean_posterior(std::span<const transcript_word> words) {
    if (words.empty()) return 0;
    double sum = 0;
    for (const transcript_word& word : words) sum += word.posterior;
    return sum / static_cast<double>(words.size());
}

double agreement(std::span<const transcript_word> first, std::span<const transcript_word> second) {
    const auto left = long_words(first);
    const auto right = long_words(second);
    if (left.empty() || right.empty()) return 0;
    // common[j]: length of the longest common sequence so far with the first j words on the right.
    std::vector<std::size_t> common(right.size() + 1, 0);
    for (const std::string_view word : left) {
        std::size_t diagonal = 0;
        for (std::size_t j = 0; j < right.size(); ++j) {
            const std::size_t above = common[j + 1];
            common[j + 1] = word == right[j] ? diagonal + 1 : std::max(above, common[j]);
            diagonal = above;
        }
    }
    return static_cast<double>(common.back()) /
           static_cast<double>(std::max(left.size(), right.size()));
}

std::vector<timed_text> phrases(std::span<const transcript_word> words) {
    std::vector<timed_text> result;
    for (const transcript_word& word : words) {
        const bool goes_on = !result.empty() &&
                             word.start_seconds - result.back().end_seconds <= phrase_pause_seconds;
        if (goes_on) {
            result.back().text += ' ' + word.text;
            result.back().end_seconds = word.end_seconds;
        } else {
            result.push_back({word.text, word.start_seconds, word.end_seconds});
        }
    }
    return result;
}

}  // namespace reelsd::media::sound
