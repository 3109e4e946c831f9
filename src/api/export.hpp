#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/domain/exports/account_export.hpp>
#include <reelsd/http/router.hpp>

#include <functional>
#include <set>
#include <string_view>

namespace reelsd::api {

/// Dependencies of the handlers of this resource. Outlives the router.
struct export_service {
    std::function<exports::account_export(account_id)> begin;
    /// Accounts whose exports are in progress.
    std::set<account_id> in_progress = {};
};

void add_export_routes(http::router& router, std::string_view prefix, export_service& service);

}  // namespace reelsd::api
