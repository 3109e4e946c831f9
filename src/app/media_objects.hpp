#pragma once

#include "settings.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/net/s3_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace reelsd::async {
class offload_pool;
}

namespace reelsd::app {

/// The S3-compatible store of the settings; null when the database stores media. Connects when it
/// is used.
[[nodiscard]] std::unique_ptr<net::s3_store> open_media_store(const settings& config);

/// One request to the store. A client that waits longer for a part of a video has given up.
inline constexpr std::chrono::seconds object_time_max{10};

/// Reads a part of an object on one of `threads`. Errors: those of s3_store::get(); storage_failed
/// when `store` is null. The objects outlive the call.
[[nodiscard]] boost::asio::awaitable<result<std::vector<std::byte>>> read_object(
    const net::s3_store* store, async::offload_pool& threads, jobs::object_range part);

/// Whether the store accepts, returns and deletes an object. Errors: storage_failed, timed_out.
[[nodiscard]] result<void> check_media_store(const net::s3_store& store, deadline by);

}  // namespace reelsd::app
