#pragma once

#include "settings.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/s3_store.hpp>

#include <memory>

namespace reelsd::app {

/// The S3-compatible store of the settings; null when the database stores media. Connects when it
/// is used.
[[nodiscard]] std::unique_ptr<net::s3_store> open_media_store(const settings& config);

/// Whether the store accepts, returns and deletes an object. Errors: storage_failed, timed_out.
[[nodiscard]] result<void> check_media_store(const net::s3_store& store, deadline by);

}  // namespace reelsd::app
