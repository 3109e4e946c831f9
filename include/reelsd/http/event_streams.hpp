#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/http/request_context.hpp>
#include <reelsd/http/response.hpp>

#include <map>

namespace reelsd::http {

/// Answers requests with streams of server-sent events. Bounds the open streams of each account,
/// since each is a connection that lasts for minutes. Thread: the loop's. Outlives its streams.
class event_streams {
public:
    /// 200 with the events that `write` sends; 429 when the caller has too many open streams. A
    /// stream counts until the response is destroyed, sent or not.
    [[nodiscard]] response open(const request_context& ctx, body_source write);

private:
    std::map<account_id, int> open_;
};

}  // namespace reelsd::http
