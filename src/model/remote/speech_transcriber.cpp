#include "../answer.hpp"
#include "openai_api.hpp"
#include "phantom_speech.hpp"
#include "retry_loop.hpp"
#include "speech_reply.hpp"
#include "speech_session.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/result_document.hpp>
#include <reelsd/model/speech_transcriber.hpp>
#include <reelsd/net/http_client.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

namespace reelsd::model {
namespace {

/// A server that has read less of the sound than this has cut it.
constexpr double heard_share_min = 0.9;

std::chrono::year_month_day today() {
    return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

call_kind kind_of(const price_table& prices, std::string_view model) {
    constexpr std::int64_t minute_milliseconds = 60'000;
    return prices.cost_of_audio(model, minute_milliseconds, today()) == 0
               ? call_kind::free_transcription
               : call_kind::transcription;
}

/// Text without times: one passage over the whole voice.
std::vector<heard_segment> segments_in(
    const std::string& text, std::span<const media::voice_span> voice) {
    if (text.empty() || voice.empty()) return {};
    const auto last = std::ranges::max_element(voice, {}, &media::voice_span::end_seconds);
    return {heard_segment{
        .spoken = {
            .text = text,
            .start_seconds = voice.front().start_seconds,
            .end_seconds = last->end_seconds}}};
}

/// "The speech server left out 2 passages ..."
std::string passages(std::size_t count, std::string_view singular, std::string_view plural) {
    return count == 1 ? fmt::format("1 passage {}", singular)
                      : fmt::format("{} passages {}", count, plural);
}

/// The transcript in a server's answer, as far as the recording agrees.
transcript transcript_from(
    const json& document, double duration, std::span<const media::voice_span> voice) {
    auto heard = read_speech(document, duration);
    const bool has_times = !heard.segments.empty();
    if (!has_times) heard.segments = segments_in(heard.text, voice);
    auto checked = without_phantoms(std::move(heard.segments), voice);
    transcript spoken;
    for (auto& segment : checked.segments) {
        add_in_parts(spoken.segments, segment.spoken);
        std::ranges::move(segment.words, std::back_inserter(spoken.words));
    }
    if (!spoken.segments.empty()) {
        spoken.language = heard.language;
        if (!has_times)
            spoken.warnings.emplace_back(
                "the speech server gave no times: the transcript is one passage");
    }
    if (heard.duration_seconds && *heard.duration_seconds < duration * heard_share_min)
        spoken.warnings.push_back(fmt::format(
            "the speech server read only {:.0f} of {:.0f} seconds",
            std::max(*heard.duration_seconds, 0.0),
            duration));
    if (checked.dropped > 0)
        spoken.warnings.push_back(
            passages(checked.dropped, "of the speech server was", "of the speech server were") +
            " left out: the recording contradicts it");
    if (checked.doubtful > 0)
        spoken.warnings.push_back(
            passages(checked.doubtful, "of the transcript", "of the transcript") +
            " may be lyrics or invented: no clear voice was heard there");
    return spoken;
}

/// For people: says nothing that the server wrote.
std::string_view reason_of(failure_kind why) {
    switch (why) {
        case failure_kind::no_calls_left: return "an earlier call for this reel was not answered";
        case failure_kind::budget_spent: return "the account's monthly budget is spent";
        case failure_kind::misconfigured:
        case failure_kind::unauthorized:
        case failure_kind::schema_refused:
        case failure_kind::thinking_refused: return "it rejects this server's settings";
        case failure_kind::video_rejected:
        case failure_kind::payload_too_large: return "it cannot read this sound";
        case failure_kind::storage: return "the sound could not be extracted";
        default: return "it did not answer";
    }
}

}  // namespace

speech_transcriber::speech_transcriber(speech_settings settings, speech_dependencies dependencies)
    : dependencies_{std::move(dependencies)},
      http_{std::make_unique<net::http_client>(
          client_settings(settings.url, dependencies_.by_proxy, dependencies_.ca_file))},
      name_{"openai-" + settings.model} {
    endpoint_ = std::make_unique<speech_endpoint>(std::move(settings));
}

speech_transcriber::~speech_transcriber() = default;

result<transcript> speech_transcriber::transcribe(
    const video_input& video, const media::audio_report& heard, call_ledger& calls,
    const deadline& by, const std::stop_token& stop) const {
    const std::span voice{heard.speech.voice};
    // A server would invent something.
    if (heard.silent || voice.empty()) return transcript{};
    const auto duration = video.probe.duration_seconds;
    const auto kept = calls.kept_answer(endpoint_->provider(), endpoint_->model());
    if (!kept) return kept.error();
    if (!kept->empty()) return transcript_from(parse_foreign_json(*kept), duration, voice);

    const auto sound = sound_of(video, by, stop);
    if (!sound) {
        if (sound.error().code() == errc::cancelled) return sound.error();
        dependencies_.log.warning(
            "extracting the sound for a speech server failed",
            {{"reason", sound.error().to_string()}});
        return replaced(heard, reason_of(failure_kind::storage));
    }
    const retry_loop_dependencies model{
        .api = *endpoint_,
        .http = *http_,
        .circuit = circuit_,
        .prices = dependencies_.prices,
        .log = dependencies_.log,
        .on_request = dependencies_.on_request,
        .answer_time_max = endpoint_->settings().answer_time_max,
        .kind = kind_of(dependencies_.prices, endpoint_->model())};
    speech_session session{
        *endpoint_, *sound, {.with_times = knows_times_, .with_hints = knows_hints_}};
    for (;;) {
        const auto answer = ask(model, session, request_options{}, calls, by, stop);
        if (answer) {
            knows_times_ = session.form().with_times;
            knows_hints_ = session.form().with_hints;
            return transcript_from(parse_foreign_json(answer->text), duration, voice);
        }
        const auto why = answer.error().why.kind;
        if (why == failure_kind::cancelled || why == failure_kind::no_database)
            return error_from(answer.error().why);
        if (!session.simplify(why)) return replaced(heard, reason_of(why));
    }
}

result<speech_sound> speech_transcriber::sound_of(
    const video_input& video, const deadline& by, const std::stop_token& stop) const {
    const auto file = video.scratch / "speech";
    const auto report =
        dependencies_.media.sound(video.file, file, by.at_most(bounds::probe_time_max), stop);
    if (!report) return report.error();
    if (!*report) return error{errc::media_failed, "no sound can be decoded"};
    return speech_sound{
        .file = {.file = file, .offset = 0, .bytes = (*report)->bytes},
        .milliseconds = std::llround((*report)->seconds * 1000)};
}

transcript speech_transcriber::replaced(
    const media::audio_report& heard, std::string_view reason) const {
    auto spoken = built_in_transcript(heard.speech);
    spoken.warnings.push_back(fmt::format(
        "the speech server was unavailable ({}): the built-in recognizer, which knows English, "
        "replaced it",
        reason));
    return spoken;
}

result<server_check> speech_transcriber::check(
    const deadline& by, const std::stop_token& stop) const {
    constexpr int not_found = 404;
    constexpr int not_allowed = 405;
    const auto& settings = endpoint_->settings();
    const auto response = http_->send(
        openai_request(net::http_method::get, settings.url + "/v1/models", settings.key), by, stop);
    std::optional<call_failure> why;
    if (!response) {
        why = failure_from(response.error());
    } else if (response->status() == not_found || response->status() == not_allowed) {
        return server_check::unlisted;
    } else {
        why = listed_model_fault(*response, settings.model);
    }
    if (!why) return server_check::confirmed;
    why->detail = without_secret(std::move(why->detail), settings.key);
    return error_from(*why);
}

circuit_state speech_transcriber::circuit() const {
    return {
        .provider = std::string{endpoint_->provider()},
        .model = std::string{endpoint_->model()},
        .open_for = circuit_.remaining(circuit_breaker::clock::now())};
}

}  // namespace reelsd::model
