#include "../answer.hpp"
#include "../local/description.hpp"
#include "../local_checks.hpp"
#include "chat_api.hpp"
#include "gemini_api.hpp"
#include "openai_api.hpp"
#include "retry_loop.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/remote_analyzer.hpp>
#include <reelsd/net/http_client.hpp>

#include <boost/algorithm/string/join.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::model {
namespace {

std::unique_ptr<net::http_client> client_for(
    const remote_settings& settings, const std::string& base_url) {
    return std::make_unique<net::http_client>(
        client_settings(base_url, settings.by_proxy, settings.ca_file));
}

analysis_failure analysis_failure_from(const call_error& failed) {
    return {error_from(failed.why), failed.not_before, failed.asked_to_wait};
}

/// A provider that cannot read a text is configured wrongly, unlike one that cannot read a video.
analysis_failure text_failure_from(const call_error& failed) {
    auto failure = analysis_failure_from(failed);
    if (failure.why.code() == errc::model_refused && failed.why.kind != failure_kind::input_flagged)
        failure.why = error{errc::model_misconfigured, failure.why.detail()};
    return failure;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

/// Whether a codec is not supported by every provider.
bool is_uncommon(const media::probe_report& probe) {
    const bool is_common_video = is_one_of(probe.video_codec, {"h264", "hevc", "vp9"});
    const bool is_common_audio =
        !probe.audio_codec || is_one_of(*probe.audio_codec, {"aac", "mp3", "opus", "vorbis"});
    return !is_common_video || !is_common_audio;
}

std::string why_not(const reply& last) {
    switch (last.end) {
        case reply_end::complete: return "no valid answer";
        case reply_end::truncated: return "the answer was cut off: " + last.detail;
        case reply_end::recited: return "the answer was held back: " + last.detail;
        case reply_end::refused: return "refused: " + last.detail;
        case reply_end::unspecified:
        case reply_end::broken_off: return "no answer: " + last.detail;
    }
    return {};
}

}  // namespace

/// The requests about one video.
class remote_analyzer::analysis_session {
public:
    analysis_session(
        const remote_analyzer& analyzer, const video_input& video, std::optional<heard_sound> heard,
        call_ledger& calls, const deadline& by, const std::stop_token& stop)
        : analyzer_{analyzer},
          video_{video},
          heard_{std::move(heard)},
          calls_{calls},
          by_{by},
          stop_{stop},
          boundary_{new_boundary()},
          prompt_{make_prompt(
              {.video = video,
               .media_note = media_note_,
               .speech = heard_ ? std::span<const timed_text>{heard_->spoken.segments}
                                : std::span<const timed_text>{},
               .output_language = analyzer.dependencies_.settings.output_language,
               .boundary = boundary_})},
          session_{analyzer.api_->open(&sent_, prompt_)} {}

    analysis run() {
        std::optional<request_options> next{request_options{}};
        if (!prompt_.is_schema_enforceable) next->format = answer_format::json;
        const auto kept = kept_replies();
        if (!kept) return analysis_failure{kept.error()};
        for (const auto& reply : *kept) {
            next = after_reply(*next, reply);
            if (next) continue;
            if (best_) return checked(*std::move(best_));
            return analysis_failure{error{errc::model_refused, why_not(reply)}};
        }
        // Encoding would remove sound that cannot be decoded here, but perhaps there.
        if (is_uncommon(video_.probe) && video_.probe.audio_is_decodable) {
            if (const auto encoded = re_encode(); !encoded)
                return analysis_failure{encoded.error()};
        }
        for (;;) {
            const auto options = *std::move(next);
            const auto answer =
                ask(analyzer_.retry_dependencies(), *session_, options, calls_, by_, stop_);
            next = answer ? after_reply(options, *answer) : after_failure(options, answer.error());
            if (next) continue;
            // The next attempt makes the repair, after the kept answer.
            if (!answer && is_repair_due(answer.error().why.kind))
                return analysis_failure_from(answer.error());
            if (best_) return checked(*std::move(best_));
            if (final_fault_) return analysis_failure{*final_fault_};
            if (!answer) return analysis_failure_from(answer.error());
            return analysis_failure{error{errc::model_refused, why_not(*answer)}};
        }
    }

private:
    /// The paid answers of earlier attempts that ended before their result was stored. Those that
    /// were cut off are kept without their text.
    result<std::vector<reply>> kept_replies() {
        const auto& model = analyzer_.api_->endpoint();
        const auto kept = calls_.kept_answer(model.provider, model.model, call_kind::answer);
        if (!kept) return kept.error();
        std::vector<reply> replies;
        std::istringstream lines{*kept};
        for (std::string line; std::getline(lines, line);) {
            auto text = json::parse(line).get<std::string>();
            const auto end = text.empty() ? reply_end::truncated : reply_end::complete;
            replies.push_back({.end = end, .text = std::move(text)});
        }
        return replies;
    }

