#include "speech_session.hpp"

#include "openai_api.hpp"
#include "speech_reply.hpp"
#include <reelsd/base/random.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>

namespace reelsd::model {
namespace {

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

}  // namespace

prepared_request speech_session::request_for(
    const request_options& /*options*/, const deadline& /*by*/, const std::stop_token& /*stop*/) {
    const auto& settings = endpoint_.settings();
    net::http_request request{
        .method = net::http_method::post, .url = settings.url + "/v1/audio/transcriptions"};
    request.fresh_connection = true;
    form_writer form{request.streamed_body.emplace()};
    request.headers.push_back({.name = "Content-Type", .value = form.content_type()});
    if (!settings.key.empty())
        request.headers.push_back({.name = "Authorization", .value = "Bearer " + settings.key});
    form.add_field("model", settings.model);
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

model_reply speech_session::reply_of(const net::http_response& response) const {
    if (response.status() != 200) return speech_failure(response);
    return speech_reply(response, sound_.milliseconds);
}

bool speech_session::simplify(failure_kind why) {
    if (why == failure_kind::thinking_refused) return std::exchange(form_.with_hints, false);
    if (why == failure_kind::schema_refused) return std::exchange(form_.with_times, false);
    return false;
}

}  // namespace reelsd::model
