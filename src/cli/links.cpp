#include "link_input.hpp"

#include "api_request.hpp"
#include <reelsd/base/file_digest.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

namespace reelsd::cli {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

}  // namespace

std::vector<std::string> links_in(std::string_view text) {
    std::vector<std::string> links;
    std::set<std::string> known;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        for (;;) {
            const auto begin = line.find_first_not_of(blanks);
            if (begin == std::string_view::npos) break;
            line.remove_prefix(begin);
            if (line.front() == '#') break;  // A link never begins with it.
            const auto link = line.substr(0, line.find_first_of(blanks));
            line.remove_prefix(link.size());
            auto whole = complete_link(link);
            if (known.insert(whole).second) links.push_back(std::move(whole));
        }
    }
    return links;
}

std::string read_text(std::FILE* in, std::size_t bytes_max) {
    constexpr std::size_t piece_bytes = 4096;
    std::string text;
    std::array<char, piece_bytes> piece{};
    while (text.size() < bytes_max) {
        const auto count = std::fread(piece.data(), 1, piece.size(), in);
        if (count == 0) break;
        text.append(piece.data(), count);
    }
    return text;
}

std::string key_of_links(const std::vector<std::string>& links) {
    file_digest digest;
    for (const auto& link : links) digest.add(link + "\n");
    constexpr std::size_t digits = 32;
    return digest.hex().substr(0, digits);
}

}  // namespace reelsd::cli
