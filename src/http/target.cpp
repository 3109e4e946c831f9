#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/http/target.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::http {

namespace {

/// Where the path begins: 0 for "/a", after the authority for "http://host/a", else nothing.
std::optional<std::size_t> path_begin_of(std::string_view text) {
    if (text.starts_with('/')) return 0;
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (text.size() <= scheme.size()) continue;
        if (!equals_ignoring_case(text.substr(0, scheme.size()), scheme)) continue;
        const auto authority_end = std::min(text.find_first_of("/?", scheme.size()), text.size());
        if (authority_end == scheme.size()) return std::nullopt;
        return authority_end;
    }
    return std::nullopt;
}

/// A name or value of a query; empty when it cannot be decoded or stored.
std::optional<std::string> form_decoded(std::string_view text) {
    std::string spaced{text};
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    auto decoded = percent_decoded(spaced);
    if (!decoded || !is_utf8(*decoded) || decoded->find('\0') != std::string::npos) {
        return std::nullopt;
    }
    return decoded;
}

}  // namespace

result<request_target> request_target::parse(std::string text) {
    request_target target;
    target.text_ = std::move(text);
    const std::string_view whole = target.text_;
    if (whole == "*") {
        target.path_end_ = whole.size();
        return target;
    }
    const auto begin = path_begin_of(whole);
    if (!begin) return error{errc::invalid_argument, "the request target is not a path"};
    target.path_begin_ = *begin;
    target.path_end_ = std::min(whole.find('?', *begin), whole.size());

    // "http://host" and "http://host?a" name the root.
    auto rest = target.path();
    if (rest.starts_with('/')) rest.remove_prefix(1);
    target.segments_.reserve(
        static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '/')) + 1);
    for (;;) {
        const auto slash = rest.find('/');
        const auto segment = rest.substr(0, slash);
        if (segment.find('%') == std::string_view::npos) {
            target.segments_.emplace_back(segment);
        } else {
            target.escaped_.resize(target.segments_.size());
            target.escaped_.push_back(true);
            auto decoded = percent_decoded(segment);
            if (!decoded) target.well_formed_ = false;
            target.segments_.push_back(decoded ? std::move(*decoded) : std::string{segment});
        }
        if (slash == std::string_view::npos) break;
        rest.remove_prefix(slash + 1);
    }
    return target;
}

std::string_view request_target::path() const noexcept {
    return std::string_view{text_}.substr(path_begin_, path_end_ - path_begin_);
}

std::string_view request_target::query() const noexcept {
    const std::string_view whole = text_;
    return path_end_ < whole.size() ? whole.substr(path_end_ + 1) : std::string_view{};
}

result<query_parameters> query_parameters::parse(std::string_view query) {
    query_parameters parsed;
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const auto part = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (part.empty()) continue;
        const auto equals = std::min(part.find('='), part.size());
        auto name = form_decoded(part.substr(0, equals));
        auto value = form_decoded(part.substr(std::min(equals + 1, part.size())));
        if (!name || !value) {
            return error{
                errc::invalid_argument,
                "the query is malformed: percent escapes of UTF-8 "
                "text without U+0000 are expected"};
        }
        parsed.pairs_.emplace_back(std::move(*name), std::move(*value));
    }
    return parsed;
}

std::optional<std::string_view> query_parameters::find(std::string_view name) const noexcept {
    for (const auto& [known, value] : pairs_) {
        if (known == name) return value;
    }
    return std::nullopt;
}

input<int> requested_limit(std::optional<std::string_view> text, int usual, int most) {
    if (!text) return usual;
    const auto number = parse_number<int>(*text);
    if (number && *number >= 1 && *number <= most) return *number;
    return request_error{
        error_reason::parameter_invalid,
        fmt::format("limit must be a whole number from 1 to {}", most)};
}

result<std::int64_t> requested_number(std::string_view text) {
    const auto number = parse_number<std::int64_t>(text);
    // One resource, one path: "007" names nothing.
    if (!number || *number <= 0 || text.front() == '0') return error{errc::not_found};
    return *number;
}

}  // namespace reelsd::http
