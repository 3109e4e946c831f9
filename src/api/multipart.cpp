#include "multipart.hpp"

#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace reelsd::api {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t headers_bytes_max = 8192;
constexpr std::size_t boundary_bytes_max = 70;

struct header_parameter {
    std::string name;  ///< In lower case.
    std::string value;
};

/// Parses the parameters after the first ';' of a header's value; empty when malformed. Browsers
/// and curl encode '"' in quoted values as %22 and do not encode '\'; others escape '"' as '\"'.
std::optional<std::vector<header_parameter>> parameters_of(std::string_view value) {
    std::vector<header_parameter> parameters;
    auto at = value.find(';');
    while (at != std::string_view::npos) {
        auto rest = value.substr(at + 1);
        const auto equals = rest.find('=');
        if (equals == std::string_view::npos) {
            if (!trimmed(rest).empty()) return std::nullopt;
            break;
        }
        header_parameter next{.name = ascii_lower(trimmed(rest.substr(0, equals))), .value = {}};
        std::size_t end = equals + 1;
        while (end < rest.size() && (rest[end] == ' ' || rest[end] == '\t')) ++end;
        if (end < rest.size() && rest[end] == '"') {
            for (++end; end < rest.size() && rest[end] != '"'; ++end) {
                const bool is_encoded = rest.substr(end).starts_with("%22");
                if (rest.substr(end).starts_with("\\\"")) ++end;
                next.value.push_back(is_encoded ? '"' : rest[end]);
                if (is_encoded) end += 2;
            }
            if (end >= rest.size()) return std::nullopt;
            end = rest.find(';', end);
        } else {
            const auto begin = end;
            end = rest.find(';', end);
            next.value = trimmed(rest.substr(begin, end - begin));
        }
        parameters.push_back(std::move(next));
        at = end == std::string_view::npos ? end : at + 1 + end;
    }
    return parameters;
}

std::optional<std::string> parameter(
    const std::vector<header_parameter>& all, std::string_view name) {
    for (const auto& next : all) {
        if (next.name == name) return next.value;
    }
    return std::nullopt;
}

/// The text of `filename*`, encoded as RFC 8187 specifies; empty when malformed.
std::optional<std::string> extended_file_name(std::string_view value) {
    constexpr std::string_view charset = "utf-8'";
    if (!ascii_lower(value).starts_with(charset)) return std::nullopt;
    const auto mark = value.find('\'', charset.size());
    if (mark == std::string_view::npos) return std::nullopt;
    auto name = percent_decoded(value.substr(mark + 1));
    return name && is_utf8(*name) ? name : std::nullopt;
}

/// The file name. `filename*` has precedence (RFC 6266 4.3): some clients escape `filename`.
std::optional<std::string> file_name_in(const std::vector<header_parameter>& all) {
    const auto extended = parameter(all, "filename*");
    auto name = extended ? extended_file_name(*extended) : std::nullopt;
    return name ? name : parameter(all, "filename");
}

bool is_boundary(std::string_view text) {
    if (text.empty() || text.size() > boundary_bytes_max || text.back() == ' ') return false;
    for (const char byte : text) {
        if (!is_alphanumeric(byte) && !contains("'()+_,-./:=? ", {&byte, 1})) return false;
    }
    return true;
}

}  // namespace

multipart_reader::multipart_reader(std::string_view boundary)
    : delimiter_{fmt::format("\r\n--{}", boundary)} {}

input<multipart_reader> multipart_reader::create(std::string_view content_type) {
    const auto parameters = parameters_of(content_type);
    const auto boundary = parameters ? parameter(*parameters, "boundary") : std::nullopt;
    if (!boundary || !is_boundary(*boundary)) {
        return request_error{
            error_reason::multipart_invalid, "Content-Type must have a valid boundary"};
    }
    return multipart_reader{*boundary};
}

request_error multipart_reader::malformed(std::string_view why) const {
    const auto place = part_.empty() ? std::string{"the first part"}
                                     : fmt::format("the part \"{}\" or the next one", part_);
    return request_error{
        error_reason::multipart_invalid,
        fmt::format("malformed multipart body at {}: {}", place, why)};
}

void multipart_reader::append(std::string_view bytes) {
    arrived_.erase(0, std::exchange(taken_, 0));
    arrived_.append(bytes);
}

