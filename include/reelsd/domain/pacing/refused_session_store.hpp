#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.
#include <reelsd/domain/pacing/pace_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace reelsd::db {
class pool;
}

namespace reelsd::pacing {

/// The sessions that the platform has refused, by the fingerprints of their files. `who` is the
/// resolver that uses the session: it cools down for years while its session is refused, so that no
/// job waits in line for it. Each operation is one statement; errors as pace_store's. A cheap value
/// around the pool, which must outlive it. On the loop's thread.
class refused_session_store {
public:
    explicit refused_session_store(db::pool& pool) : pool_{&pool} {}

    /// Why the session was refused; empty when it was not. Then also ends the cool-down that an
    /// earlier session's refusal began.
    boost::asio::awaitable<std::optional<std::string>> find(
        paced_resolver who, std::string fingerprint, deadline by);

    /// False when the session was refused before.
    boost::asio::awaitable<bool> add(
        paced_resolver who, std::string fingerprint, std::string reason, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::pacing
