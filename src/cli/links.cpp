#include "links.hpp"

#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace reelsd::cli {
namespace {

/// Size in a JSON array, with its comma.
std::size_t json_bytes_of(const std::string& link) {
    return json(link).dump(-1, ' ', false, json::error_handler_t::replace).size() + 1;
}

std::string_view next_word(std::string_view& text, char separator) {
    const auto end = std::min(text.find(separator), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

/// Removes and returns the part of `text` before the next of `ends` outside quotation marks. The
/// separator stays in `text`.
std::string_view take_until(std::string_view& text, std::string_view ends) {
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == '\\' && quoted) {
            ++at;
        } else if (text[at] == '"') {
            quoted = !quoted;
        } else if (!quoted && ends.find(text[at]) != std::string_view::npos) {
            break;
        }
    }
    at = std::min(at, text.size());
    const auto taken = text.substr(0, at);
    text.remove_prefix(at);
    return taken;
}

/// Whether a parameter is `rel="prev next"` or the like: the value is a list of relations.
bool is_next_relation(std::string_view parameter) {
    auto value = parameter;
    if (!equals_ignoring_case(trimmed(next_word(value, '=')), "rel")) return false;
    value = trimmed(value);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
    }
    while (!value.empty()) {
        if (equals_ignoring_case(next_word(value, ' '), "next")) return true;
    }
    return false;
}

}  // namespace

std::string complete_link(std::string_view link) {
    const auto lower = ascii_lower(link);
    for (const char* host : {"instagram.com/", "www.instagram.com/", "m.instagram.com/"}) {
        if (lower.starts_with(host)) return "https://" + std::string{link};
    }
    return std::string{link};
}

std::vector<std::string> links_in(std::string_view text) {
    constexpr std::string_view whitespace = " \t\r\v\f";
    std::vector<std::string> links;
    std::set<std::string> known;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        for (;;) {
            line = trimmed(line, whitespace);
            if (line.empty() || line.front() == '#') break;
            const auto word = line.substr(0, line.find_first_of(whitespace));
            line.remove_prefix(word.size());
            auto link = complete_link(word);
            if (known.insert(link).second) links.push_back(std::move(link));
        }
    }
    return links;
}

std::string read_text(std::FILE* in, std::size_t bytes_max) {
    std::string text(bytes_max, '\0');
    text.resize(std::fread(text.data(), 1, bytes_max, in));
    return text;
}

std::string key_of_links(const std::vector<std::string>& links, std::string_view options) {
    file_digest digest;
    for (const auto& link : links) digest.add(link + "\n");
    digest.add(options);
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

std::vector<std::size_t> parts_of(
    const std::vector<std::string>& links, std::size_t options_bytes) {
    std::vector<std::size_t> parts;
    std::size_t bytes = 0;
    for (const auto& link : links) {
        const auto more = json_bytes_of(link);
        const bool begins =
            parts.empty() || parts.back() == list_links_max || bytes + more > list_bytes_max;
        if (begins) {
            parts.push_back(0);
            bytes = options_bytes;
        }
        ++parts.back();
        bytes += more;
    }
    return parts;
}

std::string path_with_query(std::string_view path, const std::vector<query_parameter>& parameters) {
    std::string out{path};
    char separator = '?';
    for (const auto& parameter : parameters) {
        if (!parameter.value) continue;
        out += fmt::format("{}{}={}", separator, parameter.name, percent_encoded(*parameter.value));
        separator = '&';
    }
    return out;
}

std::optional<std::string> parameter_of(std::string_view link, std::string_view parameter) {
    link = link.substr(0, link.find('#'));
    const auto question = link.find('?');
    if (question == std::string_view::npos) return std::nullopt;
    auto query = link.substr(question + 1);
    while (!query.empty()) {
        const auto field = next_word(query, '&');
        const auto equals = field.find('=');
        if (equals == std::string_view::npos || field.substr(0, equals) != parameter) continue;
        std::string value{field.substr(equals + 1)};
        std::replace(value.begin(), value.end(), '+', ' ');
        return percent_decoded(value).value_or(value);
    }
    return std::nullopt;
}

std::optional<std::string> next_link_of(std::string_view link_header) {
    while (!trimmed(link_header).empty()) {
        link_header = trimmed(link_header);
        const auto closing = link_header.find('>');
        if (!link_header.starts_with('<') || closing == std::string_view::npos) return std::nullopt;
        const auto target = link_header.substr(1, closing - 1);
        link_header.remove_prefix(closing + 1);
        // The parameters of this link, up to the comma before the next one.
        while (take_until(link_header, ";,"), link_header.starts_with(';')) {
            link_header.remove_prefix(1);
            auto rest = link_header;
            if (is_next_relation(trimmed(take_until(rest, ";,")))) return std::string{target};
        }
        if (link_header.starts_with(',')) link_header.remove_prefix(1);
    }
    return std::nullopt;
}

}  // namespace reelsd::cli
