#include "../answer.hpp"
#include "../local_checks.hpp"
#include "gemini_api.hpp"
#include "next_request.hpp"
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

}  // namespace

/// The requests about one video.
class remote_analyzer::analysis_session {
public:
    analysis_session(
        const remote_analyzer& analyzer, const video_input& video, call_ledger& calls,
        const deadline& by, const std::stop_token& stop)
        : analyzer_{analyzer},
          video_{video},
          calls_{calls},
          by_{by},
          stop_{stop},
          boundary_{new_boundary()},
          prompt_{make_prompt(
              {.video = video,
               .media_note = media_note_,
               .output_language = analyzer.dependencies_.settings.output_language,
               .boundary = boundary_})},
          session_{analyzer.api_->open(&sent_, prompt_)} {}

    analysis run() {
        if (is_uncommon(video_.probe)) {
            if (const auto encoded = re_encode(); !encoded)
                return analysis_failure{encoded.error()};
        }
        std::optional<request_options> next{request_options{}};
        if (!prompt_.is_schema_enforceable) next->format = answer_format::json;
        for (;;) {
            const auto options = *std::move(next);
            const auto answer = ask(loop_dependencies(), *session_, options, calls_, by_, stop_);
            next = answer ? after_reply(options, *answer) : after_failure(options, answer.error());
            if (next) continue;
            if (best_) return checked(*std::move(best_));
            if (!answer) return analysis_failure_from(answer.error());
            return analysis_failure{error{errc::model_refused, why_not(*answer)}};
        }
    }

private:
    [[nodiscard]] retry_loop_dependencies loop_dependencies() const {
        const auto& dependencies = analyzer_.dependencies_;
        return {
            .api = *analyzer_.api_,
            .http = *analyzer_.http_,
            .circuit = analyzer_.circuit_,
            .prices = dependencies.prices,
            .log = dependencies.log,
            .on_request = dependencies.on_request,
            .answer_time_max = dependencies.settings.answer_time_max};
    }

    std::optional<request_options> after_reply(const request_options& options, const reply& reply) {
        std::vector<std::string> violations;
        if (reply.end == reply_end::complete) {
            auto sections = read_answer(
                reply.text,
                {.duration_seconds = video_.probe.duration_seconds,
                 .boundary = boundary_,
                 .extract_schema = extract_schema_ ? &*extract_schema_ : nullptr,
                 .instructions = prompt_.instructions,
                 .caller_instructions = video_.options.instructions});
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

    std::optional<request_options> after_failure(
        const request_options& options, const call_error& failed) {
        const auto kind = failed.why.kind;
        if (kind == failure_kind::file_gone) session_->forget_upload();
        // The most common codecs may help, also when the video crashes the server. If other videos
        // fail as well, it is not the video.
        const bool is_of_video =
            kind == failure_kind::video_rejected ||
            (kind == failure_kind::server_fault && analyzer_.circuit_.is_lone_failure());
        if (is_of_video && !is_re_encoded_)
            return re_encode() ? std::optional{options} : std::nullopt;
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

    /// Compares the answer with local measurements. The answer is paid, so it is kept if the check
    /// fails or is stopped.
    findings checked(findings reported) {
        reported.provider = analyzer_.api_->provider();
        reported.model_name = analyzer_.api_->model();
        reported.analyzer = analyzer_.name_;
        auto evidence = evidence_of(video_.probe);
        const auto measured = analyzer_.dependencies_.media.check(
            video_.file,
            times_to_check(reported),
            by_.at_most(bounds::local_check_time_max),
            stop_);
        if (measured) {
            evidence.silent = measured->silent;
            evidence.speech = measured->speech;
            evidence.read_texts = measured->texts;
        } else {
            reported.warnings.emplace_back("the model's answer was not checked against the video");
            if (measured.error().code() != errc::cancelled)
                log().warning(
                    "local check of a model's answer failed",
                    {{"reason", measured.error().to_string()}});
        }
        for (auto& warning : local_warnings(reported, evidence))
            reported.warnings.push_back(std::move(warning));
        answer_request(reported);
        return reported;
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

    static std::string why_not(const reply& last) {
        switch (last.end) {
            case reply_end::complete: return "no valid answer";
            case reply_end::truncated: return "the answer was cut off: " + last.detail;
            case reply_end::recited: return "the answer was held back: " + last.detail;
            case reply_end::refused: return "refused: " + last.detail;
            case reply_end::unspecified: return "no answer: " + last.detail;
        }
        return {};
    }

    const remote_analyzer& analyzer_;
    const video_input& video_;
    video_input sent_{video_};  ///< May be re-encoded.
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
};

remote_analyzer::remote_analyzer(
    std::unique_ptr<net::http_client> http, std::unique_ptr<chat_api> api,
    remote_dependencies dependencies)
    : dependencies_{std::move(dependencies)},
      http_{std::move(http)},
      api_{std::move(api)},
      name_{fmt::format("{}/{}/prompt-{}", api_->provider(), api_->model(), prompt_version)} {}

remote_analyzer::~remote_analyzer() = default;

std::unique_ptr<remote_analyzer> remote_analyzer::with_gemini(
    gemini_settings settings, remote_dependencies dependencies) {
    auto http = client_for(dependencies.settings, settings.url);
    settings.answer_time_max = dependencies.settings.answer_time_max;
    auto api = std::make_unique<gemini_api>(std::move(settings), *http, dependencies.log);
    return std::make_unique<remote_analyzer>(
        std::move(http), std::move(api), std::move(dependencies));
}

std::unique_ptr<remote_analyzer> remote_analyzer::with_openai(
    openai_settings settings, remote_dependencies dependencies) {
    auto http = client_for(dependencies.settings, settings.url);
    auto api = std::make_unique<openai_api>(std::move(settings), dependencies.media);
    return std::make_unique<remote_analyzer>(
        std::move(http), std::move(api), std::move(dependencies));
}

analysis remote_analyzer::analyze(
    const video_input& video, call_ledger& calls, const deadline& by,
    const std::stop_token& stop) const {
    return analysis_session{*this, video, calls, by, stop}.run();
}

void remote_analyzer::sweep(
    const run_check& is_living, const deadline& by, const std::stop_token& stop) const {
    api_->sweep(is_living, by, stop);
}

result<void> remote_analyzer::check(const deadline& by, const std::stop_token& stop) const {
    const auto response = http_->send(api_->model_request(), by, stop);
    auto why =
        response ? api_->model_fault(*response) : std::optional{failure_from(response.error())};
    if (!why) return {};
    why->detail = without_secret(std::move(why->detail), api_->secret());
    return error_from(*why);
}

std::optional<analysis_failure> remote_analyzer::refusal() const {
    const auto rejection = circuit_.peek(circuit_breaker::clock::now());
    if (!rejection) return std::nullopt;
    return analysis_failure_from(rejected_by_circuit(*rejection));
}

circuit_state remote_analyzer::circuit() const {
    return {
        .provider = std::string{api_->provider()},
        .model = std::string{api_->model()},
        .open_for = circuit_.remaining(circuit_breaker::clock::now())};
}

}  // namespace reelsd::model