    std::optional<request_options> after_reply(const request_options& options, const reply& reply) {
        std::vector<std::string> violations;
        if (reply.end == reply_end::complete) {
            auto sections = read_answer(
                reply.text,
                {.duration_seconds = video_.probe.duration_seconds,
                 .boundary = boundary_,
                 .extract_schema = extract_schema_ ? &*extract_schema_ : nullptr,
                 .instructions = prompt_.instructions});
            violations = sections.violations;
            violations.insert(
                violations.end(),
                sections.extract_violations.begin(),
                sections.extract_violations.end());
            keep(std::move(sections));
            if (violations.empty()) return std::nullopt;
        }
        auto next = next_request(options, reply.end, violations, tried_);
        log().warning(
            next ? "the model's answer cannot be used: asked again"
                 : "the model's answer cannot be used",
            {{"model", analyzer_.name_},
             {"reason",
              violations.empty() ? reply.detail : boost::algorithm::join(violations, "; ")}});
        return next;
    }

    /// Whether a request that was stopped, not answered, was to repair the answer to the caller's
    /// schema.
    [[nodiscard]] bool is_repair_due(failure_kind why) const {
        const bool is_stopped = why == failure_kind::cancelled || why == failure_kind::no_database;
        return is_stopped && best_ && extract_schema_ && extract_.empty();
    }

    std::optional<request_options> after_failure(
        const request_options& options, const call_error& failed) {
        const auto kind = failed.why.kind;
        final_fault_ = cut_off_error(options, failed.why);
        if (final_fault_) return std::nullopt;
        if (kind == failure_kind::file_gone) session_->forget_upload();
        // The most common codecs may help, even when the video crashes the server. If other videos
        // fail as well, it is not the video.
        const bool is_of_video =
            kind == failure_kind::video_rejected ||
            (kind == failure_kind::server_fault && analyzer_.circuit_.is_lone_failure());
        if (is_of_video && !is_re_encoded_) {
            const auto encoded = re_encode();
            if (encoded) return options;
            // Unless the video is at fault, a later attempt may succeed.
            if (encoded.error().code() != errc::unsupported_format) final_fault_ = encoded.error();
            return std::nullopt;
        }
        return next_request(options, kind, tried_);
    }

    /// Later requests send the re-encoded video.
    result<void> re_encode() {
        is_re_encoded_ = true;
        sent_.file = video_.scratch / "re-encoded";
        log().info(
            "video is re-encoded for the model",
            {{"model", analyzer_.name_},
             {"video_codec", video_.probe.video_codec},
             {"audio_codec", video_.probe.audio_codec.value_or("none")}});
        const auto encoded = analyzer_.dependencies_.media.transcode(
            video_.file, sent_.file, by_.at_most(bounds::local_analysis_time_max), stop_);
        if (!encoded) return encoded.error();
        session_ = analyzer_.api_->open(&sent_, prompt_);
        return {};
    }

    /// The latest usable answer is the best, because its request named the faults of earlier ones.
    void keep(parsed_sections sections) {
        if (!sections.extract_violations.empty())
            extract_fault_ = sections.extract_violations.front();
        if (!sections.extract.empty()) extract_ = std::move(sections.extract);
        if (!sections.reported) return;
        best_ = std::move(sections.reported);
        best_->warnings = std::move(sections.warnings);
        if (!sections.violations.empty())
            best_->warnings.emplace_back(
                "the model's answer was incomplete or repeated itself: what could be used is here");
    }

