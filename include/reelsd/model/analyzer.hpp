#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>
#include <reelsd/model/analysis_options.hpp>
#include <reelsd/model/findings.hpp>

#include <boost/core/noncopyable.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::model {

struct video_input {
    std::filesystem::path file;  ///< Downloaded, readable, not changed during the call.
    media::probe_report probe;   ///< Measured from that file; see analyzer::needs_probe().
    std::string caption;         ///< The post's caption; untrusted, may be empty, may not be UTF-8.
    std::vector<std::string> hashtags;  ///< The post's hashtags, without the sign; untrusted.
    std::filesystem::path scratch;      ///< A folder of this job, for temporary files.
    analysis_options options = {};      ///< What the caller requests; untrusted.
    bool wants_stills = false;          ///< Whether pictures of key moments are used.
};

/// What providers count separately. The ledger has these names.
BOOST_DEFINE_FIXED_ENUM_CLASS(modality, std::uint8_t, text, image, video, audio, document, other)

struct modality_tokens {
    modality kind = modality::other;
    std::int64_t prompt = 0;  ///< Including cached ones.
    std::int64_t cached_prompt = 0;
    std::int64_t output = 0;
};

/// The tokens of one call, as counted by the provider.
struct token_counts {
    std::int64_t prompt = 0;         ///< All input tokens, including cached ones.
    std::int64_t cached_prompt = 0;  ///< The part of `prompt` that has the cheaper price.
    std::int64_t output = 0;         ///< Including thinking tokens.
    std::int64_t thinking = 0;       ///< The part of `output` that is not returned.
    std::vector<modality_tokens> by_modality = {};  ///< As far as reported.
};

/// The usage of one paid call. Calls that failed after the provider answered count too.
struct call_usage {
    token_counts tokens;
    /// Picodollars (1e-12 US dollars), because prices are decimals per million tokens: a price with
    /// up to six decimals remains exact. Absent when the price is unknown.
    std::optional<std::int64_t> cost_picodollars;
    std::string response_id;              ///< The provider's ID of its answer; may be empty.
    std::int64_t audio_milliseconds = 0;  ///< Sound that was transcribed.
    /// The answer as a JSON value, kept for later attempts at the job; an empty JSON string if it
    /// was cut off; empty: not kept.
    std::string kept_answer = {};
};

enum class call_kind : std::uint8_t {
    answer,              ///< A model's answer: an analysis or an answer to a question.
    transcription,       ///< A transcript by a speech server.
    free_transcription,  ///< The same, by a model that is known to cost nothing.
};

/// Records the paid calls of one job. Called on the worker thread that runs analyze(); may block.
/// Separate from the outcome, because a call is paid even if the analysis fails: its usage
/// must be stored before the next call starts.
class call_ledger : boost::noncopyable {
public:
    virtual ~call_ledger() = default;

    /// Reserves one of the job's paid calls and returns its number. Over all attempts at the job
    /// there are at most 3 for answers, and 1 for a transcription, unless that is free. A call that
    /// is neither settled nor released remains counted, at an unknown cost.
    /// Errors: unauthorized when the account's monthly budget is spent, limit_reached when the job
    /// has no call left, database_unavailable, cancelled.
    [[nodiscard]] virtual result<std::int64_t> begin_call(
        std::string_view provider, std::string_view model, call_kind kind) = 0;
    /// Records the usage of a call as soon as its answer has arrived.
    virtual void settle(std::int64_t call, const call_usage& usage) = 0;
    /// What `kept_answer` of the usage was in the calls of this job, provider, model and kind: each
    /// on a line, the oldest first; of transcriptions, only the last. Empty if there was none.
    /// Errors: database_unavailable.
    [[nodiscard]] virtual result<std::string> kept_answer(
        std::string_view /*provider*/, std::string_view /*model*/, call_kind /*kind*/) {
        return std::string{};
    }
    /// "provider/model" whose answer to this job is kept; empty if there is none that was not cut
    /// off. Errors: database_unavailable.
    [[nodiscard]] virtual result<std::string> answered_model() { return std::string{}; }
    /// The call was not made, or was refused before anything was billed.
    virtual void release(std::int64_t call) = 0;
};

struct analysis_failure {
    error why;
    /// Earliest useful time of another attempt, from now.
    seconds_f not_before{0};
    /// The provider named that time, so waiting for it is not a failed attempt.
    bool asked_to_wait = false;

    analysis_failure() = default;
    // Implicit: a plain error is the usual case.
    analysis_failure(error why_not, seconds_f earliest = seconds_f{0}, bool was_asked = false)
        : why{std::move(why_not)}, not_before{earliest}, asked_to_wait{was_asked} {}
};

using analysis = boost::system::result<findings, analysis_failure>;

/// Makes `analysis::value()` throw when it holds no findings. Found by argument-dependent look-up.
[[noreturn]] inline void throw_exception_from_error(
    const analysis_failure& none, const boost::source_location& where) {
    reelsd::throw_exception_from_error(none.why, where);
}

/// Turns a video into findings. Knows no database, job or request. Thread-safe.
class analyzer : boost::noncopyable {
public:
    virtual ~analyzer() = default;

    /// Provider, model and version of the rules, such as "local/reelsd-local-1". Analyses of one
    /// name are interchangeable.
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Names of the analyses that may be reused in place of a new one, the preferred name first.
    [[nodiscard]] virtual std::vector<std::string_view> reusable() const { return {name()}; }

    /// The failure that analyze() would return now without any request, because the model is known
    /// to be unavailable. Empty if it would send a request. Does not block.
    [[nodiscard]] virtual std::optional<analysis_failure> refusal() const { return std::nullopt; }

    /// Whether analyze() reads `video_input::probe`. Otherwise its findings have their own.
    [[nodiscard]] virtual bool needs_probe() const noexcept { return true; }

    /// Blocks until done, `by` or `stop`; leaves no file and no process behind. After a stop, an
    /// answer that is paid and usable is returned unchecked.
    /// Errors: model_refused, limit_reached (no paid calls left), unauthorized (the budget is
    /// spent), unsupported_format, video_too_long (final); model_unavailable, model_misconfigured,
    /// media_failed, timed_out, database_unavailable (temporary); cancelled.
    [[nodiscard]] virtual analysis analyze(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const = 0;
};

/// Several analyzers. Each replaces those before it while they are unavailable, which its warnings
/// say. A refused video is not passed on. A model whose answer is kept comes first.
class analyzer_chain final : public analyzer {
public:
    /// At least one analyzer, none null.
    analyzer_chain(std::vector<std::unique_ptr<analyzer>> links, log::logger log);

    /// That of the first one, which the operator prefers.
    [[nodiscard]] std::string_view name() const noexcept override { return links_.front()->name(); }

    /// Those of all models, so that no replacement is paid twice. That of a local analyzer only
    /// while all before it refuse, because another local analysis is free.
    [[nodiscard]] std::vector<std::string_view> reusable() const override;

    /// The first one's, if all have one.
    [[nodiscard]] std::optional<analysis_failure> refusal() const override;

    [[nodiscard]] bool needs_probe() const noexcept override {
        return std::ranges::any_of(links_, [](const auto& link) { return link->needs_probe(); });
    }

    /// The first one's failure if all are unavailable.
    [[nodiscard]] analysis analyze(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const override;

private:
    std::vector<std::unique_ptr<analyzer>> links_;
    log::logger log_;
};

}  // namespace reelsd::model
