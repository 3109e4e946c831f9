#include "wordnet.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace reelsd::model {

namespace {

constexpr std::array<std::string_view, parts_of_speech> file_names{"noun", "verb", "adj", "adv"};

/// Byte offset in a data file -> index of its synset.
using offset_table = std::unordered_map<std::uint64_t, std::uint32_t>;

class wordnet_reader {
public:
    explicit wordnet_reader(std::filesystem::path folder) : folder_{std::move(folder)} {}

    wordnet read() {
        // Pointers lead to synsets of all parts of speech, so all are numbered first.
        for (std::size_t part = 0; part < parts_of_speech; ++part) number_synsets(part);
        for (std::size_t part = 0; part < parts_of_speech; ++part) {
            each_line("data.", part, "", [&](const std::string& line) {
                read_.synsets.push_back(synset_from(line, part));
            });
            each_line("index.", part, "", [&](const std::string& line) { read_lemma(line, part); });
            each_line("", part, ".exc", [&](const std::string& line) {
                std::istringstream fields{line};
                std::string form;
                fields >> form;
                for (std::string base; fields >> base;)
                    read_.exceptions[part][form].push_back(base);
            });
        }
        each_line("cntlist.rev", [&](const std::string& line) { read_count(line); });
        return std::move(read_);
    }

private:
    /// Calls `take(line)` for each line of the file, except the licence, which is indented.
    template <class Take>
    void each_line(const std::string& name, const Take& take) {
        const auto path = folder_ / name;
        std::ifstream file{path};
        if (!file) throw std::runtime_error{path.string() + " cannot be opened"};
        std::string line;
        while (std::getline(file, line)) {
            if (line.empty() || line.starts_with("  ")) continue;
            try {
                take(line);
            } catch (const std::exception&) {
                throw std::runtime_error{
                    path.string() + " cannot be read at: " + line.substr(0, 60)};
            }
        }
    }
    template <class Take>
    void each_line(std::string name, std::size_t part, std::string_view ending, const Take& take) {
        each_line(name.append(file_names[part]).append(ending), take);
    }

    void number_synsets(std::size_t part) {
        read_.begins[part] = count_;
        each_line("data.", part, "", [&](const std::string& line) {
            if (!offsets_[part].emplace(std::stoull(line), count_++).second)
                throw std::runtime_error{"a second synset at this offset"};
        });
        read_.begins[part + 1] = count_;
    }

    [[nodiscard]] synset synset_from(const std::string& line, std::size_t part) const {
        const auto bar = line.find(" | ");
        auto fields = fields_of(line.substr(0, bar));
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
            // A satellite adjective is an adjective.
            const auto target =
                std::string_view{"nvar"}.find(target_part == 's' ? 'a' : target_part);
            set.pointers.push_back({symbol, offsets_.at(target).at(offset)});
        }
        if (bar == std::string::npos) return set;
        const auto gloss = line.substr(bar + 3);
        const auto quote = std::min(gloss.find('"'), gloss.size());
        set.definition = gloss.substr(0, quote);
        set.examples = gloss.substr(quote);
        return set;
    }

    void read_lemma(const std::string& line, std::size_t part) {
        auto fields = fields_of(line);
        std::string lemma;
        std::string skipped;
        int senses = 0;
        int pointers = 0;
        fields >> lemma >> skipped >> senses >> pointers;
        for (int i = 0; i < pointers + 2; ++i) fields >> skipped;
        auto& listed = read_.lemmas[lemma][part];
        for (int i = 0; i < senses; ++i) {
            std::uint64_t offset = 0;
            fields >> offset;
            listed.push_back({offsets_[part].at(offset), 0});
        }
    }

    /// "bread%1:13:00:: 1 3": lemma, part of speech, then the sense's rank and its count.
    void read_count(const std::string& line) {
        const auto percent = line.find('%', 1);
        if (percent == std::string::npos) throw std::runtime_error{"no part of speech"};
        const auto lemma = read_.lemmas.find(line.substr(0, percent));
        // 5 is a satellite adjective.
        const auto symbol = line.at(percent + 1) == '5' ? '3' : line[percent + 1];
        if (lemma == read_.lemmas.end()) return;  // WordNet has counts of removed lemmas.
        auto& senses = lemma->second.at(std::string_view{"1234"}.find(symbol));
        auto fields = fields_of(line.substr(line.find(' ')));
        std::size_t rank = 0;
        std::uint32_t count = 0;
        fields >> rank >> count;
        if (rank >= 1 && rank <= senses.size()) senses[rank - 1].count = count;
    }

    /// A stream that throws when a field is missing.
    static std::istringstream fields_of(const std::string& line) {
        std::istringstream fields{line};
        fields.exceptions(std::ios::failbit);
        return fields;
    }

    std::filesystem::path folder_;
    std::array<offset_table, parts_of_speech> offsets_;
    std::uint32_t count_ = 0;
    wordnet read_;
};

/// "food/bread: bread dough", "iphone = telephone computer"
word_group group_from(const std::string& line, const std::string& sign) {
    const auto at = line.find(sign);
    if (at == std::string::npos)
        throw std::runtime_error{"a line without \"" + sign + "\": " + line};
    std::istringstream words{line.substr(at + sign.size())};
    return {.name = line.substr(0, at), .words = {std::istream_iterator<std::string>{words}, {}}};
}

}  // namespace

wordnet read_wordnet(const std::filesystem::path& folder) {
    return wordnet_reader{folder}.read();
}

topic_list read_topics(const std::filesystem::path& file) {
    std::ifstream lines{file};
    if (!lines) throw std::runtime_error{file.string() + " cannot be opened"};
    topic_list read;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with("topic ")) {
            read.topics.push_back(group_from(line.substr(6), ": "));
        } else if (line.starts_with("term ")) {
            read.terms.push_back(group_from(line.substr(5), " = "));
        } else {
            throw std::runtime_error{"neither a topic nor a term: " + line};
        }
    }
    return read;
}

}  // namespace reelsd::model