input<std::optional<multipart_reader::event>> multipart_reader::next() {
    using none = std::optional<event>;
    for (;;) {
        switch (state_) {
            case state::closed: taken_ = arrived_.size(); return none{};
            case state::preamble: {
                const auto found = rest().find(delimiter_);
                if (found == std::string_view::npos) {
                    const auto held = std::min(rest().size(), delimiter_.size() - 1);
                    taken_ = arrived_.size() - held;
                    return none{};
                }
                taken_ += found + delimiter_.size();
                state_ = state::delimiter;
                break;
            }
            case state::delimiter: {
                auto ended = read_delimiter();
                if (!ended || *ended || state_ == state::delimiter) return ended;
                break;
            }
            case state::headers: return read_headers();
            case state::data: return read_data();
        }
    }
}

input<std::optional<multipart_reader::event>> multipart_reader::read_delimiter() {
    using none = std::optional<event>;
    const auto begun = rest();
    if (begun.starts_with("--")) {
        state_ = state::closed;
        return none{event{.what = event::kind::close}};
    }
    const auto end = begun.find(line_end);
    const auto whitespace = begun.substr(0, end);
    const bool may_close =
        end == std::string_view::npos && (whitespace.empty() || whitespace == "-");
    if (!may_close && trimmed(whitespace, " \t\r").size() > 0) {
        return malformed("the boundary is not followed by the end of a line");
    }
    if (end == std::string_view::npos) {
        if (begun.size() > headers_bytes_max) return malformed("the boundary's line has no end");
        return none{};
    }
    taken_ += end + line_end.size();
    state_ = state::headers;
    return none{};
}

input<std::optional<multipart_reader::event>> multipart_reader::read_headers() {
    // An empty first line: a part without headers.
    const auto begun = rest();
    const auto end = begun.starts_with(line_end) ? 0 : begun.find("\r\n\r\n");
    if (end == std::string_view::npos) {
        if (begun.size() > headers_bytes_max) return malformed("the headers are too large");
        return std::optional<event>{};
    }
    if (end > headers_bytes_max) return malformed("the headers are too large");
    auto begin = begin_part(begun.substr(0, end));
    if (!begin) return begin.error();
    taken_ += end + (end == 0 ? line_end.size() : 2 * line_end.size());
    state_ = state::data;
    return std::optional{*std::move(begin)};
}

input<multipart_reader::event> multipart_reader::begin_part(std::string_view headers) {
    event begun{.what = event::kind::part};
    bool is_named = false;
    while (!headers.empty()) {
        const auto line = headers.substr(0, headers.find(line_end));
        headers.remove_prefix(std::min(headers.size(), line.size() + line_end.size()));
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) return malformed("a header has no colon");
        const auto name = trimmed(line.substr(0, colon));
        const auto value = trimmed(line.substr(colon + 1));
        if (equals_ignoring_case(name, "Content-Transfer-Encoding") &&
            !equals_ignoring_case(value, "binary") && !equals_ignoring_case(value, "8bit") &&
            !equals_ignoring_case(value, "7bit")) {
            return malformed("Content-Transfer-Encoding is not supported");
        }
        if (!equals_ignoring_case(name, "Content-Disposition")) continue;
        const auto parameters = parameters_of(value);
        const auto type = trimmed(value.substr(0, value.find(';')));
        if (!parameters || !equals_ignoring_case(type, "form-data") || is_named) {
            return malformed("Content-Disposition must be form-data, once");
        }
        auto part = parameter(*parameters, "name");
        if (!part || part->empty()) return malformed("it has no name");
        is_named = true;
        begun.name = *std::move(part);
        begun.file_name = file_name_in(*parameters);
    }
    if (!is_named) return malformed("it has no Content-Disposition");
    part_ = begun.name;
    return begun;
}

std::optional<multipart_reader::event> multipart_reader::read_data() {
    const auto begun = rest();
    const auto found = begun.find(delimiter_);
    if (found == 0) {
        taken_ += delimiter_.size();
        state_ = state::delimiter;
        return event{.what = event::kind::end};
    }
    const auto held = delimiter_.size() - 1;
    const auto size = found != std::string_view::npos ? found
                      : begun.size() > held           ? begun.size() - held
                                                      : 0;
    if (size == 0) return std::nullopt;
    taken_ += size;
    return event{
        .what = event::kind::data, .name = {}, .file_name = {}, .bytes = begun.substr(0, size)};
}

}  // namespace reelsd::api
