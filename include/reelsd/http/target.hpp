#pragma once

#include <reelsd/base/request_error.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::http {

/// A parsed request target. "/api/v1/reels/42?wait=5" has the path segments "api", "v1", "reels"
/// and "42". Nothing is normalised: "/a/", "//a" and "/a/.." have the segments {"a", ""}, {"", "a"}
/// and {"a", ".."}, which no route matches.
class request_target {
public:
    /// Accepts origin form ("/a?b"), absolute form ("http://host/a?b"; the authority is ignored,
    /// because there is one site) and "*". Errors: invalid_argument for anything else.
    [[nodiscard]] static result<request_target> parse(std::string text);

    /// As received.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// The path without the query, undecoded; "*" for the asterisk form.
    [[nodiscard]] std::string_view path() const noexcept;
    /// The text after the first '?', undecoded.
    [[nodiscard]] std::string_view query() const noexcept;
    /// Percent-decoded, one for each '/'. A segment that cannot be decoded is kept as received.
    [[nodiscard]] const std::vector<std::string>& segments() const noexcept { return segments_; }
    /// Whether a segment contained a percent sign as received.
    [[nodiscard]] bool is_escaped(std::size_t segment) const noexcept {
        return segment < escaped_.size() && escaped_[segment];
    }
    /// False when a percent sign of the path is not followed by two hexadecimal digits.
    [[nodiscard]] bool path_is_well_formed() const noexcept { return well_formed_; }

private:
    std::string text_;
    std::size_t path_begin_ = 0;
    std::size_t path_end_ = 0;
    std::vector<std::string> segments_;
    /// One for each segment up to the last escaped one; empty for most paths.
    std::vector<bool> escaped_;
    bool well_formed_ = true;
};

/// The decoded parameters of a query: '+' is a space, "%xx" a byte, '&' separates. The first of
/// repeated names counts. A name without '=' has an empty value; empty parameters are skipped.
class query_parameters {
public:
    /// Errors: invalid_argument for a broken percent escape, for text that is not UTF-8 and for
    /// U+0000 (which PostgreSQL cannot store).
    [[nodiscard]] static result<query_parameters> parse(std::string_view query);

    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return pairs_.size(); }

private:
    std::vector<std::pair<std::string, std::string>> pairs_;
};

/// `?limit=`: `usual` when absent, else a whole number from 1 to `most` in plain digits.
/// `invalid_argument` names the parameter and the allowed range. Pure.
[[nodiscard]] input<int> requested_limit(std::optional<std::string_view> text, int usual, int most);

/// The number in a path: `not_found` unless it is a positive 64-bit integer in plain digits. Pure.
[[nodiscard]] result<std::int64_t> requested_number(std::string_view text);

}  // namespace reelsd::http
