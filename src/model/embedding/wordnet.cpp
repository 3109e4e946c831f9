#include "wordnet.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

namespace reelsd::model {

namespace {

constexpr std::array<std::string_view, parts_of_speech> file_names{"noun", "verb", "adj", "adv"};

std::size_t index_of(part_of_speech part) noexcept {
    return static_cast<std::size_t>(part);
}

/// "n", "v", "a", "s" (a satellite adjective) or "r".
result<part_of_speech> part_from(char symbol) {
    switch (symbol) {
        case 'n': return part_of_speech::noun;
        case 'v': return part_of_speech::verb;
        case 'a':
        case 's': return part_of_speech::adjective;
        case 'r': return part_of_speech::adverb;
        default: return error{errc::internal, std::string{"a part of speech called "} + symbol};
    }
}

/// Byte offset in a data file -> index of its synset.
using offset_table = std::unordered_map<std::uint64_t, std::uint32_t>;

class wordnet_reader {
public:
    explicit wordnet_reader(std::filesystem::path folder) : folder_{std::move(folder)} {}

    result<wordnet> read() {
        // Pointers lead to synsets of all parts of speech, so all are numbered first.
        for (const auto step :
             {&wordnet_reader::number_synsets,
              &wordnet_reader::read_data,
              &wordnet_reader::read_index,
              &wordnet_reader::read_exceptions}) {
            for (const auto part : all_parts_of_speech) {
                if (const auto done = (this->*step)(part); !done) return done.error();
            }
        }
        if (const auto counted = read_counts(); !counted) return counted.error();
        return std::move(read_);
    }

private:
    [[nodiscard]] error broken(std::string_view name, std::string_view line) const {
        return error{
            errc::internal,
            (folder_ / name).string() + " cannot be read at: " + std::string{line.substr(0, 60)}};
    }

    /// Calls `take(line)` for each line of the file, except the licence, which is indented.
    template <class Take>
    result<void> each_line(const std::string& name, Take take) {
        std::ifstream file{folder_ / name};
        if (!file) return error{errc::internal, (folder_ / name).string() + " cannot be opened"};
        std::string line;
        while (std::getline(file, line)) {
            if (line.empty() || line.starts_with("  ")) continue;
            if (!take(line)) return broken(name, line);
        }
        return {};
    }

    [[nodiscard]] static std::string data_file(part_of_speech part) {
        return "data." + std::string{file_names[index_of(part)]};
    }

    result<void> number_synsets(part_of_speech part) {
        const auto part_index = index_of(part);
        read_.begins[part_index] = count_;
        auto numbered = each_line(data_file(part), [&](const std::string& line) {
            return offsets_[part_index].emplace(std::stoull(line), count_++).second;
        });
        read_.begins[part_index + 1] = count_;
        return numbered;
    }

    result<void> read_data(part_of_speech part) {
        return each_line(data_file(part), [&](const std::string& line) {
            auto synset = synset_from(line, part);
            if (!synset) return false;
            read_.synsets.push_back(std::move(*synset));
            return true;
        });
    }

    [[nodiscard]] result<synset> synset_from(const std::string& line, part_of_speech part) const {
        const auto bar = line.find(" | ");
        std::istringstream fields{line.substr(0, bar)};
        std::string skipped;
        std::string words;
        fields >> skipped >> skipped >> skipped >> words;
        const auto word_count = std::stoul(words, nullptr, 16);
        for (std::size_t word = 0; word < 2 * word_count; ++word) fields >> skipped;

        synset set{.part = part, .pointers = {}, .definition = {}, .examples = {}};
        int pointer_count = 0;
        fields >> pointer_count;
        for (int i = 0; i < pointer_count; ++i) {
            std::string symbol;
            std::uint64_t offset = 0;
            char target_part = 0;
            fields >> symbol >> offset >> target_part >> skipped;
            const auto target = part_from(target_part);
            if (!fields || !target) return error{errc::internal, "pointer"};
            const auto& offsets = offsets_[index_of(*target)];
            const auto found = offsets.find(offset);
            if (found == offsets.end()) return error{errc::internal, "pointer"};
            set.pointers.push_back({symbol, found->second});
        }
        if (bar == std::string::npos) return set;
        const auto gloss = line.substr(bar + 3);
        const auto quote = std::min(gloss.find('"'), gloss.size());
        set.definition = gloss.substr(0, quote);
        set.examples = gloss.substr(quote);
        return set;
    }

