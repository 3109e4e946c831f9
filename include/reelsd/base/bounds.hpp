#pragma once

#include <chrono>
#include <cstddef>

/// Constants that several files use. Values that operators may change are settings; constants of
/// one file are defined there.
namespace reelsd::bounds {

using namespace std::chrono_literals;

/// Upper bound on a whole stop, because containers are killed after 10 s
/// (docs/operate/upgrades.md).
inline constexpr auto shutdown_grace = 8s;

/// Upper bound on one attempt of a job, all steps included. Twice the default bound on a model's
/// answer (300 s).
inline constexpr auto job_time_max = 600s;

/// Resolving one link, by all resolvers.
inline constexpr auto resolve_time_max = 60s;
/// Downloading one video: 100 MiB at 0.5 MiB/s would take 200 s.
inline constexpr auto download_time_max = 200s;
/// Probing reads only headers and a few packets.
inline constexpr auto probe_time_max = 20s;
/// A thumbnail decodes a few seconds of video: measured under 1 s. On an overloaded machine, the
/// job completes without one.
inline constexpr auto thumbnail_time_max = 20s;
/// Pictures of at most 20 moments decode at most the whole video: measured 3 s. Otherwise as for a
/// thumbnail.
inline constexpr auto frames_time_max = 30s;
/// Local analysis of a 90 s video takes less than its duration on one core; four times that.
inline constexpr auto local_analysis_time_max = 360s;

/// Checking a remote model's answer: eight frames and the sound, measured 3 s. Checks run one after
/// another, so a check also waits for earlier ones.
inline constexpr auto local_check_time_max = 60s;

/// A link has at most 2,048 characters, a body 64 KiB, a header 16 KiB (docs/openapi.yaml).
inline constexpr std::size_t url_characters_max = 2048;
inline constexpr std::size_t request_body_bytes_max = std::size_t{64} * 1024;
inline constexpr std::size_t request_header_bytes_max = std::size_t{16} * 1024;

/// `?wait=` delays an answer by 0 to 60 s (docs/openapi.yaml).
inline constexpr auto wait_max = 60s;

/// A stored result. A full reel with 200 texts, 500 segments and 20 moments measured 60 KB; ten
/// times that, rounded up.
inline constexpr std::size_t result_bytes_max = std::size_t{1024} * 1024;

/// Failed attempts that a job's row keeps: as many as REELSD_ATTEMPTS_MAX allows.
inline constexpr int failed_attempts_max = 20;
/// Length of the cause in such an entry. Messages of providers are cut at 300 bytes, and twenty
/// entries stay below 16 KB.
inline constexpr std::size_t attempt_detail_bytes_max = 500;

/// Platform pages have 0.7 to 1 MB; three times that.
inline constexpr std::size_t page_bytes_max = std::size_t{3} * 1024 * 1024;

}  // namespace reelsd::bounds
