#include "../clean_text.hpp"
#include "openai_api.hpp"
#include "phantom_speech.hpp"
#include "retry_loop.hpp"
#include "speech_reply.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/speech_transcriber.hpp>
#include <reelsd/net/http_client.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace reelsd::model {
namespace {

/// A server that has read less than this of the sound up to the last voice has cut it.
constexpr double heard_share_min = 0.9;
constexpr std::string_view provider = "openai";

call_kind kind_of(const price_table& prices, std::string_view model) {
    constexpr std::int64_t minute_milliseconds = 60'000;
    return prices.cost_of_audio(model, minute_milliseconds) == 0 ? call_kind::free_transcription
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

/// The transcript in a server's answer, as far as the recording agrees. `voice` is not empty.
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
    // The sound may be shorter than the video.
    const auto voice_end = voice.back().end_seconds;
    if (heard.duration_seconds && *heard.duration_seconds < voice_end * heard_share_min)
        spoken.warnings.push_back(fmt::format(
            "the speech server read only {:.0f} of {:.0f} seconds",
            std::max(*heard.duration_seconds, 0.0),
            voice_end));
    if (heard.untimed > 0)
        spoken.warnings.push_back(passages(
            heard.untimed,
            "of the speech server had no usable times and was left out",
            "of the speech server had no usable times and were left out"));
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
std::string_view reason_of(const call_failure& why) {
    switch (why.kind) {
        case failure_kind::no_calls_left: return "an earlier call for this reel was not answered";
        case failure_kind::budget_spent: return "the account's monthly budget is spent";
        case failure_kind::misconfigured:
        case failure_kind::unauthorized:
        case failure_kind::schema_refused:
        case failure_kind::thinking_refused: return "it rejects this server's settings";
        case failure_kind::video_rejected:
        case failure_kind::request_too_large: return "it cannot read this sound";
        case failure_kind::storage: return "the sound could not be extracted";
        default:
            return why.detail == not_a_transcript ? "its answer was not a transcript"
                                                  : "it did not answer";
    }
}

/// The sound of one video: a WAVE file and its length.
struct speech_sound {
    net::file_range file;
    std::int64_t milliseconds = 0;
};

/// What a request to a speech server contains. Servers differ in what they know.
struct speech_form {
    bool with_times = true;  ///< verbose_json with passages and words; else text alone.
    /// Fields that spare whisper.cpp a second pass, and make speaches return sentences.
    bool with_hints = true;
};

/// Writes the parts of a form. Source: RFC 7578.
class form_writer {
public:
    explicit form_writer(net::request_body& body) : body_{body} {}

    void add_field(std::string_view name, std::string_view value) {
        body_.add_text(fmt::format(
            "--{}\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n",
            boundary_,
            name,
            value));
    }
    /// Servers choose the decoder by the name's extension.
    void add_sound(net::file_range file) {
        body_.add_text(fmt::format(
            "--{}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"speech.wav\"\r\n"
            "Content-Type: audio/wav\r\n\r\n",
            boundary_));
        body_.add_file(std::move(file));
        body_.add_text("\r\n");
    }
    void end() { body_.add_text(fmt::format("--{}--\r\n", boundary_)); }

    [[nodiscard]] std::string content_type() const {
        return "multipart/form-data; boundary=" + boundary_;
    }

private:
    net::request_body& body_;
    std::string boundary_ = fmt::format("reelsd{:016x}{:016x}", random_bits(), random_bits());
};

/// The requests about one sound. `settings` outlive it.
class speech_session final : public chat_session {
public:
    speech_session(const speech_settings& settings, speech_sound sound, speech_form form)
        : settings_{settings}, sound_{std::move(sound)}, form_{form} {}

    [[nodiscard]] prepared_request request_for(
        const request_options& /*options*/, const deadline& /*by*/,
        const std::stop_token& /*stop*/) override {
        net::http_request request{
            .method = net::http_method::post, .url = settings_.url + "/v1/audio/transcriptions"};
        request.fresh_connection = true;
        form_writer form{request.streamed_body.emplace()};
        request.headers.push_back({.name = "Content-Type", .value = form.content_type()});
        if (!settings_.key.empty())
            request.headers.push_back(
                {.name = "Authorization", .value = "Bearer " + settings_.key});
        form.add_field("model", settings_.model);
        form.add_field("response_format", form_.with_times ? "verbose_json" : "json");
        if (form_.with_times) {
            form.add_field("timestamp_granularities[]", "segment");
            form.add_field("timestamp_granularities[]", "word");
        }
        if (form_.with_hints) {
            form.add_field("no_language_probabilities", "true");
            form.add_field("without_timestamps", "false");
        }
        form.add_sound(sound_.file);
        form.end();
        return request;
    }

    [[nodiscard]] model_reply reply_of(const net::http_response& response) const override {
        if (response.status() != 200) return speech_failure(response);
        return speech_reply(response, sound_.milliseconds);
    }

    /// Changes later requests so that the server may accept them; false if it cannot.
    [[nodiscard]] bool simplify(failure_kind why) {
        if (why == failure_kind::thinking_refused) return std::exchange(form_.with_hints, false);
        if (why == failure_kind::schema_refused) return std::exchange(form_.with_times, false);
        return false;
    }
    [[nodiscard]] speech_form form() const noexcept { return form_; }

private:
    const speech_settings& settings_;
    speech_sound sound_;
    speech_form form_;
};

/// Extracts the sound into the job's scratch folder. Blocks.
result<speech_sound> sound_of(
    const video_input& video, const media::media_client& media, const deadline& by,
    const std::stop_token& stop) {
    const auto file = video.scratch / "speech";
    const auto report = media.sound(video.file, file, by.at_most(bounds::probe_time_max), stop);
    if (!report) return report.error();
    if (!*report) return error{errc::media_failed, "no sound can be decoded"};
    return speech_sound{
        .file = {.file = file, .offset = 0, .bytes = (*report)->bytes},
        .milliseconds = std::llround((*report)->seconds * 1000)};
}

transcript replaced(const media::audio_report& heard, std::string_view reason) {
    auto spoken = built_in_transcript(heard.speech);
    spoken.warnings.push_back(fmt::format(
        "the speech server was unavailable ({}): the built-in recognizer, which knows English, "
        "replaced it",
        reason));
    return spoken;
}

}  // namespace

speech_transcriber::speech_transcriber(speech_settings settings, speech_dependencies dependencies)
    : dependencies_{std::move(dependencies)},
      http_{std::make_unique<net::http_client>(
          client_settings(settings.url, dependencies_.by_proxy, dependencies_.ca_file))},
      name_{"openai-" + settings.model},
      settings_{std::move(settings)} {}

speech_transcriber::~speech_transcriber() = default;

result<transcript> speech_transcriber::transcribe(
    const video_input& video, const media::audio_report& heard, call_ledger& calls,
    const deadline& by, const std::stop_token& stop) const {
    const std::span voice{heard.speech.voice};
    // A server would invent something.
    if (heard.silent || voice.empty()) return transcript{};
    const auto duration = video.probe.duration_seconds;
    const auto kept = calls.kept_answer(provider, settings_.model, call_kind::transcription);
    if (!kept) return kept.error();
    if (!kept->empty()) return transcript_from(parse_foreign_json(*kept), duration, voice);

    const auto sound = sound_of(video, dependencies_.media, by, stop);
    if (!sound) {
        if (sound.error().code() == errc::cancelled) return sound.error();
        dependencies_.log.warning(
            "extracting the audio for a speech server failed",
            {{"reason", sound.error().to_string()}});
        return replaced(heard, reason_of({.kind = failure_kind::storage}));
    }
    const model_endpoint endpoint{
        .provider = std::string{provider}, .model = settings_.model, .secret = settings_.key};
    const retry_loop_dependencies model{
        .api = endpoint,
        .http = *http_,
        .circuit = circuit_,
        .prices = dependencies_.prices,
        .log = dependencies_.log,
        .on_request = dependencies_.on_request,
        .answer_time_max = settings_.answer_time_max,
        .kind = kind_of(dependencies_.prices, settings_.model)};
    // For all tries together: half of the job's time is left for the analysis.
    const auto heard_by = by.at_most(
        std::min<deadline::clock::duration>(settings_.answer_time_max, by.remaining() / 2));
    speech_session session{
        settings_, *sound, {.with_times = knows_times_, .with_hints = knows_hints_}};
    for (;;) {
        const auto answer = ask(model, session, request_options{}, calls, heard_by, stop);
        if (answer) {
            knows_times_ = session.form().with_times;
            knows_hints_ = session.form().with_hints;
            return transcript_from(parse_foreign_json(answer->text), duration, voice);
        }
        const auto& why = answer.error().why;
        if (why.kind == failure_kind::cancelled || why.kind == failure_kind::no_database)
            return error_from(why);
        if (!session.simplify(why.kind)) return replaced(heard, reason_of(why));
    }
}

result<server_check> speech_transcriber::check(
    const deadline& by, const std::stop_token& stop) const {
    constexpr int not_found = 404;
    constexpr int not_allowed = 405;
    const auto response = http_->send(
        openai_request(net::http_method::get, settings_.url + "/v1/models", settings_.key),
        by,
        stop);
    std::optional<call_failure> why;
    if (!response) {
        why = failure_from(response.error());
    } else if (response->status() == not_found || response->status() == not_allowed) {
        return server_check::unlisted;
    } else {
        why = listed_model_fault(*response, settings_.model);
    }
    if (!why) return server_check::confirmed;
    return error_from(masked(*std::move(why), settings_.key));
}

circuit_state speech_transcriber::circuit() const {
    return {
        .provider = std::string{provider},
        .model = settings_.model,
        .open_for = circuit_.remaining(circuit_breaker::clock::now())};
}

}  // namespace reelsd::model
