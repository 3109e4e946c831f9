#pragma once

#include "session.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/db/query.hpp>
#include <reelsd/db/rows.hpp>

#include <boost/asio/any_completion_handler.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <vector>

namespace reelsd::db {

using waiter = boost::asio::any_completion_handler<void(std::exception_ptr, rows)>;

/// One call of pool::run(), from its start until its last result. If the caller leaves earlier
/// (deadline, cancellation), `caller` is empty and the answer is discarded when it arrives, so that
/// the connection keeps its order.
struct pending_query {
    query what;
    std::vector<parameter> parameters;
    deadline by;
    deadline::clock::time_point started = deadline::clock::now();
    waiter caller{};

    /// Sent without a prepared statement: the second attempt, after the server lost the prepared
    /// one or no longer supports it.
    bool one_shot = false;

    // State of the connection between sending and the last result.
    std::uint64_t statement = 0;  ///< The prepared statement's number; zero for none.
    bool prepared_here = false;   ///< PREPARE was sent with it.
    bool preparing = false;       ///< The next result is about PREPARE.
    result_ptr answer{};
    std::optional<server_error> failure{};
};

}  // namespace reelsd::db
