#include <reelsd/http/event_streams.hpp>

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace reelsd::http {
namespace {

/// Of one account on this daemon.
constexpr int streams_max = 20;

}  // namespace

response event_streams::open(const request_context& ctx, body_source write) {
    const auto account = ctx.caller();
    if (open_[account] >= streams_max) {
        const auto message =
            fmt::format("limit of {} event streams at once reached; close one first", streams_max);
        auto refused = ctx.problem(status::too_many_requests, message);
        refused.set("Retry-After", "30");
        return refused;
    }
    ++open_[account];
    const auto leave = [this, account](const void*) {
        if (--open_[account] == 0) open_.erase(account);
    };
    auto place = std::shared_ptr<const void>{this, leave};
    auto answer = response::of_stream(
        "text/event-stream",
        [place = std::move(place), write = std::move(write)](body_writer& body) {
            return write(body);
        });
    // Nginx buffers a whole response otherwise.
    answer.set("X-Accel-Buffering", "no");
    return answer;
}

}  // namespace reelsd::http
