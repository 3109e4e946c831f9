#pragma once

#include <reelsd/base/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::http {

/// A request target, taken apart. "/api/v1/reels/42?wait=5" has the path segments "api", "v1",
/// "reels" and "42". Nothing is normalised: "/a/", "//a" and "/a/.." have the segments {"a", ""},
/// {"", "a"} and
/// {"a", ".."}, which no route matches.
class request_target {
public:
    /// Takes origin form ("/a?b"), absolute form ("http://host/a?b": its authority is ignored, as
    /// we serve one site) and "*". Errors: invalid_argument for anything else.
    [[nodiscard]] static result<request_target> parse(std::string text);

    /// As received.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// The path without the query, undecoded; "*" for the asterisk form.
    [[nodiscard]] std::string_view path() const noexcept;
    /// What follows the first '?', undecoded.
    [[nodiscard]] std::string_view query() const noexcept;
    /// Percent-decoded, one for each '/'. A segment that cannot be decoded stands as it came.
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

/// The parameters of a query, decoded: '+' is a blank, "%xx" a byte, '&' parts. Of a repeated name
/// the first counts. A name without '=' has the empty value; empty parts are skipped.
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

/// "%41b" is "Ab". Nothing when a percent sign is not followed by two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

/// Escapes everything but unreserved characters (RFC 3986 2.3), for query values in links.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace reelsd::http
