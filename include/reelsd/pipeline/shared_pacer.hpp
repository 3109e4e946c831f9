#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/platform/pacer.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <string>

namespace reelsd::pipeline {

/// The pace that all daemons on one database share. For worker threads, not the loop's.
class shared_pacer final : public platform::pacer {
public:
    /// The loop runs, and the store's pool lives, for as long as a worker may call.
    shared_pacer(
        boost::asio::any_io_executor loop, pacing::pace_store store, std::string host,
        pacing::pace wanted, log::logger log)
        : loop_{std::move(loop)},
          store_{store},
          host_{std::move(host)},
          wanted_{wanted},
          log_{std::move(log)} {}

    [[nodiscard]] result<platform::postponement> ask(
        std::string_view resolver, deadline by) override;

    /// Tells operators of a cool-down that begins and, once an hour, of a resolver that has stopped
    /// to work.
    seconds_f note(
        std::string_view resolver, const platform::finished_try& ended,
        deadline by) noexcept override;

private:
    void log(std::string_view resolver, const pacing::consequence& told) const;

    boost::asio::any_io_executor loop_;
    pacing::pace_store store_;
    std::string host_;
    pacing::pace wanted_;
    log::logger log_;
};

}  // namespace reelsd::pipeline
