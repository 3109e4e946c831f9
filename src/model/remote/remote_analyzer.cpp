#include "../answer.hpp"
#include "../local_checks.hpp"
#include "gemini_api.hpp"
#include "next_question.hpp"
#include "openai_api.hpp"
#include "retry_loop.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/remote_analyzer.hpp>
#include <reelsd/net/http_client.hpp>

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

/// The operator configured `base_url`, so it may be anywhere.
std::unique_ptr<net::http_client> client_for(
    const remote_settings& settings, const std::string& base_url) {
    net::http_client_settings made{
        .policy = {}, .by_proxy = settings.by_proxy, .ca_file = settings.ca_file};
    if (const auto address = net::url::parse(base_url))
        made.policy.trusted_origins = {address->origin()};
    return std::make_unique<net::http_client>(std::move(made));
}

analysis_failure analysis_failure_from(const call_error& none) {
    return {error_from(none.why), none.not_before, none.asked_to_wait};
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Codecs that not every provider reads.
bool is_odd(const media::probe_report& probe) {
    const bool is_usual_picture = is_one_of(probe.video_codec, {"h264", "hevc", "vp9"});
    const bool is_usual_sound =
        !probe.audio_codec || is_one_of(*probe.audio_codec, {"aac", "mp3", "opus", "vorbis"});
    return !is_usual_picture || !is_usual_sound;
}

}  // namespace

/// One video's way through questions and answers.
class remote_analyzer::analysis_session {
public:
    analysis_session(
        const remote_analyzer& with, const video_input& video, call_ledger& calls,
        const deadline& by, const std::stop_token& stop)
        : with_{with},
          video_{video},
          calls_{calls},
          by_{by},
          stop_{stop},
          boundary_{new_boundary()},
          prompt_{make_prompt(
              {.video = video,
               .media_note = media_note_,
               .output_language = with.parts_.settings.output_language,
               .boundary = boundary_})},
          session_{with.api_->open(sent_, prompt_)} {}

    analysis run() {
        if (is_odd(video_.probe)) {
            if (const auto changed = re_encode(); !changed)
                return analysis_failure{changed.error()};
        }
        question asked;
        for (;;) {
            const auto answer = ask(parts(), *session_, asked, calls_, by_, stop_);
            const auto next =
                answer ? after_reply(asked, *answer) : after_refusal(asked, answer.error());
            if (next) {
                asked = *next;
                continue;
            }
            if (best_ && (!answer || best_is_usable_)) return checked(*std::move(best_));
            if (!answer) return analysis_failure_from(answer.error());
            return analysis_failure{error{errc::model_refused, why_not(*answer)}};
        }
    }

private:
    [[nodiscard]] retry_loop_dependencies parts() const {
        return {
            .api = *with_.api_,
            .http = *with_.http_,
            .circuit = with_.circuit_,
            .prices = with_.parts_.prices,
            .log = with_.parts_.log,
            .on_request = with_.parts_.on_request,
            .answer_time_max = with_.parts_.settings.answer_time_max};
    }

    /// Reads what was said and decides whether to ask again.
    std::optional<question> after_reply(const question& asked, const reply& said) {
        std::vector<std::string> violations;
        if (said.end == reply_end::complete) {
            auto reading = read_answer(
                said.text,
                {.duration_seconds = video_.probe.duration_seconds, .boundary = boundary_});
            violations = reading.violations;
            keep(std::move(reading));
        }
        if (said.end == reply_end::complete && violations.empty()) return std::nullopt;
        auto next = question_after(asked, said.end, violations, ways_);
        with_.parts_.log.warning(
            next ? "the model's answer cannot be used: asked again"
                 : "the model's answer cannot be used",
            {{"model", with_.name_},
             {"reason", violations.empty() ? said.detail : joined(violations)}});
        return next;
    }

    std::optional<question> after_refusal(const question& asked, const call_error& none) {
        if (none.why.kind == failure_kind::file_gone) session_->forget_upload();
        // What one decoder cannot read another one can: once more, in the most usual form. A
        // server may stumble over such a video, too; when all stumble, it is not the video.
        const bool is_of_video =
            none.why.kind == failure_kind::video_rejected ||
            (none.why.kind == failure_kind::server_fault && with_.circuit_.is_lone_failure());
        if (is_of_video && !is_re_encoded_)
            return re_encode() ? std::optional{asked} : std::nullopt;
        return question_after(asked, none.why.kind, ways_);
    }

