#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <curl/curl.h>

#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace reelsd::net {

struct easy_deleter {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
using easy_ptr = std::unique_ptr<CURL, easy_deleter>;

struct multi_deleter {
    void operator()(CURLM* handle) const noexcept { curl_multi_cleanup(handle); }
};
using multi_ptr = std::unique_ptr<CURLM, multi_deleter>;

/// Lends a multi handle to each transfer: it holds the open connections and the parsed CA bundle,
/// and unlike a lone easy handle it can be woken from another thread.
class engine_pool {
public:
    engine_pool();

    /// Runs one transfer to its end. Returns cancelled and timed_out as errors and every other
    /// outcome as libcurl's result code. Safe from any thread.
    [[nodiscard]] result<CURLcode> run(CURL* transfer, deadline by, const std::stop_token& stop);

private:
    multi_ptr take();
    void give_back(multi_ptr engine);

    std::mutex lock_;
    std::vector<multi_ptr> idle_;
};

}  // namespace reelsd::net
