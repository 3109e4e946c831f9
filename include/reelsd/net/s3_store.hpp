#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/http_client.hpp>

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::net {

struct s3_settings {
    std::string endpoint;  ///< An origin, such as "https://s3.eu-central-1.amazonaws.com".
    std::string bucket;
    /// Of all keys, without slashes at its ends; may be empty. Like the keys, it has only letters,
    /// digits, "-", ".", "_" and "/", which a URL contains as they are.
    std::string prefix;
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
/// Errors of every call: `storage_failed`, with the status and the store's error code;
/// `connection_failed` when it cannot be reached; `cancelled` and `timed_out`. No detail contains a
/// secret.
class s3_store {
public:
    explicit s3_store(s3_settings settings);

    /// "s3://bucket/prefix".
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Writes an object, or replaces it. Retries twice when the store is busy or unreachable.
    [[nodiscard]] result<void> put(
        std::string_view key, const s3_content& content, deadline by,
        const std::stop_token& stop) const;

    /// Reads `bytes` bytes from `offset`. `not_found` without such an object. Retries like put().
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
    http_client client_;
};

}  // namespace reelsd::net
