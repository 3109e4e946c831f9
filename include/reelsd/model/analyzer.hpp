#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>
#include <reelsd/model/findings.hpp>

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// One video to analyse.
struct video_input {
    std::filesystem::path file;         ///< Downloaded, readable, not changed during the call.
    media::probe_report probe;          ///< Measured from that file.
    std::string caption;                ///< Of the post; untrusted, may be empty, may not be UTF-8.
    std::vector<std::string> hashtags;  ///< Of the post, without the sign; untrusted.
};

/// What one paid call cost. Calls that failed after the provider answered count too.
struct call_usage {
    std::string model;                      ///< As priced and as shown by the usage report.
    std::int64_t prompt_tokens = 0;         ///< All input tokens, cached ones among them.
    std::int64_t cached_prompt_tokens = 0;  ///< The part of them that has the cheaper price.
    std::int64_t output_tokens = 0;         ///< With thinking tokens.
    /// Picodollars (1e-12 US dollars), because prices are decimals per million tokens: a price with
    /// up to six decimals stays exact.
    std::int64_t cost_picodollars = 0;
};

/// The paid calls of one job. An analyzer that costs nothing never touches it. The caller
/// implements it on its storage; it is called on the worker thread that runs analyze(), and may
/// block.
///
/// It is no part of the outcome, because a call is paid whatever becomes of the analysis: its usage
/// must be on disk before the next call starts, and when the last one failed too.
class call_ledger {
public:
    call_ledger() = default;
    call_ledger(const call_ledger&) = delete;
    call_ledger& operator=(const call_ledger&) = delete;
    virtual ~call_ledger() = default;

    /// Takes one of the job's paid calls (at most 3 over all its attempts) before it is made; false
    /// when none is left.
    [[nodiscard]] virtual bool begin_call() = 0;
    /// Books what the call begun last has cost, as soon as its answer is in.
    virtual void record(const call_usage& usage) = 0;
};

/// Turns a video into findings. Value in, result out: it knows no database, job or request. One
/// object serves all worker threads at once.
class analyzer {
public:
    analyzer() = default;
    analyzer(const analyzer&) = delete;
    analyzer& operator=(const analyzer&) = delete;
    virtual ~analyzer() = default;

    /// Provider, model and version of the rules, such as "local/reelsd-local-1": two analyses under
    /// one name may stand for each other.
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Blocks until done, `by` or `stop`; leaves no file and no process behind.
    /// Errors: model_refused, unsupported_format, video_too_long (final); model_unavailable,
    /// media_failed, timed_out (worth another try); cancelled.
    [[nodiscard]] virtual result<findings> analyze(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const = 0;
};

}  // namespace reelsd::model
