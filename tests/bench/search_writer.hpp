#pragma once

#include "support/paths.hpp"
#include <reelsd/base/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

/// Generates reels and searches. Each reel is about one of the subjects in topics.txt, with words
/// of other subjects and common words between them, so that common words and concepts have
/// thousands of postings.
namespace reelsd::bench {

/// The words of each subject.
inline std::vector<std::vector<std::string>> read_subjects() {
    std::ifstream file{std::string{REELSD_SOURCE_DIR} + "/src/model/embedding/topics.txt"};
    std::vector<std::vector<std::string>> subjects;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("topic ")) continue;
        std::istringstream fields{line.substr(line.find(": ") + 2)};
        auto& words = subjects.emplace_back();
        for (std::string word; fields >> word;) {
            std::replace(word.begin(), word.end(), '_', ' ');
            words.push_back(word);
        }
    }
    return subjects;
}

inline std::vector<std::string> read_sentences() {
    std::ifstream file{std::string{REELSD_SOURCE_DIR} + "/tests/bench/search_set/reels.txt"};
    std::vector<std::string> sentences;
    for (std::string line; std::getline(file, line);) {
        std::istringstream parts{line};
        for (std::string part; std::getline(parts, part, '|');) sentences.push_back(part);
    }
    return sentences;
}

class writer {
public:
    explicit writer(std::uint32_t seed) : engine_{seed} {}

    std::size_t below(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>{0, count - 1}(engine_);
    }
    const std::string& any(const std::vector<std::string>& words) {
        return words[below(words.size())];
    }
    /// Some subjects are popular: the first ones are chosen more often.
    const std::vector<std::string>& subject() {
        const auto share = std::uniform_real_distribution<>{0, 1}(engine_);
        return subjects_[static_cast<std::size_t>(
            share * share * static_cast<double>(subjects_.size()))];
    }

    std::string sentence(const std::vector<std::string>& about) {
        std::string text;
        for (int i = 0; i < 7; ++i) {
            text += (i % 3 == 2 ? any(subject()) : any(about)) + ' ';
        }
        return text + any(filler_);
    }

    json result() {
        const auto about = subject();
        json segments = json::array();
        std::string transcript;
        for (int i = 0; i < 12; ++i) {
            const auto text = i % 4 == 3 ? any(sentences_) : sentence(about);
            segments.push_back({{"text", text}, {"start_seconds", i * 3.0}});
        }
        json texts = json::array();
        for (int i = 0; i < 5; ++i) {
            texts.push_back({{"text", sentence(about)}, {"start_seconds", i * 6.0}});
        }
        return {
            {"visual", {{"text_segments", texts}}},
            {"audio", {{"segments", segments}}},
            {"content", {{"summary", sentence(about)}, {"topics", {any(about), any(about)}}}},
            {"platform_meta", {{"author", any(about)}, {"caption", sentence(about)}}}};
    }

    std::string query() {
        const auto about = subject();
        std::string text;
        const auto words = 2 + below(4);
        for (std::size_t i = 0; i < words; ++i) text += any(about) + ' ';
        return text + any(filler_);
    }

private:
    std::mt19937 engine_;
    std::vector<std::vector<std::string>> subjects_ = read_subjects();
    std::vector<std::string> sentences_ = read_sentences();
    std::vector<std::string> filler_{
        "easy",
        "best",
        "new",
        "home",
        "day",
        "people",
        "video",
        "life",
        "tips",
        "way",
        "minute",
        "money",
        "great",
        "time",
        "start",
        "feel",
        "world",
        "today"};
};

}  // namespace reelsd::bench
