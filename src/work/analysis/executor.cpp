#include "step_failure.hpp"
#include "uploaded_video.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/failure_text.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/analysis_options.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/local_analyzer.hpp>
#include <reelsd/model/result_document.hpp>
#include <reelsd/model/search_document.hpp>
#include <reelsd/platform/source.hpp>
#include <reelsd/work/analysis/call_recorder.hpp>
#include <reelsd/work/analysis/executor.hpp>
#include <reelsd/work/analysis/kept_media.hpp>
#include <reelsd/work/analysis/scratch.hpp>
#include <reelsd/work/analysis/shared_rate_limiter.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

namespace reelsd::work {
namespace {

/// One statement, before any work is done.
constexpr auto store_query_time_max = std::chrono::seconds{5};

/// Pause before another job's result for the same post is checked again. Analyses take longer.
constexpr std::chrono::seconds same_post_wait{5};

/// Pause before the next attempt while call_recorder still writes a paid answer. It retries more
/// often, and the queue waits as long after an expired lease.
constexpr std::chrono::seconds unsaved_answer_wait{10};

/// The current step, for progress displays and for the log line of a failure.
class progress {
public:
    progress(const executor_dependencies& parts, const jobs::claimed_job& job)
        : on_step_{parts.on_step}, job_{job} {}

    void begin(const char* step) noexcept { step_ = step; }
    /// Begins a step that clients see.
    void begin_shown(const char* step) {
        begin(step);
        if (on_step_) on_step_(job_, step);
    }
    [[nodiscard]] const char* step() const noexcept { return step_; }

private:
    const std::function<void(const jobs::claimed_job&, std::string_view)>& on_step_;
    const jobs::claimed_job& job_;
    const char* step_ = "link";
};

/// Context of the steps of one attempt.
struct attempt {
    const executor_dependencies& parts;
    const log::logger& log;
    const jobs::claimed_job& job;
    const platform::link& link;  ///< Empty for an upload.
    deadline by;
    std::stop_token stop;
    job_rate_limiter& rate_limiter;
    progress& now;
    model::analysis_options options = {};
    attempt_analyzer chosen;  ///< By the submission, or by the settings.

