#pragma once

#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/platform/session.hpp>
#include <reelsd/platform/source.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <string>
#include <utility>

namespace reelsd::app {

/// The resolver under which the session's refusals are stored.
[[nodiscard]] pacing::paced_resolver session_resolver_of(
    const std::string& host, const platform::source_settings& settings);

/// The refusals that all daemons on one database share. For worker threads, not the loop's.
class shared_session_record final : public platform::session_record {
public:
    /// The loop runs, and the store's pool lives, for as long as a worker may call.
    shared_session_record(
        boost::asio::any_io_executor loop, pacing::refused_session_store store,
        pacing::paced_resolver who)
        : loop_{std::move(loop)}, store_{store}, who_{std::move(who)} {}

    [[nodiscard]] result<std::optional<std::string>> refusal_of(
        const std::string& fingerprint, deadline by) override;
    [[nodiscard]] result<platform::refusal_news> refuse(
        const std::string& fingerprint, std::string_view reason, deadline by) override;

private:
    boost::asio::any_io_executor loop_;
    pacing::refused_session_store store_;
    pacing::paced_resolver who_;
};

}  // namespace reelsd::app
