#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
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

/// "20130524T000000Z", as in the `x-amz-date` field.
[[nodiscard]] std::string s3_date(std::chrono::system_clock::time_point now);

/// The value of the `Authorization` field. `date` is that of the `x-amz-date` field. Pure.
[[nodiscard]] std::string s3_authorization(
    const s3_credentials& by, const signed_parts& parts, std::string_view date);

/// Encodes a path: keeps letters, digits, "-", ".", "_", "~" and "/". Pure.
[[nodiscard]] std::string s3_path(std::string_view path);

/// SHA-256 of a text, in hexadecimal digits.
[[nodiscard]] std::string sha256_of(std::string_view text);

struct s3_settings {
    std::string endpoint;  ///< An origin, such as "https://s3.eu-central-1.amazonaws.com".
    std::string bucket;
    std::string prefix;  ///< Of all keys, without slashes at its ends; may be empty.
    s3_credentials credentials;
    std::string ca_file;  ///< Empty: the system's.
};

/// A file or a text to store.
struct s3_content {
    request_body body = {};
    std::string sha256;  ///< Of the whole body, 64 hexadecimal digits in lower case.
    std::string content_type;
};

/// Objects in a bucket of an S3-compatible store, addressed in path style. Blocking; thread-safe.
///
/// Errors of every call: `storage_failed`, with the status and the store's error code, or the cause
/// when it cannot be reached; `cancelled` and `timed_out`. No detail contains a secret.
class s3_store {
public:
    explicit s3_store(s3_settings settings);

    /// "s3://bucket/prefix".
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Writes an object, or replaces it. Retries twice when the store is busy or unreachable.
    [[nodiscard]] result<void> put(
        std::string_view key, const s3_content& content, deadline by,
        const std::stop_token& stop) const;

    /// Reads `bytes` bytes from `offset`. `not_found` when there is no such object. Retries like
    /// put().
    [[nodiscard]] result<std::vector<std::byte>> get(
        std::string_view key, std::uint64_t offset, std::uint64_t bytes, deadline by,
        const std::stop_token& stop) const;

    /// Deletes an object; also succeeds when there is none. Does not retry.
    [[nodiscard]] result<void> remove(
        std::string_view key, deadline by, const std::stop_token& stop) const;

private:
    struct call;

    [[nodiscard]] result<http_response> send(
        const call& operation, deadline by, const std::stop_token& stop) const;
    [[nodiscard]] result<http_response> send_with_retries(
        const call& operation, deadline by, const std::stop_token& stop) const;

    s3_settings settings_;
    std::string name_;
    std::string host_;  ///< As in the `Host` field.
    http_client client_;
};

}  // namespace reelsd::net