    /// A test link is free whatever the settings are, and its outcome is fixed.
    [[nodiscard]] const model::analyzer& analyzer() const {
        return link.is_test() ? parts.free_analyzer : *chosen.analyzer;
    }
    [[nodiscard]] bool costs_money() const {
        return chosen.costs_money && !link.is_test() && options.analyzer != model::local_provider;
    }
    /// Without a budget, transcription is left out, and the analysis is made all the same.
    [[nodiscard]] bool may_pay() const {
        return costs_money() || (parts.transcription_costs_money && !link.is_test());
    }
    template <class Statement>
    [[nodiscard]] auto ask(const Statement& statement) const {
        const auto until = by.at_most(store_query_time_max);
        return wait_for(parts.loop, statement(until), until);
    }
    /// Identifies what may replace an analysis: made by `analyzer`, by its name, with equal
    /// options.
    [[nodiscard]] std::string identity_of(std::string_view analyzer) const {
        const auto digest = model::digest_of(options);
        return digest.empty() ? std::string{analyzer} : fmt::format("{}/{}", analyzer, digest);
    }
};

/// Returns the link of the post itself. Looks up a share link once; later attempts read the result.
step_result<platform::link> expand(const attempt& in) {
    if (in.link.kind == platform::link_kind::post) return in.link;
    auto& store = in.parts.store;
    const auto known = in.ask([&](deadline by) { return store.find_shared_post(in.job.id, by); });
    if (!known) return known.error();
    if (*known) {
        const auto link = platform::parse_link(**known);
        if (!link) return link.error();
        return *link;
    }
    // The look-up needs no permit.
    const auto expanded = in.parts.source.expand(
        in.link, in.parts.rate_limiter, in.by.at_most(bounds::resolve_time_max), in.stop);
    if (!expanded) return failure_of(expanded.error());
    auto url = expanded->canonical_url();
    if (expanded->img_index) url += fmt::format("?img_index={}", *expanded->img_index);
    const auto stored =
        in.ask([&](deadline by) { return store.keep_shared_post(in.job.id, url, by); });
    if (!stored) return stored.error();
    return *expanded;
}

step_result<platform::post> resolve(
    const attempt& in, const platform::link& link, const platform::lookup_options& options) {
    in.now.begin_shown("resolve");
    auto post = in.parts.source.resolve(
        link, in.rate_limiter, in.by.at_most(bounds::resolve_time_max), in.stop, options);
    if (post) return *std::move(post);
    auto failed = failure_of(post.error());
    if (failed.what == obstacle::platform_pace && in.rate_limiter.needs_permit()) {
        failed.what = obstacle::no_permit;
    }
    if (link.is_test()) failed.allowed = jobs::retry_allowed::no;
    return failed;
}

/// Maps a timeout to media_failed: this machine was too busy; the platform is not the cause.
error fault_of_this_machine(const error& why) {
    if (why.code() != errc::timed_out) return why;
    return error{errc::media_failed, "no end in time: " + why.detail()};
}

/// Joins separate picture and sound into one file. Copying takes as long as probing.
result<platform::media_file> join_tracks(
    const attempt& in, const std::filesystem::path& folder, platform::media_file video) {
    if (!video.sound) return video;
    in.now.begin("join");
    const auto joined = folder / "joined";
    const auto muxed = in.parts.media.join(
        video.file, *video.sound, joined, in.by.at_most(bounds::probe_time_max), in.stop);
    if (!muxed) return fault_of_this_machine(muxed.error());
    return platform::describe_file(joined);
}

/// The failure of a look-up after `last`, the failure of a download. It counts as an attempt even
/// without a permit: the file may be missing forever.
step_failure after_download(
    step_failure failed, const platform::lookup_options& options, const error& last) {
    if (failed.why.code() == errc::cancelled) return failed;
    if (!options.excluded.empty()) return last;  // A retry would get the same address.
    if (failed.what != obstacle::failure) return error{errc::platform_failed, last.detail()};
    failed.cooldown_left = {};
    return failed;
}

/// Resolves and downloads. An expired media address is resolved again, once. If the address guard
/// refuses an address, the other resolvers are tried.
step_result<fetched> fetch(const attempt& in, const platform::link& link) {
    platform::lookup_options options;
    bool has_expired = false;
    std::optional<error> last;
    // Created for the first file, so that an attempt that ends earlier does not touch the disk.
    std::optional<scratch_folder> scratch;
    for (;;) {
        auto post = resolve(in, link, options);
        if (!post) return last ? after_download(post.error(), options, *last) : post.error();
        if (!scratch) {
            in.now.begin("scratch");
            auto folder = in.parts.scratch.make_folder(in.job);
            if (!folder) return folder.error();
            scratch.emplace(*std::move(folder));
        }
        in.now.begin_shown("download");
        auto download = in.parts.source.download(
            *post, scratch->path() / "video", in.by.at_most(bounds::download_time_max), in.stop);
        options.is_repeat = true;
        if (!download) {
            last = download.error();
            const bool asks_on = last->code() == errc::address_refused && !post->resolver.empty();
            if (!asks_on || !options.excluded.insert(post->resolver).second) return *last;
            in.log.warning(
                "media address refused",
                {{"job", in.job.id.value},
                 {"resolver", post->resolver},
                 {"reason", last->detail()}});
            continue;
        }
        if (auto* video = std::get_if<platform::media_file>(&*download)) {
            auto whole = join_tracks(in, scratch->path(), std::move(*video));
            if (!whole) return whole.error();
            return fetched{*std::move(post), *std::move(whole), *std::move(scratch), nullptr};
        }
        last = std::get<platform::stale_media>(*download).if_fresh;
        if (std::exchange(has_expired, true)) return *last;
    }
}

/// The fields of a result that lists show. The result is validated, so all three exist.
jobs::reel_brief brief_of(const json& document) {
    const auto& post = document.at("platform_meta");
    return {
        .code = post.at("code").get<std::string>(),
        .author = post.at("author").get<std::string>(),
        .summary = document.at("content").at("summary").get<std::string>()};
}

/// The other data of a result that lists show.
std::string list_details_of(const json& document) {
    constexpr std::size_t topics_max = 5;
    const auto& topics = document.at("content").at("topics");
    auto shown = json::array();
    for (const auto& topic : topics) {
        if (shown.size() < topics_max) shown.push_back(topic);
    }
    const auto& duration = document.at("metadata").at("duration_seconds");
    return json{{"duration_seconds", duration}, {"topics", std::move(shown)}}.dump();
}

result<jobs::completed> completion_of(
    const json& document, const std::string& post_key, std::string analyzer, stored_media media,
    const model::embedder& embedder) {
    auto text = model::result_text(document);
    if (!text) return text.error();
    const auto index = model::search_document_from(document, embedder);
    if (!index) return index.error();
    jobs::completed completed{
        .result = *std::move(text),
        .brief = brief_of(document),
        .post_key = post_key,
        .analyzer = std::move(analyzer),
        .list_details = list_details_of(document),
        .search = {.passages = model::passages_text(index->passages)},
        .frames = std::move(media.frames),
        .video = std::move(media.video)};
    for (const auto& words : index->words)
        completed.search.words.push_back(model::indexed_text(words));
    for (const auto& component : index->concepts) {
        completed.search.concepts.push_back(component.concept_id);
        completed.search.concept_weights.push_back(component.weight);
    }
    return completed;
}

/// Returns a reusable analysis of the same post within a day, unless the caller refuses reuse.
result<std::optional<jobs::completed>> copy_of_earlier(
    const attempt& in, const std::string& post_key) {
    if (in.job.fresh || post_key.empty()) return std::optional<jobs::completed>{};
    in.now.begin("look for an earlier analysis");
    std::vector<std::string> names;
    for (const auto name : in.chosen.analyzer->reusable()) names.push_back(in.identity_of(name));
    auto earlier = in.ask([&](deadline by) {
        return in.parts.store.find_earlier_analysis(in.job.account, post_key, names, by);
    });
    if (!earlier) return earlier.error();
    if (!*earlier) return std::optional<jobs::completed>{};
    auto document = parse_foreign_json((*earlier)->result);
    // The same bytes may have been uploaded under another name or with another link.
    if (in.job.is_upload) set_origin(document.at("platform_meta"), in.job);
    auto media = in.parts.media_kept.copy(
        in.job, document, (*earlier)->job, media_key_of(in.job, post_key), {in.by, in.stop});
    if (!media) return media.error();
    auto copied = completion_of(
        document, post_key, (*earlier)->analyzer, *std::move(media), in.parts.embedder);
    if (!copied) return copied.error();
    copied->analyzed_at = (*earlier)->analyzed_at;
    copied->thumbnail = std::move((*earlier)->thumbnail);
    copied->extract = std::move((*earlier)->extract);
    copied->extract_error = std::move((*earlier)->extract_error);
    return std::optional{*std::move(copied)};
}

/// Keeps an account from paying twice for the same post at the same time: the later job waits for
/// the earlier one's result.
step_result<void> begin_post(const attempt& in, const std::string& post_key) {
    if (!in.may_pay() || post_key.empty()) return {};
    in.now.begin("mark the post");
    const auto analyzer = in.identity_of(in.chosen.analyzer->name());
    const auto begun = in.ask(
        [&](deadline by) { return in.parts.store.begin_post(in.job, post_key, analyzer, by); });
    if (!begun) return begun.error();
    if (*begun != jobs::post_start::at_work_elsewhere) return {};
    const error why{errc::cancelled, "another job analyses the same post"};
    return step_failure{why, obstacle::same_post, same_post_wait};
}

/// Saves platform requests, which are limited, for videos that a model may analyse. The ledger
/// decides again when a call begins.
result<void> check_budget(const attempt& in) {
    if (!in.costs_money()) return {};
    in.now.begin("look at the budget");
    return in.parts.recorder.check_budget(in.job.account, in.by.at_most(store_query_time_max));
}

/// Fails while no model may be called, because the video would be useless. An answer that an
/// earlier attempt has left needs no call.
step_result<void> check_models(const attempt& in) {
    in.now.begin("look for an earlier answer");
    const bool is_first = in.job.claim == 1;
    const auto answered =
        is_first ? result<std::string>{""} : in.parts.recorder.answered_model(in.job.id);
    if (!answered) return answered.error();
    if (!answered->empty()) return {};
    if (const auto may_spend = check_budget(in); !may_spend) return may_spend.error();
    in.now.begin("analyze");
    if (const auto refusal = in.analyzer().refusal()) return failure_of(*refusal);
    return {};
}

/// Analyses the video with the analyzer for its kind of link.
step_result<model::findings> ask_analyzer(
    const attempt& in, const model::video_input& input, job_call_ledger& ledger) {
    in.now.begin_shown("analyze");
    auto findings = in.analyzer().analyze(input, ledger, in.by, in.stop);
    if (findings) return *std::move(findings);
    auto failed = failure_of(findings.error());
    failed.why = fault_of_this_machine(failed.why);
    return failed;
}

/// Measures the video for an analyzer that does not do so itself.
result<media::probe_report> probe(const attempt& in, const std::filesystem::path& video) {
    in.now.begin_shown("probe");
    auto probed = in.parts.media.probe(video, in.by.at_most(bounds::probe_time_max), in.stop);
    if (!probed) return fault_of_this_machine(probed.error());
    return probed;
}

step_result<jobs::completed> analyze(
    const attempt& in, const fetched& subject, const std::string& post_key,
    job_call_ledger& ledger) {
    auto measured =
        in.analyzer().needs_probe() ? probe(in, subject.video.file) : result<media::probe_report>{};
    if (!measured) return measured.error();

    const model::video_input input{
        .file = subject.video.file,
        .probe = *measured,
        .caption = subject.post.caption.value_or(""),
        .hashtags = subject.post.hashtags,
        .scratch = subject.scratch.path(),
        .options = in.options,
        .wants_stills = in.parts.media_kept.makes_frames()};
    auto findings = ask_analyzer(in, input, ledger);
    if (!findings) return findings.error();

    in.now.begin("assemble");
    const model::file_facts file{
        .probe = findings->probe.value_or(*measured),
        .size_bytes = static_cast<std::int64_t>(subject.video.size_bytes),
        .sha256 = subject.video.sha256};
    auto post = platform::platform_meta_of(subject.post);
    if (in.job.is_upload) set_origin(post, in.job);
    auto document = model::assemble_result(*findings, file, post);
    if (!document) return document.error();
    if (!subject.platform_meta.is_null()) (*document)["platform_meta"] = subject.platform_meta;
    in.now.begin("store media");
    auto media = in.parts.media_kept.store(
        in.job,
        *document,
        findings->stills,
        subject.video,
        media_key_of(in.job, post_key),
        {in.by, in.stop});
    if (!media) return media.error();
    auto completed = completion_of(
        *document,
        post_key,
        in.identity_of(findings->analyzer),
        *std::move(media),
        in.parts.embedder);
    if (!completed) return completed.error();
    in.now.begin("thumbnail");
    auto thumbnail = in.parts.media_kept.thumbnail(
        in.job, std::move(findings->thumbnail), subject.video, {in.by, in.stop});
    if (!thumbnail) return thumbnail.error();
    completed->thumbnail = *std::move(thumbnail);
    if (findings->provider == "local") completed->unpaid_model = findings->model_name;
    if (!findings->extract.empty()) completed->extract = std::move(findings->extract);
    if (!findings->extract_error.empty())
        completed->extract_error = std::move(findings->extract_error);
    return *std::move(completed);
}

/// Writes an uploaded video where a download would be.
step_result<fetched> fetch_upload(
    const attempt& in, const jobs::uploaded_video& video, platform::post post) {
    in.now.begin("scratch");
    auto scratch = in.parts.scratch.make_folder(in.job);
    if (!scratch) return scratch.error();
    in.now.begin_shown("download");
    auto file = write_upload(
        in.parts.loop,
        in.parts.uploads,
        video,
        scratch->path() / "video",
        in.by.at_most(bounds::download_time_max),
        in.stop);
    if (!file) return file.error();
    return fetched{std::move(post), *std::move(file), *std::move(scratch), nullptr};
}

using video_source = std::function<step_result<fetched>()>;

/// Copies an earlier analysis, or fetches and analyses the video.
step_result<jobs::completed> copy_or_analyze(
    const attempt& in, const std::string& post_key, const video_source& fetch_video) {
    if (const auto begun = begin_post(in, post_key); !begun) return begun.error();
    auto copied = copy_of_earlier(in, post_key);
    if (!copied) return copied.error();
    if (*copied) return **std::move(copied);
    if (const auto useful = check_models(in); !useful) return useful.error();
    const auto subject = fetch_video();
    if (!subject) return subject.error();
    job_call_ledger ledger{in.parts.recorder, in.job};
    auto analyzed = analyze(in, *subject, post_key, ledger);
    if (analyzed || !ledger.has_unsaved_answer()) return analyzed;
    const auto& why = analyzed.error().why;
    if (why.code() != errc::cancelled) return analyzed;
    return step_failure{why, obstacle::unsaved_answer, unsaved_answer_wait};
}

step_result<jobs::completed> run_steps(const attempt& in) {
    if (in.job.is_upload) {
        const auto video = find_upload(in.parts.loop, in.parts.uploads, in.job, in.by);
        if (!video) return video.error();
        const auto post = post_of(in.job, *video);
        return copy_or_analyze(
            in, upload_key_of(*video, post), [&] { return fetch_upload(in, *video, post); });
    }
    const auto link = expand(in);
    if (!link) return link.error();
    const auto post_key = post_key_of(*link);
    return copy_or_analyze(in, post_key, [&]() -> step_result<fetched> {
        in.now.begin("kept video");
        auto kept = in.parts.media_kept.fetch(in.job, post_key, {in.by, in.stop});
        if (!kept) return kept.error();
        if (!*kept) return fetch(in, *link);
        return **std::move(kept);
    });
}

/// Rewords a platform failure on a server that has never had an answer: another submission would
/// most likely fail too.
void describe_never_answered(
    const executor_dependencies& parts, const log::logger& log, const jobs::claimed_job& job,
    jobs::transition& ended) {
    auto* const failure = std::get_if<jobs::failed>(&ended);
    const auto link = platform::parse_link(job.url);
    if (failure == nullptr || job.is_upload || !link || link->is_test()) return;
    auto text = jobs::unanswered_text(failure->why.cause);
    if (text.empty() || parts.rate_limiter.has_ever_answered(deadline::after(store_query_time_max)))
        return;
    failure->text = std::move(text);
    log.warning(
        "platform has never answered this server",
        {{"host", parts.rate_limiter.host()},
         {"remedy", "platform-proxy, platform-cookies-file or an upload"}});
}

}  // namespace

jobs::transition executor::run(const jobs::claimed_job& job, std::stop_token stop) const noexcept {
    if (stop.stop_requested()) return jobs::released{};
    progress now{parts_, job};
    job_rate_limiter rate_limiter{parts_.rate_limiter, job};
    step_result<jobs::completed> outcome = error{errc::internal, "no outcome"};
    try {
        const auto link = job.is_upload ? result<platform::link>{platform::link{}}
                                        : platform::parse_link(job.url);
        auto options = model::analysis_options_from(job.options);
        // Both were accepted before: a rule has become stricter, or the row was edited.
        if (!link) {
            outcome = error{errc::internal, "stored link: " + link.error().detail()};
        } else if (!options) {
            outcome = error{errc::internal, "stored options: " + options.error().detail()};
        } else if (auto chosen = parts_.analyzer(options->analyzer); chosen.analyzer) {
            outcome = run_steps(
                {.parts = parts_,
                 .log = log_,
                 .job = job,
                 .link = *link,
                 .by = deadline::after(bounds::job_time_max),
                 .stop = std::move(stop),
                 .rate_limiter = rate_limiter,
                 .now = now,
                 .options = *std::move(options),
                 .chosen = std::move(chosen)});
        } else {
            // Another daemon has accepted it, or the settings have changed since.
            outcome = error{
                errc::model_misconfigured,
                "the analyzer " + options->analyzer + " is not configured here"};
        }
    } catch (const std::exception& thrown) {
        outcome = error{errc::internal, thrown.what()};
    }
    if (outcome) return *std::move(outcome);
    const auto& failed = outcome.error();
    jobs::transition ended;
    switch (failed.what) {
        case obstacle::no_permit: return jobs::awaiting_permit{parts_.rate_limiter.host()};
        case obstacle::same_post:
        case obstacle::unsaved_answer: return jobs::snoozed{.delay = failed.not_before};
        case obstacle::platform_pace:
        case obstacle::model_wait: ended = after_wait(job, failed, policy_, log_); break;
        case obstacle::failure: ended = after_failure(job, failed, now.step(), policy_, log_);
    }
    if (failed.what != obstacle::model_wait) describe_never_answered(parts_, log_, job, ended);
    return jobs::at_step(std::move(ended), now.step());
}

}  // namespace reelsd::work