    /// Compares the answer with local measurements. The answer is paid, so it is used if the check
    /// fails. If the check is stopped, a later attempt checks the kept answer.
    analysis checked(findings reported) {
        reported.provider = analyzer_.api_->endpoint().provider;
        reported.model_name = analyzer_.api_->endpoint().model;
        reported.analyzer = analyzer_.name_;
        std::ranges::copy(prompt_.warnings, std::back_inserter(reported.warnings));
        if (is_re_encoded_ && !video_.probe.audio_is_decodable)
            reported.warnings.emplace_back("the model received the video without its sound");
        if (heard_) take_sound(reported);
        auto evidence = evidence_of(video_.probe);
        const auto measured = analyzer_.dependencies_.media.check(
            video_.file,
            times_to_check(reported),
            by_.at_most(bounds::local_check_time_max),
            stop_);
        if (!measured && measured.error().code() == errc::cancelled)
            return analysis_failure{measured.error()};
        if (measured) {
            evidence.silent = measured->silent;
            evidence.speech = measured->speech;
            evidence.silences = measured->silences;
            evidence.read_texts = measured->texts;
        } else {
            reported.warnings.emplace_back("the model's answer was not checked against the video");
            log().warning(
                "local check of a model's answer failed",
                {{"reason", measured.error().to_string()}});
        }
        for (auto& warning : local_warnings(reported, evidence))
            reported.warnings.push_back(std::move(warning));
        remove_unheard_speech(reported, evidence);
        answer_request(reported);
        return reported;
    }

    /// Replaces what the model can only have guessed.
    void take_sound(findings& reported) {
        auto& [spoken, music] = *heard_;
        if (spoken.is_built_in) reported.analyzer = analyzer_.name_without_speech_;
        reported.audio = {
            .segments = std::move(spoken.segments),
            .words = std::move(spoken.words),
            .language = std::move(spoken.language),
            .has_music = music.present,
            .music_description = describe_music(music)};
        std::ranges::move(spoken.warnings, std::back_inserter(reported.warnings));
    }

    /// Sets the answer to the caller's schema, or why there is none.
    void answer_request(findings& reported) {
        if (!extract_schema_) return;
        reported.extract = std::move(extract_);
        if (!reported.extract.empty()) return;
        reported.extract_error =
            extract_fault_.empty()
                ? "The model gave no answer to the schema."
                : fmt::format("The model's answer does not fit the schema: {}.", extract_fault_);
    }

    [[nodiscard]] const log::logger& log() const { return analyzer_.dependencies_.log; }

