#include <reelsd/base/bounds.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/result_document.hpp>
#include <reelsd/model/search_document.hpp>
#include <reelsd/platform/source.hpp>
#include <reelsd/work/analysis/call_recorder.hpp>
#include <reelsd/work/analysis/executor.hpp>
#include <reelsd/work/analysis/scratch.hpp>
#include <reelsd/work/analysis/shared_pacer.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace reelsd::work {
namespace {

/// One question to the database, asked before any work is done.
constexpr auto store_query_time_max = std::chrono::seconds{5};

/// Until the result of another job for the same post is looked for again. An analysis takes longer.
constexpr std::chrono::seconds same_post_wait{5};

/// What the steps of one attempt share.
struct attempt {
    const executor_parts& parts;
    const log::logger& log;
    const jobs::claimed_job& job;
    deadline by;
    std::stop_token stop;
    job_pacer pacer;
    /// The step that runs, for the log line of a failure.
    const char* step = "link";
    /// A test link's outcome is fixed: what its resolver says is not tried again.
    jobs::retry_allowed allowed = jobs::retry_allowed::yes;
    bool is_test = false;
    /// Set when the attempt ended because it is not its turn at the platform.
    std::optional<platform::postponement> postponed = {};
    /// Whether it then joins the line for a permit. The look-up of a share link needs none.
    bool joins_line = false;
    /// Another job of the account is at the same post, and its result is waited for.
    bool is_at_work_elsewhere = false;
    /// Set when the platform or the analyzer says when to come again.
    seconds_f not_before{0};
    bool asked_to_wait = false;
    /// Made for the first file: an attempt that ends before leaves the disk alone.
    std::optional<scratch_folder> scratch = {};
};

model::post_facts post_facts_of(const platform::post& found) {
    return {
        .code = found.code,
        .url = found.url,
        .author = found.author,
        .author_name = found.author_name,
        .author_verified = found.author_verified,
        .caption = found.caption,
        .hashtags = found.hashtags,
        .mentions = found.mentions,
        .like_count = found.like_count,
        .comment_count = found.comment_count,
        .view_count = found.view_count,
        .posted_at = found.posted_at,
        .thumbnail_url = found.thumbnail_url,
        .location = found.location,
        .music_title = found.music_title,
        .music_artist = found.music_artist};
}

/// One of the steps that people are told of.
void begin_step(attempt& now, const char* step) {
    now.step = step;
    if (now.parts.on_step) now.parts.on_step(now.job, step);
}

/// What has to be known of a look-up that ended without a post.
error take_failure(attempt& now, const platform::unresolved& none) {
    now.postponed = none.postponed;
    now.not_before = none.not_before;
    return none.why;
}

/// The link of the post itself. A share link is looked up once; later attempts read what it led to.
result<platform::link> expand(attempt& now, const platform::link& link) {
    if (link.kind == platform::link_kind::post) return link;
    auto& store = now.parts.store;
    const auto find_by = now.by.at_most(store_query_time_max);
    const auto known =
        wait_for(now.parts.loop, store.find_shared_post(now.job.id, find_by), find_by);
    if (!known) return known.error();
    if (*known) return platform::parse_link(**known);
    const auto found = now.parts.source.expand(
        link, now.parts.pacer, now.by.at_most(bounds::resolve_time_max), now.stop);
    if (!found) return take_failure(now, found.error());
    auto url = found->canonical_url();
    if (found->img_index) url += fmt::format("?img_index={}", *found->img_index);
    const auto keep_by = now.by.at_most(store_query_time_max);
    const auto kept = wait_for(
        now.parts.loop, store.keep_shared_post(now.job.id, std::move(url), keep_by), keep_by);
    if (!kept) return kept.error();
    return *found;
}

result<platform::post> resolve(
    attempt& now, const platform::link& link, const platform::excluded_resolvers& excluded) {
    begin_step(now, "resolve");
    auto found = now.parts.source.resolve(
        link, now.pacer, now.by.at_most(bounds::resolve_time_max), now.stop, excluded);
    if (found) return *std::move(found);
    if (link.is_test()) now.allowed = jobs::retry_allowed::no;
    now.joins_line = now.pacer.needs_permit();
    return take_failure(now, found.error());
}

result<platform::download_outcome> download(attempt& now, const platform::post& found) {
    if (!now.scratch) {
        now.step = "scratch";
        auto made = now.parts.scratch.make_folder(now.job);
        if (!made) return made.error();
        now.scratch.emplace(*std::move(made));
    }
    begin_step(now, "download");
    return now.parts.source.download(
        found, now.scratch->path() / "video", now.by.at_most(bounds::download_time_max), now.stop);
}

/// A machine too busy to look at the video within its time is no fault of the platform's.
error fault_of_this_machine(const error& why) {
    if (why.code() != errc::timed_out) return why;
    return error{errc::media_failed, "no end in time: " + why.detail()};
}

/// One file of two, where picture and sound came apart. Copying takes as long as looking at them.
result<platform::media_file> in_one_file(attempt& now, platform::media_file video) {
    if (!video.sound) return video;
    now.step = "join";
    const auto joined = now.scratch->path() / "joined";
    const auto made = now.parts.media.join(
        video.file, *video.sound, joined, now.by.at_most(bounds::probe_time_max), now.stop);
    if (!made) return fault_of_this_machine(made.error());
    return platform::describe_file(joined);
}

struct fetched {
    platform::post post;
    platform::media_file video;
};

/// Resolve and download. A media address that has expired is resolved again, once; for one that the
/// address guard refuses, the other resolvers are asked.
result<fetched> fetch(attempt& now, const platform::link& link) {
    platform::excluded_resolvers refused;
    bool has_expired = false;
    std::optional<error> last;
    for (;;) {
        auto found = resolve(now, link, refused);
        if (!found && !refused.empty() && found.error().code() != errc::cancelled) {
            now.postponed.reset();  // The first answer is not worth asking for again.
            return *last;
        }
        if (!found) return found.error();
        auto got = download(now, *found);
        if (!got) {
            last = got.error();
            const bool asks_on = last->code() == errc::address_refused && !found->resolver.empty();
            if (!asks_on || !refused.insert(found->resolver).second) return *last;
            now.log.warning(
                "media address refused",
                {{"job", now.job.id.value},
                 {"resolver", found->resolver},
                 {"reason", last->detail()}});
            continue;
        }
        if (auto* video = std::get_if<platform::media_file>(&*got)) {
            auto whole = in_one_file(now, std::move(*video));
            if (!whole) return whole.error();
            return fetched{std::move(*found), *std::move(whole)};
        }
        last = std::get<platform::stale_media>(*got).if_fresh;
        if (std::exchange(has_expired, true)) return *last;
    }
}

/// Which post and slide a link means: what is analysed once a day at most. Empty for test links,
/// whose way through the house is the point of them.
std::string post_key_of(const platform::link& link) {
    if (link.is_test()) return {};
    const std::string code{platform::public_code(link.code)};
    return link.img_index ? fmt::format("{}#{}", code, *link.img_index) : code;
}

/// What lists show of a result. It has been validated: all three are there.
jobs::reel_brief brief_of(const std::string& result_text) {
    const auto document = parse_foreign_json(result_text);
    const auto& post = document.at("platform_meta");
    return {
        .code = post.at("code").get<std::string>(),
        .author = post.at("author").get<std::string>(),
        .summary = document.at("content").at("summary").get<std::string>()};
}

/// What a search will find the result by.
result<jobs::search_entry> search_entry_of(
    const std::string& result_text, const model::embedder& embedder) {
    const auto document = model::search_document_of(result_text, embedder);
    if (!document) return document.error();
    jobs::search_entry entry{
        .words = {document->words.begin(), document->words.end()},
        .passages = model::passages_text(document->passages)};
    for (const auto& component : document->concepts) {
        entry.concepts.push_back(component.concept_id);
        entry.concept_weights.push_back(component.weight);
    }
    return entry;
}

/// An analysis of the same post by the same analyzer within a day, unless the caller wants none.
result<std::optional<jobs::completed>> copy_of_earlier(attempt& now, const std::string& post_key) {
    if (now.job.fresh || post_key.empty()) return std::optional<jobs::completed>{};
    now.step = "look for an earlier analysis";
    const std::string analyzer{now.parts.analyzer.name()};
    const auto by = now.by.at_most(store_query_time_max);
    auto earlier = wait_for(
        now.parts.loop,
        now.parts.store.find_earlier_analysis(now.job.account, post_key, analyzer, by),
        by);
    if (!earlier) return earlier.error();
    if (!*earlier) return std::optional<jobs::completed>{};
    auto brief = brief_of((*earlier)->result);
    auto entry = search_entry_of((*earlier)->result, now.parts.embedder);
    if (!entry) return entry.error();
    return std::optional{jobs::completed{
        .result = std::move((*earlier)->result),
        .brief = std::move(brief),
        .post_key = post_key,
        .analyzer = analyzer,
        .analyzed_at = (*earlier)->analyzed_at,
        .unpaid_model = {},
        .search = *std::move(entry),
        .thumbnail = std::move((*earlier)->thumbnail)}};
}

/// One account does not pay twice for the same post at the same time: the later job waits for the
/// result of the earlier one.
result<void> begin_post(attempt& now, const std::string& post_key) {
    if (!now.parts.analysis_costs_money || post_key.empty()) return {};
    now.step = "mark the post";
    const std::string analyzer{now.parts.analyzer.name()};
    const auto by = now.by.at_most(store_query_time_max);
    const auto begun =
        wait_for(now.parts.loop, now.parts.store.begin_post(now.job, post_key, analyzer, by), by);
    if (!begun) return begun.error();
    now.is_at_work_elsewhere = *begun == jobs::post_start::at_work_elsewhere;
    if (now.is_at_work_elsewhere) return error{errc::cancelled, "another job is at the same post"};
    return {};
}

/// Turns at the platform are few: none is taken for a video that no model may be asked about. The
/// ledger decides again when a call is begun.
result<void> check_budget(attempt& now) {
    if (now.is_test || !now.parts.analysis_costs_money) return {};
    now.step = "look at the budget";
    return now.parts.recorder.check_budget(now.job.account, now.by.at_most(store_query_time_max));
}

/// The analyzer's, or one of its own child process. Nothing when none could be made, or when the
/// attempt is asked to stop: repeating the analysis would cost more than a picture is worth.
std::optional<jobs::reel_thumbnail> take_thumbnail(
    attempt& now, std::optional<media::thumbnail_report> of_analyzer,
    const platform::media_file& video) {
    now.step = "thumbnail";
    auto taken = of_analyzer
                     ? result<media::thumbnail_report>{*std::move(of_analyzer)}
                     : now.parts.media.thumbnail(
                           video.file, now.by.at_most(bounds::thumbnail_time_max), now.stop);
    if (taken) {
        return jobs::reel_thumbnail{
            .jpeg = std::move(taken->jpeg), .small_jpeg = std::move(taken->small_jpeg)};
    }
    const auto& why = taken.error();
    if (why.code() != errc::cancelled)
        now.log.warning(
            "no thumbnail could be made",
            {{"job", now.job.id.value}, {"code", name_of(why.code())}, {"reason", why.detail()}});
    return std::nullopt;
}

const model::analyzer& analyzer_of(const attempt& now) {
    return now.is_test ? now.parts.free_analyzer : now.parts.analyzer;
}

/// Notes when to ask again.
error no_analysis(attempt& now, const model::analysis_failure& none) {
    now.not_before = none.not_before;
    now.asked_to_wait = none.asked_to_wait;
    return none.why;
}

/// What the video shows and says, by the analyzer that is meant for it.
result<model::findings> ask_analyzer(attempt& now, const model::video_input& input) {
    begin_step(now, "analyze");
    job_call_ledger ledger{now.parts.recorder, now.job};
    auto said = analyzer_of(now).analyze(input, ledger, now.by, now.stop);
    if (said) return *std::move(said);
    return fault_of_this_machine(no_analysis(now, said.error()));
}

result<jobs::completed> analyze(attempt& now, const fetched& subject, const std::string& post_key) {
    begin_step(now, "probe");
    const auto probe =
        now.parts.media.probe(subject.video.file, now.by.at_most(bounds::probe_time_max), now.stop);
    if (!probe) return fault_of_this_machine(probe.error());

    const model::video_input input{
        .file = subject.video.file,
        .probe = *probe,
        .caption = subject.post.caption.value_or(""),
        .hashtags = subject.post.hashtags,
        .scratch = now.scratch->path()};
    auto said = ask_analyzer(now, input);
    if (!said) return said.error();

    now.step = "assemble";
    const model::file_facts file{
        .probe = *probe,
        .size_bytes = static_cast<std::int64_t>(subject.video.size_bytes),
        .sha256 = subject.video.sha256};
    auto document = model::assemble_result(*said, file, post_facts_of(subject.post));
    if (!document) return document.error();
    auto brief = brief_of(*document);
    auto entry = search_entry_of(*document, now.parts.embedder);
    if (!entry) return entry.error();
    return jobs::completed{
        .result = *std::move(document),
        .brief = std::move(brief),
        .post_key = post_key,
        .analyzer = said->analyzer,
        .analyzed_at = std::nullopt,
        .unpaid_model = said->provider == "local" ? said->model_name : std::string{},
        .search = *std::move(entry),
        .thumbnail = take_thumbnail(now, std::move(said->thumbnail), subject.video)};
}

result<jobs::completed> run_steps(attempt& now, const platform::link& link) {
    now.step = "link";
    now.is_test = link.is_test();
    const auto meant = expand(now, link);
    if (!meant) return meant.error();
    const auto post_key = post_key_of(*meant);
    if (const auto begun = begin_post(now, post_key); !begun) return begun.error();
    auto copied = copy_of_earlier(now, post_key);
    if (!copied) return copied.error();
    if (*copied) return **std::move(copied);

    if (const auto may_spend = check_budget(now); !may_spend) return may_spend.error();
    // Before the platform is asked: a look-up is worth nothing while the model cannot be.
    now.step = "analyze";
    if (const auto none = analyzer_of(now).refusal()) return no_analysis(now, *none);

    const auto subject = fetch(now, *meant);
    if (!subject) return subject.error();
    return analyze(now, *subject, post_key);
}

time_point wall_clock_now() {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
}

}  // namespace

