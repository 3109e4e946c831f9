#include "api_request.hpp"

#include <reelsd/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::cli {
namespace {

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
