#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>
#include <reelsd/model/findings.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::model {

/// One video to analyse.
struct video_input {
    std::filesystem::path file;         ///< Downloaded, readable, not changed during the call.
    media::probe_report probe;          ///< Measured from that file.
    std::string caption;                ///< Of the post; untrusted, may be empty, may not be UTF-8.
    std::vector<std::string> hashtags;  ///< Of the post, without the sign; untrusted.
    std::filesystem::path scratch;      ///< A folder of this job's own, for files made on the way.
};

/// What a provider counts apart.
enum class modality : std::uint8_t { text, image, video, audio, document, other };

/// "text": as the ledger and price tables spell it.
[[nodiscard]] std::string_view name_of(modality kind) noexcept;

/// The tokens of one modality. Providers leave out what is none.
struct modality_tokens {
    modality kind = modality::other;
    std::int64_t prompt = 0;  ///< With the cached ones.
    std::int64_t cached_prompt = 0;
    std::int64_t output = 0;
};

/// The tokens of one call, as the provider counts them.
struct token_counts {
    std::int64_t prompt = 0;         ///< All input tokens, cached ones among them.
    std::int64_t cached_prompt = 0;  ///< The part of them that has the cheaper price.
    std::int64_t output = 0;         ///< With thinking tokens.
    std::int64_t thinking = 0;       ///< The part of them that nobody reads.
    std::vector<modality_tokens> by_modality = {};  ///< As far as the provider tells.
};

/// What one paid call has used. Calls that failed after the provider answered count too.
struct call_usage {
    token_counts tokens;
    /// Picodollars (1e-12 US dollars), because prices are decimals per million tokens: a price with
    /// up to six decimals stays exact. Nothing when the price is not known.
    std::optional<std::int64_t> cost_picodollars;
    std::string response_id;  ///< The provider's name of its answer; may be empty.
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

    /// Takes one of the job's paid calls (at most 3 over all its attempts) before it is made, and
    /// gives it a number. A call that is neither settled nor released stays counted, at an unknown
    /// cost. Errors: unauthorized when the account's monthly budget is spent, limit_reached when
    /// the job has no call left, database_unavailable.
    [[nodiscard]] virtual result<std::int64_t> begin_call(
        std::string_view provider, std::string_view model) = 0;
    /// Books what that call has used, as soon as its answer is in.
    virtual void settle(std::int64_t call, const call_usage& usage) = 0;
    /// That call was not made, or was refused before anything was billed.
    virtual void release(std::int64_t call) = 0;
};

/// Why there is no analysis.
struct analysis_failure {
    error why;
    /// Before which another try is not worth it.
    seconds_f not_before{0};
    /// The provider named that time itself: waiting for it is no failed attempt.
    bool asked_to_wait = false;

    analysis_failure() = default;
    /// Implicit, as a plain error is the usual case.
    analysis_failure(error why_not, seconds_f earliest = seconds_f{0}, bool was_asked = false)
        : why{std::move(why_not)}, not_before{earliest}, asked_to_wait{was_asked} {}
};

using analysis = boost::system::result<findings, analysis_failure>;

/// Makes `analysis::value()` throw when it holds no findings. Found by argument-dependent look-up.
[[noreturn]] inline void throw_exception_from_error(
    const analysis_failure& none, const boost::source_location& where) {
    reelsd::throw_exception_from_error(none.why, where);
}

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

    /// What analyze() would answer now without asking anybody, because its model is known not to
    /// answer; nothing when it would ask. Does not block.
    [[nodiscard]] virtual std::optional<analysis_failure> refusal() const { return std::nullopt; }

    /// Blocks until done, `by` or `stop`; leaves no file and no process behind.
    /// A stop does not discard an answer that is paid and usable: it is returned unchecked.
    /// Errors: model_refused, limit_reached (no paid calls left), unauthorized (the budget is
    /// spent), unsupported_format, video_too_long (final); model_unavailable, model_misconfigured,
    /// media_failed, timed_out, database_unavailable (worth another try); cancelled.
    [[nodiscard]] virtual analysis analyze(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const = 0;
};

}  // namespace reelsd::model
