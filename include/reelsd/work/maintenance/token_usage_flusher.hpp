#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <functional>
#include <set>
#include <vector>

namespace reelsd::work {

/// Writes when tokens were last used, to the minute, because the UI shows minutes.
class token_usage_flusher final : public periodic_task {
public:
    /// Throws like a store.
    using write_function =
        std::function<boost::asio::awaitable<void>(std::vector<token_id> used, deadline by)>;

    token_usage_flusher(
        const boost::asio::any_io_executor& loop, write_function write, log::logger log);

    void note(token_id token) { used_.insert(token); }

    /// Writes pending uses.
    [[nodiscard]] boost::asio::awaitable<bool> stop(deadline by) override;

private:
    boost::asio::awaitable<void> step() override;
    boost::asio::awaitable<void> flush(deadline by);

    write_function write_;
    std::set<token_id> used_;  ///< Not written yet.
};

}  // namespace reelsd::work
