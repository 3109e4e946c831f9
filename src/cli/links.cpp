#include "links.hpp"

#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace reelsd::cli {

std::string complete_link(std::string_view link) {
    const auto lower = ascii_lower(link);
    for (const char* host : {"instagram.com/", "www.instagram.com/", "m.instagram.com/"}) {
        if (lower.starts_with(host)) return "https://" + std::string{link};
    }
    return std::string{link};
}

std::vector<std::string> links_in(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\v\f";
    std::vector<std::string> links;
    std::set<std::string> known;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        for (;;) {
            line = trimmed(line, blanks);
            if (line.empty() || line.front() == '#') break;
            const auto word = line.substr(0, line.find_first_of(blanks));
            line.remove_prefix(word.size());
            auto link = complete_link(word);
            if (known.insert(link).second) links.push_back(std::move(link));
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

bool is_video_file(const std::string& argument) {
    if (contains(argument, "://")) return false;
    std::error_code failure;
    if (std::filesystem::is_regular_file(argument, failure)) return true;
    const auto extension = ascii_lower(std::filesystem::path{argument}.extension().string());
    return extension == ".mp4" || extension == ".mov" || extension == ".m4v" ||
           extension == ".webm";
}

}  // namespace reelsd::cli