jobs::transition executor::run(const jobs::claimed_job& job, std::stop_token stop) const noexcept {
    if (stop.stop_requested()) return jobs::handed_back{};
    attempt now{
        .parts = parts_,
        .log = log_,
        .job = job,
        .by = deadline::after(bounds::job_time_max),
        .stop = std::move(stop),
        .pacer{parts_.pacer, job}};
    result<jobs::completed> outcome = error{errc::internal, "no outcome"};
    try {
        const auto link = platform::parse_link(job.url);
        if (link) {
            outcome = run_steps(now, *link);
        } else {
            // It was accepted once: a rule has become stricter since, or the row was edited.
            outcome = error{errc::internal, "stored link: " + link.error().detail()};
        }
    } catch (const std::exception& thrown) {
        outcome = error{errc::internal, thrown.what()};
    }
    if (outcome) return *std::move(outcome);
    const auto& why = outcome.error();
    if (now.is_at_work_elsewhere) return jobs::postponed{.delay = same_post_wait};
    if (now.postponed && now.joins_line) {
        return jobs::awaiting_permit{parts_.pacer.host()};
    }
    if (now.postponed) return jobs::at_step(postpone(job, why, *now.postponed), now.step);
    if (now.asked_to_wait) {
        // The analyzer has told why; nothing has failed here.
        log_.debug(
            "job waits until the model may be asked",
            {{"job", job.id.value}, {"seconds", now.not_before.count()}, {"reason", why.detail()}});
        const jobs::postponement until{
            .wait = now.not_before, .is_cooldown = true, .of = why.code()};
        return jobs::at_step(
            jobs::after_postponement(job, until, wall_clock_now(), policy_), now.step);
    }
    if (why.code() != errc::cancelled) {
        log_.warning(
            "attempt failed",
            {{"job", job.id.value},
             {"attempt", job.attempt},
             {"step", now.step},
             {"code", name_of(why.code())},
             {"reason", why.detail()}});
    }
    if (why.code() == errc::database_unavailable) {
        return jobs::at_step(
            jobs::after_outage(job, why, wall_clock_now(), policy_, random_between(0.0, 1.0)),
            now.step);
    }
    return jobs::at_step(
        jobs::after_failure(
            job, why, now.allowed, policy_, random_between(0.0, 1.0), now.not_before),
        now.step);
}

jobs::transition executor::postpone(
    const jobs::claimed_job& job, const error& why, const platform::postponement& until) const {
    const log::fields about{
        {"job", job.id.value}, {"seconds", until.wait.count()}, {"reason", why.detail()}};
    if (until.is_cooldown)
        log_.info("job waits until the platform may be asked again", about);
    else
        log_.debug("job waits for its turn at the platform", about);
    const jobs::postponement later{
        .wait = until.wait, .is_cooldown = until.is_cooldown, .of = errc::platform_rate_limited};
    return jobs::after_postponement(job, later, wall_clock_now(), policy_);
}

}  // namespace reelsd::work
