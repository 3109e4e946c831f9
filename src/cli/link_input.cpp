#include "link_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

namespace reelsd::cli {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

/// FNV-1a with 64 bits.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
    constexpr std::uint64_t prime = 0x100000001B3;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
    return hash;
}

}  // namespace

std::vector<std::string> links_in(std::string_view text) {
    std::vector<std::string> links;
    std::set<std::string_view> known;
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
            if (known.insert(link).second) links.emplace_back(link);
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
    std::uint64_t first = 0xCBF29CE484222325;
    std::uint64_t second = 0x84222325CBF29CE4;
    for (const auto& link : links) {
        first = hash_of("\n", hash_of(link, first));
        second = hash_of("\n", hash_of(link, second));
    }
    return fmt::format("{:016x}{:016x}", first, second);
}

}  // namespace reelsd::cli
