#pragma once

#include <reelsd/base/enum_names.hpp>

#include <cstdint>

namespace reelsd {

/// Machine-readable reasons why a request is refused: the values of the header `X-Error-Code`. A
/// response of another status has the name of that status, such as `not_found`. They are part of
/// the API: docs/openapi.yaml lists them, and merged names are never changed. Their order decides
/// the status, see http::http_status_of().
BOOST_DEFINE_FIXED_ENUM_CLASS(
    error_reason, std::uint8_t,
    // 400: any request. body_invalid and parameter_invalid: the message names the member or the
    // parameter.
    request_malformed, body_invalid, parameter_invalid, cursor_invalid,
    // 400: a submission.
    url_required, url_invalid, url_not_supported_host, url_not_a_reel, urls_invalid,
    webhook_url_invalid, extract_invalid, model_required, idempotency_key_invalid,
    idempotency_key_reused, video_required, video_empty, multipart_invalid,
    // 400: a search, a question, a saved search or a webhook.
    q_required, q_too_long, question_required, question_too_long, reel_not_done, query_required,
    query_too_long, name_in_use, limit_saved_searches, webhook_required,
    // 401: of the API, of the dashboard.
    token_required, token_invalid, session_required, credentials_invalid,
    // 403 and 404, one each.
    insufficient_scope, video_not_kept,
    // 429: all that follow.
    rate_limit_submissions, rate_limit_requests, rate_limit_webhook_tests, rate_limit_sign_in,
    limit_concurrent_jobs, limit_queued_jobs, limit_uploads, limit_event_streams, limit_exports,
    limit_webhook_tests, budget_exceeded, server_busy)

}  // namespace reelsd