    /// From here on the provider is given this form of the video.
    result<void> re_encode() {
        is_re_encoded_ = true;
        sent_.file = video_.scratch / "re-encoded";
        with_.parts_.log.info(
            "video is re-encoded for the model",
            {{"model", with_.name_},
             {"video_codec", video_.probe.video_codec},
             {"audio_codec", video_.probe.audio_codec.value_or("none")}});
        const auto made = with_.parts_.media.transcode(
            video_.file, sent_.file, by_.at_most(bounds::local_analysis_time_max), stop_);
        if (!made) return made.error();
        session_ = with_.api_->open(sent_, prompt_);
        return {};
    }

    /// The latest usable answer is the best: it was asked for with what was wrong before.
    void keep(parsed_sections reading) {
        if (!reading.said) return;
        best_ = std::move(reading.said);
        best_->warnings = std::move(reading.warnings);
        if (!reading.violations.empty())
            best_->warnings.emplace_back(
                "the model's answer was incomplete or repeated itself: what could be used is here");
        best_is_usable_ = true;
    }

    /// Compares the answer with what this machine can see and hear itself. The answer is paid, so
    /// it is kept when the check fails, and when a stop leaves no time for one.
    findings checked(findings said) {
        said.provider = with_.api_->provider();
        said.model_name = with_.api_->model();
        said.analyzer = with_.name_;
        auto evidence = evidence_of(video_.probe);
        const auto seen = with_.parts_.media.check(
            video_.file, times_to_check(said), by_.at_most(bounds::local_check_time_max), stop_);
        if (seen) {
            evidence.silent = seen->silent;
            evidence.speech = seen->speech;
            evidence.read_texts = seen->texts;
        } else {
            said.warnings.emplace_back("the model's answer was not checked against the video");
            if (seen.error().code() != errc::cancelled)
                with_.parts_.log.warning(
                    "an answer could not be checked", {{"reason", seen.error().to_string()}});
        }
        for (auto& warning : local_warnings(said, evidence))
            said.warnings.push_back(std::move(warning));
        return said;
    }

    static std::string joined(const std::vector<std::string>& violations) {
        std::string all;
        for (const auto& one : violations) all += (all.empty() ? "" : "; ") + one;
        return all;
    }

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

    const remote_analyzer& with_;
    const video_input& video_;
    video_input sent_{video_};  ///< Perhaps in another form.
    bool is_re_encoded_ = false;
    call_ledger& calls_;
    const deadline& by_;
    const std::stop_token& stop_;
    std::string boundary_;
    std::string media_note_{with_.api_->media_note(video_)};
    prompt prompt_;
    std::unique_ptr<chat_session> session_;
    tried_ways ways_;
    std::optional<findings> best_;
    bool best_is_usable_ = false;
};

remote_analyzer::remote_analyzer(connections made, remote_dependencies parts)
    : parts_{std::move(parts)},
      http_{std::move(made.http)},
      api_{std::move(made.api)},
      name_{fmt::format("{}/{}/prompt-{}", api_->provider(), api_->model(), prompt_version)} {}

remote_analyzer::~remote_analyzer() = default;

std::unique_ptr<remote_analyzer> remote_analyzer::with_gemini(
    gemini_settings settings, remote_dependencies parts) {
    auto http = client_for(parts.settings, settings.url);
    settings.answer_time_max = parts.settings.answer_time_max;
    auto api = std::make_unique<gemini_api>(std::move(settings), *http, parts.log);
    connections made{std::move(http), std::move(api)};
    return std::unique_ptr<remote_analyzer>{new remote_analyzer{std::move(made), std::move(parts)}};
}

std::unique_ptr<remote_analyzer> remote_analyzer::with_openai(
    openai_settings settings, remote_dependencies parts) {
    auto http = client_for(parts.settings, settings.url);
    auto api = std::make_unique<openai_api>(std::move(settings), parts.media);
    connections made{std::move(http), std::move(api)};
    return std::unique_ptr<remote_analyzer>{new remote_analyzer{std::move(made), std::move(parts)}};
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
    const auto answer = http_->send(api_->model_request(), by, stop);
    auto why = answer ? api_->model_fault(*answer) : std::optional{failure_from(answer.error())};
    if (!why) return {};
    why->detail = without_secret(std::move(why->detail), api_->secret());
    return error_from(*why);
}

std::optional<analysis_failure> remote_analyzer::refusal() const {
    const auto closed = circuit_.closed(circuit_breaker::clock::now());
    if (!closed) return std::nullopt;
    return analysis_failure_from(not_asked(*closed));
}

circuit_state remote_analyzer::standing() const {
    return {
        .provider = std::string{api_->provider()},
        .model = std::string{api_->model()},
        .closed_in = circuit_.open_yet(circuit_breaker::clock::now())};
}

}  // namespace reelsd::model
