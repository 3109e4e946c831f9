#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/domain/exports/account_export.hpp>
#include <reelsd/http/router.hpp>

#include <functional>
#include <memory>
#include <set>
#include <string_view>

namespace reelsd::api {

/// What the handlers of this resource use. Outlives the router.
struct export_service {
    std::function<exports::account_export(account_id)> begin;
    /// The door's own check of who asks, for streams that outlast a token or a session.
    http::gate::check recognise;
    /// Whose exports are under way, at whichever door. Never null.
    std::shared_ptr<std::set<account_id>> under_way;
};

void add_export_routes(http::router& router, std::string_view prefix, export_service& service);

}  // namespace reelsd::api