    result<void> read_index(part_of_speech part) {
        const auto part_index = index_of(part);
        const auto name = "index." + std::string{file_names[part_index]};
        return each_line(name, [&](const std::string& line) {
            std::istringstream fields{line};
            std::string lemma;
            std::string skipped;
            int senses = 0;
            int pointers = 0;
            fields >> lemma >> skipped >> senses >> pointers;
            for (int i = 0; i < pointers + 2; ++i) fields >> skipped;
            auto& listed = read_.lemmas[lemma][part_index];
            for (int i = 0; i < senses; ++i) {
                std::uint64_t offset = 0;
                fields >> offset;
                const auto found = offsets_[part_index].find(offset);
                if (!fields || found == offsets_[part_index].end()) return false;
                listed.push_back({found->second, 0});
            }
            return true;
        });
    }

    result<void> read_exceptions(part_of_speech part) {
        const auto part_index = index_of(part);
        return each_line(
            std::string{file_names[part_index]} + ".exc", [&](const std::string& line) {
                std::istringstream fields{line};
                std::string form;
                fields >> form;
                for (std::string base; fields >> base;) {
                    read_.exceptions[part_index][form].push_back(base);
                }
                return true;
            });
    }

    /// "bread%1:13:00:: 1 3": lemma, part of speech, then the sense's rank and its count.
    result<void> read_counts() {
        constexpr std::string_view part_symbols = "1234";  // 5 is a satellite adjective.
        return each_line("cntlist.rev", [&](const std::string& line) {
            const auto percent = line.find('%', 1);
            const auto space = line.find(' ');
            if (percent == std::string::npos || space == std::string::npos) return false;
            const auto symbol = line[percent + 1] == '5' ? '3' : line[percent + 1];
            const auto part_index = part_symbols.find(symbol);
            const auto lemma = read_.lemmas.find(line.substr(0, percent));
            if (part_index == std::string_view::npos) return false;
            if (lemma == read_.lemmas.end()) return true;  // WordNet has counts of removed lemmas.
            std::istringstream fields{line.substr(space)};
            std::size_t rank = 0;
            std::uint32_t count = 0;
            fields >> rank >> count;
            auto& senses = lemma->second[part_index];
            if (fields && rank >= 1 && rank <= senses.size()) senses[rank - 1].count = count;
            return !fields.fail();
        });
    }

    std::filesystem::path folder_;
    std::array<offset_table, parts_of_speech> offsets_;
    std::uint32_t count_ = 0;
    wordnet read_;
};

std::vector<std::string> words_in(const std::string& text) {
    std::istringstream fields{text};
    return {std::istream_iterator<std::string>{fields}, {}};
}

/// "food/bread: bread dough"
result<topic> topic_from(const std::string& line) {
    const error malformed{errc::internal, "a topic is written subject: words, not " + line};
    const auto colon = line.find(": ");
    if (colon == std::string::npos) return malformed;
    return topic{.subject = line.substr(0, colon), .words = words_in(line.substr(colon + 2))};
}

/// "iphone = telephone computer"
result<term> term_from(const std::string& line) {
    const error malformed{errc::internal, "a term is written word = words, not " + line};
    const auto equals = line.find(" = ");
    if (equals == std::string::npos) return malformed;
    return term{.word = line.substr(0, equals), .explanation = words_in(line.substr(equals + 3))};
}

}  // namespace

result<wordnet> read_wordnet(const std::filesystem::path& folder) {
    return wordnet_reader{folder}.read();
}

result<topic_list> read_topics(const std::filesystem::path& file) {
    std::ifstream lines{file};
    if (!lines) return error{errc::internal, file.string() + " cannot be opened"};
    topic_list read;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with("topic ")) {
            auto topic = topic_from(line.substr(6));
            if (!topic) return topic.error();
            read.topics.push_back(std::move(*topic));
        } else if (line.starts_with("term ")) {
            auto term = term_from(line.substr(5));
            if (!term) return term.error();
            read.terms.push_back(std::move(*term));
        } else {
            return error{errc::internal, "neither a topic nor a term: " + line};
        }
    }
    return read;
}

}  // namespace reelsd::model
