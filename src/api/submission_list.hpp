#pragma once

#include "submissions.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/http/request_context.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::api {

/// Whether the body of a submission has a list of links, well or badly made.
[[nodiscard]] bool has_urls(const json& body);

/// The elements of `urls`, not looked at yet; they live in `body`. `invalid_argument` unless an
/// array of 1 to 50 that stands alone. Pure.
[[nodiscard]] result<std::vector<const json*>> requested_urls(const json& body);

/// How a list under one Idempotency-Key is known again: each of its links has a key of its own,
/// made of the client's, of the whole list and of the link's place in it. They have blanks, which
/// no client's key can have. Pure.
class list_keys {
public:
    /// `key` is a client's.
    list_keys(std::string_view key, const std::vector<const json*>& urls);

    /// Of the link at `place`, from 0 on. 75 characters at most.
    [[nodiscard]] std::string at(std::size_t place) const;
    /// The client's key for a single link, or for another list.
    [[nodiscard]] jobs::key_rivals rivals() const;

private:
    std::string key_;
    std::string stem_;
    std::string own_;
};

/// What is in the way of a client's key for a single link: a list. Pure.
[[nodiscard]] jobs::key_rivals rivals_of_single(std::string_view key);

/// POST /api/v1/reels/analyze {"urls": [string], "fresh"?: boolean}: queues several reels, each as
/// if it were alone. 202 an array in the order of the links, each with its job's id or with why it
/// was refused; 400 malformed list or key.
[[nodiscard]] boost::asio::awaitable<http::response> create_reels(
    http::request_context& ctx, submission_service& service, const json& body);

}  // namespace reelsd::api
