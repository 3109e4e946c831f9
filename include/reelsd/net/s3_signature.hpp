#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// AWS Signature Version 4. Source: docs.aws.amazon.com, "Signature Version 4 signing process".
namespace reelsd::net {

struct s3_credentials {
    std::string region;
    std::string access_key;
    std::string secret_key;
};

/// The parts of a request that a signature covers.
struct signed_parts {
    std::string_view method;
    std::string path;   ///< As sent, encoded: see s3_path().
    std::string query;  ///< As sent, encoded and sorted by name; empty for none.
    /// All fields to sign, `host` included, with names in lower case, in any order.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string payload_sha256;  ///< 64 hexadecimal digits in lower case.
};

/// "20130524T000000Z", as in the field `x-amz-date`.
[[nodiscard]] std::string s3_date(std::chrono::system_clock::time_point now);

/// The value of the field `Authorization`. `date` is that of the field `x-amz-date`. Pure.
[[nodiscard]] std::string s3_authorization(
    const s3_credentials& by, const signed_parts& parts, std::string_view date);

/// Encodes a path: keeps letters, digits, "-", ".", "_", "~" and "/". Pure.
[[nodiscard]] std::string s3_path(std::string_view path);

/// SHA-256 of a text, in hexadecimal digits.
[[nodiscard]] std::string sha256_of(std::string_view text);

}  // namespace reelsd::net
