#pragma once

#include "settings.hpp"
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/platform/operator_session.hpp>
#include <reelsd/platform/source.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::app {

/// The resolvers to use, in order: the setting, or its default, which includes the session if there
/// is one.
[[nodiscard]] std::vector<std::string> resolvers_of(const settings& config);

/// The platform's settings, without observers.
[[nodiscard]] platform::source_settings source_settings_of(const settings& config);

/// The platform's host. The rate limit is per host, like the platform's own limits.
[[nodiscard]] std::string platform_host(const settings& config);

/// Whether a resolver can run on this machine: yt-dlp is a separate program.
[[nodiscard]] bool is_installed(std::string_view resolver, const settings& config);

/// The resolver under which the session's refusals are stored.
[[nodiscard]] pacing::paced_resolver session_resolver_of(const settings& config);

/// The refusals that all daemons on one database share. For worker threads, not the loop's.
class shared_session_record final : public platform::session_record {
public:
    /// The loop runs, and the store's pool lives, for as long as a worker may call.
    shared_session_record(
        boost::asio::any_io_executor loop, pacing::refused_session_store store,
        pacing::paced_resolver resolver)
        : loop_{std::move(loop)}, store_{store}, resolver_{std::move(resolver)} {}

    [[nodiscard]] result<std::optional<std::string>> refusal_of(
        const std::string& fingerprint, deadline by) override;
    [[nodiscard]] result<platform::refusal_news> refuse(
        const std::string& fingerprint, std::string_view reason, deadline by) override;

private:
    boost::asio::any_io_executor loop_;
    pacing::refused_session_store store_;
    pacing::paced_resolver resolver_;
};

}  // namespace reelsd::app