    const remote_analyzer& analyzer_;
    const video_input& video_;
    video_input sent_{video_};  ///< May be re-encoded.
    std::optional<heard_sound> heard_;
    bool is_re_encoded_ = false;
    call_ledger& calls_;
    const deadline& by_;
    const std::stop_token& stop_;
    std::string boundary_;
    std::string media_note_{analyzer_.api_->media_note(video_)};
    prompt prompt_;
    std::unique_ptr<chat_session> session_;
    tried_changes tried_;
    std::optional<findings> best_;
    std::optional<json> extract_schema_{
        video_.options.schema.empty() ? std::optional<json>{} : json::parse(video_.options.schema)};
    std::string extract_;        ///< The latest valid one.
    std::string extract_fault_;  ///< Of the latest one that is not valid.
    /// Why the video could not be re-encoded, or a longer answer not be requested.
    std::optional<error> final_fault_;
};

remote_analyzer::remote_analyzer(
    std::unique_ptr<net::http_client> http, std::unique_ptr<chat_api> api,
    remote_dependencies dependencies)
    : dependencies_{std::move(dependencies)},
      http_{std::move(http)},
      api_{std::move(api)},
      name_without_speech_{fmt::format(
          "{}/{}/prompt-{}", api_->endpoint().provider, api_->endpoint().model, prompt_version)},
      name_{
          name_without_speech_ + (dependencies_.speech == nullptr
                                      ? std::string{}
                                      : transcriber_suffix(dependencies_.speech->name()))} {}

remote_analyzer::~remote_analyzer() = default;

std::unique_ptr<remote_analyzer> remote_analyzer::with_gemini(
    gemini_settings settings, remote_dependencies dependencies) {
    auto http = client_for(dependencies.settings, settings.url);
    settings.answer_time_max = dependencies.settings.answer_time_max;
    auto api = make_gemini_api(std::move(settings), *http, dependencies.log);
    return std::make_unique<remote_analyzer>(
        std::move(http), std::move(api), std::move(dependencies));
}

std::unique_ptr<remote_analyzer> remote_analyzer::with_openai(
    openai_settings settings, remote_dependencies dependencies) {
    auto http = client_for(dependencies.settings, settings.url);
    auto api = make_openai_api(std::move(settings), dependencies.media);
    return std::make_unique<remote_analyzer>(
        std::move(http), std::move(api), std::move(dependencies));
}

analysis remote_analyzer::analyze(
    const video_input& video, call_ledger& calls, const deadline& by,
    const std::stop_token& stop) const {
    // No transcript is paid for that no model will use.
    auto no_use = dependencies_.speech != nullptr ? refusal() : std::nullopt;
    if (no_use) {
        const auto answered = calls.answered_model();
        if (!answered) return analysis_failure{answered.error()};
        if (answered->empty() || !name_.starts_with(*answered + "/")) return *std::move(no_use);
    }
    auto heard = listen(video, calls, by, stop);
    if (!heard) return analysis_failure{heard.error()};
    return analysis_session{*this, video, *std::move(heard), calls, by, stop}.run();
}

auto remote_analyzer::listen(
    const video_input& video, call_ledger& calls, const deadline& by,
    const std::stop_token& stop) const -> result<std::optional<heard_sound>> {
    if (dependencies_.speech == nullptr) return std::optional<heard_sound>{};
    if (!video.probe.audio_codec) return std::optional{heard_sound{}};
    const auto heard =
        dependencies_.media.listen(video.file, by.at_most(bounds::local_analysis_time_max), stop);
    if (!heard) return heard.error();
    auto spoken = dependencies_.speech->transcribe(video, *heard, calls, by, stop);
    if (!spoken) return spoken.error();
    if (spoken->is_built_in && heard->speech.doubtful)
        spoken->warnings.emplace_back(doubtful_speech_warning);
    return std::optional{heard_sound{.spoken = *std::move(spoken), .music = heard->music}};
}

boost::system::result<void, analysis_failure> remote_analyzer::complete(
    const prompt& request, const text_reader& read, call_ledger& calls, const deadline& by,
    const std::stop_token& stop) const {
    const auto session = api_->open(nullptr, request);
    tried_changes tried;
    for (request_options options;;) {
        const auto answer = ask(retry_dependencies(), *session, options, calls, by, stop);
        if (!answer) {
            if (auto why = cut_off_error(options, answer.error().why))
                return analysis_failure{*std::move(why)};
            auto next = next_request(options, answer.error().why.kind, tried);
            if (!next) return text_failure_from(answer.error());
            options = *std::move(next);
            continue;
        }
        std::vector<std::string> violations;
        if (answer->end == reply_end::complete) {
            violations = read(answer->text);
            if (violations.empty()) return {};
        }
        auto next = next_request(options, answer->end, violations, tried);
        if (!next) return analysis_failure{error{errc::model_refused, why_not(*answer)}};
        options = *std::move(next);
        if (violations.empty()) continue;
        options.note =
            "An earlier answer was rejected: " + boost::algorithm::join(violations, "; ") + '.';
    }
}

retry_loop_dependencies remote_analyzer::retry_dependencies() const {
    return {
        .api = api_->endpoint(),
        .http = *http_,
        .circuit = circuit_,
        .prices = dependencies_.prices,
        .log = dependencies_.log,
        .on_request = dependencies_.on_request,
        .answer_time_max = dependencies_.settings.answer_time_max};
}

void remote_analyzer::sweep(
    const run_check& is_living, const deadline& by, const std::stop_token& stop) const {
    api_->sweep(is_living, by, stop);
}

result<void> remote_analyzer::check(const deadline& by, const std::stop_token& stop) const {
    const auto response = http_->send(api_->model_request(), by, stop);
    const auto why =
        response ? api_->model_fault(*response) : std::optional{failure_from(response.error())};
    if (!why) return {};
    return error_from(masked(*why, api_->endpoint().secret));
}

std::optional<analysis_failure> remote_analyzer::refusal() const {
    const auto rejection = circuit_.peek(circuit_breaker::clock::now());
    if (!rejection) return std::nullopt;
    return analysis_failure_from(rejected_by_circuit(*rejection));
}

circuit_state remote_analyzer::circuit() const {
    return {
        .provider = api_->endpoint().provider,
        .model = api_->endpoint().model,
        .open_for = circuit_.remaining(circuit_breaker::clock::now())};
}

}  // namespace reelsd::model
