#include "api_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace reelsd::cli {
namespace {

/// RFC 3986, 2.3: what never needs encoding.
bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

std::string percent_encoded(std::string_view text) {
    std::string encoded;
    for (const char c : text) {
        if (is_unreserved(c)) {
            encoded.push_back(c);
        } else {
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return encoded;
}

std::string percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned byte = 0;
        const auto digits = text.substr(std::min(at + 1, text.size()), 2);
        const auto* const end = digits.data() + digits.size();
        if (text[at] == '%' && digits.size() == 2 &&
            std::from_chars(digits.data(), end, byte, 16).ptr == end) {
            decoded.push_back(static_cast<char>(byte));
            at += 2;
        } else {
            decoded.push_back(text[at] == '+' ? ' ' : text[at]);
        }
    }
    return decoded;
}

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Takes what stands before the next of `ends` from the front of `text`; those within quotation
/// marks do not count. What follows keeps its separator.
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

bool same_without_case(std::string_view left, std::string_view right) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(
        left.begin(), left.end(), right.begin(), right.end(), [&](char one, char other) {
            return lower(one) == lower(other);
        });
}

/// Whether `rel="prev next"` or the like: a relation is one of several words.
bool is_next_relation(std::string_view parameter) {
    const auto sign = parameter.find('=');
    if (sign == std::string_view::npos) return false;
    if (!same_without_case(trimmed(parameter.substr(0, sign)), "rel")) return false;
    auto value = trimmed(parameter.substr(sign + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
    }
    while (!value.empty()) {
        const auto blank = std::min(value.find(' '), value.size());
        if (same_without_case(value.substr(0, blank), "next")) return true;
        value.remove_prefix(std::min(blank + 1, value.size()));
    }
    return false;
}

}  // namespace

std::string complete_link(std::string_view link) {
    std::string start{link.substr(0, std::string_view{"www.instagram.com/"}.size())};
    std::transform(start.begin(), start.end(), start.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const char* host : {"instagram.com/", "www.instagram.com/", "m.instagram.com/"}) {
        if (start.starts_with(host)) return "https://" + std::string{link};
    }
    return std::string{link};
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
        const auto end = std::min(query.find('&'), query.size());
        const auto field = query.substr(0, end);
        const auto sign = std::min(field.find('='), field.size());
        if (field.substr(0, sign) == parameter && sign < field.size()) {
            return percent_decoded(field.substr(sign + 1));
        }
        query.remove_prefix(std::min(end + 1, query.size()));
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
