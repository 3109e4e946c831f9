#include "media_objects.hpp"

#include <reelsd/async/offload_pool.hpp>

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <utility>

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

boost::asio::awaitable<result<std::vector<std::byte>>> read_object(
    const net::s3_store* store, async::offload_pool& threads, jobs::object_range part) {
    using outcome = result<std::vector<std::byte>>;
    if (store == nullptr)
        co_return outcome{error{errc::storage_failed, "no media store is configured"}};
    const auto by = deadline::after(object_time_max);
    outcome got = error{errc::timed_out, "the media store did not answer in time"};
    const auto get = [&] {
        got = store->get(
            part.object,
            static_cast<std::uint64_t>(part.offset),
            static_cast<std::uint64_t>(part.bytes),
            by,
            std::stop_token{});
        return true;
    };
    const auto ran = co_await threads.run(by, get);
    if (!ran) co_return outcome{ran.error()};
    co_return got;
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
