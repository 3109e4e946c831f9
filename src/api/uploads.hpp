#pragma once

#include <reelsd/http/request.hpp>
#include <reelsd/http/response.hpp>

#include <boost/asio/awaitable.hpp>

namespace reelsd::http {
class request_context;
}

namespace reelsd::api {

struct submission_service;

/// Whether a submission has a file, by its Content-Type: multipart/form-data, video/* or
/// application/octet-stream. Pure.
[[nodiscard]] bool is_upload(const http::request& asked);

/// POST /api/v1/reels/analyze with a file: as the part `video` of a form, or as the body itself
/// with the options in the query. Limits and budget are checked before the body is read. 202 the
/// job's id, with file and job durable; 400 malformed form, option or key; 408 too slow; 413 too
/// large; 429 a limit of the caller's account, its budget, or two uploads in progress.
[[nodiscard]] boost::asio::awaitable<http::response> receive_upload(
    http::request_context& ctx, submission_service& service);

}  // namespace reelsd::api
