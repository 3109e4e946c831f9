#include "ascii.hpp"
#include <reelsd/http/target.hpp>

#include <algorithm>
#include <cstdint>

namespace reelsd::http {

namespace {

/// Where the path begins: 0 for "/a", behind the authority for "http://host/a", nothing for the
/// rest.
std::optional<std::size_t> path_begin_of(std::string_view text) {
    if (text.starts_with('/')) return 0;
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (text.size() <= scheme.size()) continue;
        if (!same_name(text.substr(0, scheme.size()), scheme)) continue;
        const auto authority_end = std::min(text.find_first_of("/?", scheme.size()), text.size());
        if (authority_end == scheme.size()) return std::nullopt;
        return authority_end;
    }
    return std::nullopt;
}

/// The length of a UTF-8 sequence that begins with `lead`, and the least code point it may spell.
struct sequence {
    std::size_t size;
    std::uint32_t first_bits;
    std::uint32_t least;
};

std::optional<sequence> sequence_of(std::uint32_t lead) {
    if ((lead & 0xE0U) == 0xC0U) return sequence{2, lead & 0x1FU, 0x80};
    if ((lead & 0xF0U) == 0xE0U) return sequence{3, lead & 0x0FU, 0x800};
    if ((lead & 0xF8U) == 0xF0U) return sequence{4, lead & 0x07U, 0x10000};
    return std::nullopt;
}

/// How many bytes of `text` spell its first character; 0 if they spell none.
std::size_t character_size(std::string_view text) {
    const std::uint32_t lead = byte_of(text.front());
    if (lead < 0x80U) return 1;
    const auto form = sequence_of(lead);
    if (!form || text.size() < form->size) return 0;
    std::uint32_t point = form->first_bits;
    for (const char next : text.substr(1, form->size - 1)) {
        if ((byte_of(next) & 0xC0U) != 0x80U) return 0;
        point = (point << 6U) | (byte_of(next) & 0x3FU);
    }
    const bool surrogate = point >= 0xD800U && point <= 0xDFFFU;
    if (point < form->least || point > 0x10FFFFU || surrogate) return 0;
    return form->size;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const auto size = character_size(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

/// One name or value of a query; nothing when it cannot be decoded or stored.
std::optional<std::string> form_decoded(std::string_view text) {
    std::string spaced{text};
    for (char& letter : spaced) {
        if (letter == '+') letter = ' ';
    }
    auto decoded = percent_decoded(spaced);
    if (!decoded || !is_utf8(*decoded) || decoded->find('\0') != std::string::npos) {
        return std::nullopt;
    }
    return decoded;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            decoded.push_back(text[at]);
            continue;
        }
        if (text.size() - at < 3) return std::nullopt;
        const auto high = hex_value(text[at + 1]);
        const auto low = hex_value(text[at + 2]);
        if (!high || !low) return std::nullopt;
        decoded.push_back(static_cast<char>(*high * 16U + *low));
        at += 2;
    }
    return decoded;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    encoded.reserve(text.size());
    for (const char letter : text) {
        if (is_alphanumeric(letter) || std::string_view{"-._~"}.find(letter) != std::string::npos) {
            encoded.push_back(letter);
            continue;
        }
        encoded.push_back('%');
        encoded.push_back(digits[byte_of(letter) / 16U]);
        encoded.push_back(digits[byte_of(letter) % 16U]);
    }
    return encoded;
}

result<request_target> request_target::parse(std::string text) {
    request_target target;
    target.text_ = std::move(text);
    const std::string_view whole = target.text_;
    if (whole == "*") {
        target.path_end_ = whole.size();
        return target;
    }
    const auto begin = path_begin_of(whole);
    if (!begin) return error{errc::invalid_argument, "the request target is no path"};
    target.path_begin_ = *begin;
    target.path_end_ = std::min(whole.find('?', *begin), whole.size());

    // "http://host" and "http://host?a" stand for the root.
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

}  // namespace reelsd::http
