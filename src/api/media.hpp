#pragma once

#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/http/router.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace reelsd::api {

/// Dependencies of the handlers of this resource. Outlives the router.
struct media_service {
    jobs::media_store media;
    /// As in api_dependencies.
    std::function<boost::asio::awaitable<result<std::vector<std::byte>>>(jobs::object_range)>
        read_object;
};

void add_media_routes(http::router& router, std::string_view prefix, media_service& service);

/// Reads the number of a picture in a path. Errors: not_found unless it is from 0 to 99, without
/// leading zeros. Pure.
[[nodiscard]] result<std::int32_t> requested_frame(std::string_view text);

}  // namespace reelsd::api
