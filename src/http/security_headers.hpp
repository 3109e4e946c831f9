#pragma once

#include <reelsd/http/response.hpp>

#include <string>

/// The one home of what browsers are told not to do with our answers. Whoever makes an answer need
/// not think of it; a page alone sets the `Content-Security-Policy` that it can live with.
namespace reelsd::http {

/// Adds these fields to a head that is being written:
/// - everywhere: no sniffing, no referrer, no framing, for no other origin's pages;
/// - `Content-Security-Policy: default-src 'none'`, unless the answer has one: data that is shown
///   as a page by accident loads and runs nothing;
/// - HTML: alone in its group of windows, and without the device's camera, microphone, place...;
/// - `Strict-Transport-Security` for a year, if it is on. Not for the names below ours: they may be
///   somebody else's.
void append_security_fields(std::string& head, const response& answer, strict_transport hsts);

}  // namespace reelsd::http
