#pragma once

#include "change_feed.hpp"
#include <reelsd/base/ids.hpp>

#include <cstddef>
#include <map>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::dashboard {

/// What the handlers of this resource use. Outlives the router.
struct event_service {
    change_feed& feed;
    std::map<account_id, int> open = {};  ///< Streams of each account.
};

void add_event_routes(http::router& router, std::string_view gated, event_service& service);

}  // namespace reelsd::dashboard
