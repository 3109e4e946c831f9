#include "topics.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace reelsd::model {

namespace {

std::vector<std::string> words_in(const std::string& text) {
    std::istringstream fields{text};
    return {std::istream_iterator<std::string>{fields}, {}};
}

/// "food/bread: bread dough" behind the word "topic".
result<topic> topic_from(const std::string& line) {
    const error malformed{errc::internal, "a topic is written subject: words, not " + line};
    const auto colon = line.find(": ");
    if (colon == std::string::npos) return malformed;
    return topic{.subject = line.substr(0, colon), .words = words_in(line.substr(colon + 2))};
}

/// "iphone = telephone computer" behind the word "term".
result<term> term_from(const std::string& line) {
    const error malformed{errc::internal, "a term is written word = words, not " + line};
    const auto equals = line.find(" = ");
    if (equals == std::string::npos) return malformed;
    return term{.word = line.substr(0, equals), .accumulator = words_in(line.substr(equals + 3))};
}

}  // namespace

result<topic_list> read_topics(const std::filesystem::path& file) {
    std::ifstream lines{file};
    if (!lines) return error{errc::internal, file.string() + " cannot be opened"};
    topic_list read;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with("topic ")) {
            auto one = topic_from(line.substr(6));
            if (!one) return one.error();
            read.topics.push_back(std::move(*one));
        } else if (line.starts_with("term ")) {
            auto one = term_from(line.substr(5));
            if (!one) return one.error();
            read.terms.push_back(std::move(*one));
        } else {
            return error{errc::internal, "neither a topic nor a term: " + line};
        }
    }
    return read;
}

}  // namespace reelsd::model
