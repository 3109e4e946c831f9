#include "media_objects.hpp"

#include <stop_token>
#include <string_view>

namespace reelsd::app {

std::unique_ptr<net::s3_store> open_media_store(const settings& config) {
    if (!config.bucket) return nullptr;
    return std::make_unique<net::s3_store>(net::s3_settings{
        .endpoint = config.s3_endpoint,
        .bucket = config.bucket->name,
        .prefix = config.bucket->prefix,
        .credentials = config.s3,
        .ca_file = config.ca_file});
}

result<void> check_media_store(const net::s3_store& store, deadline by) {
    // Always the same key: a check that is interrupted leaves at most one object.
    constexpr std::string_view key = "reelsd-doctor";
    constexpr std::string_view text = "reelsd";
    const std::stop_token never;
    net::s3_content content{.sha256 = net::sha256_of(text), .content_type = "text/plain"};
    content.body.add_text(std::string{text});
    if (const auto put = store.put(key, content, by, never); !put) return put.error();
    const auto got = store.get(key, 0, text.size(), by, never);
    if (!got) return got.error();
    return store.remove(key, by, never);
}

}  // namespace reelsd::app
