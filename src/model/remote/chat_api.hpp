#pragma once

#include "call_failure.hpp"
#include "prompt.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/net/http_client.hpp>

#include <boost/system/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// What the providers' interfaces have in common, and where they differ.
namespace reelsd::model {

/// How a model is held to the shape of its answer.
enum class answer_format : std::uint8_t {
    schema,  ///< By the provider, to our schema.
    json,    ///< By the provider, to JSON; the schema stands in the task.
    text,    ///< By the task alone.
};

/// What changes from one question about a video to the next.
struct question {
    answer_format format = answer_format::schema;
    bool without_thinking = false;  ///< Nothing is said of it: not every model takes it.
    bool without_store = false;  ///< It is not told to keep nothing: not every gateway knows how.
    bool other_limit_name = false;  ///< The limit of the answer goes by its other name.
    bool least_thinking = false;    ///< As little as the model lets us.
    bool larger_cap = false;        ///< Room for twice the usual answer.
    bool as_file = false;           ///< The video is uploaded, not sent along.
    std::string note = {};          ///< Added to the task.
};

/// How a model ended its answer.
enum class reply_end : std::uint8_t {
    complete,     ///< As far as it says; the text is not empty.
    truncated,    ///< Cut off, or never begun because thinking has used the room.
    recited,      ///< Held back because it looked like somebody's work: song texts.
    refused,      ///< Will not.
    unspecified,  ///< Nothing, for no reason that we know.
};

struct reply {
    reply_end end = reply_end::unspecified;
    std::string text = {};
    std::optional<token_counts> used = {};  ///< Nothing when the provider does not say.
    std::string response_id = {};
    std::string detail = {};  ///< For logs: what the provider says of the end, or of the model.
};

using prepared_request = boost::system::result<net::http_request, call_failure>;
using model_reply = boost::system::result<reply, call_failure>;

/// The questions about one video. For one thread; its end removes what was uploaded.
class chat_session {
public:
    chat_session() = default;
    chat_session(const chat_session&) = delete;
    chat_session& operator=(const chat_session&) = delete;
    virtual ~chat_session() = default;

    /// The request, with a streamed body. May block: to upload the video, or to take it apart.
    [[nodiscard]] virtual prepared_request request_for(
        const question& asked, const deadline& by, const std::stop_token& stop) = 0;

    /// What the answer to it says, whatever its status.
    [[nodiscard]] virtual model_reply reply_of(const net::http_response& answer) const = 0;

    /// The provider does not have the uploaded video any more.
    virtual void forget_upload() {}
};

/// One model of one provider. Serves all worker threads at once.
class chat_api {
public:
    chat_api() = default;
    chat_api(const chat_api&) = delete;
    chat_api& operator=(const chat_api&) = delete;
    virtual ~chat_api() = default;

    [[nodiscard]] virtual std::string_view provider() const noexcept = 0;
    [[nodiscard]] virtual std::string_view model() const noexcept = 0;

    /// The key, which a server may send back: it must not get into logs. May be empty.
    [[nodiscard]] virtual std::string_view secret() const noexcept = 0;

    /// A sentence for the task: what the model is given besides a video, or instead of one.
    [[nodiscard]] virtual std::string media_note(const video_input& video) const = 0;

    /// `video` and `asked` outlive the session.
    [[nodiscard]] virtual std::unique_ptr<chat_session> open(
        const video_input& video, const prompt& asked) const = 0;

    /// A question about the model itself, which costs nothing.
    [[nodiscard]] virtual net::http_request model_request() const = 0;
    /// Nothing when the answer to it says that key and model are right.
    [[nodiscard]] virtual std::optional<call_failure> model_fault(
        const net::http_response& answer) const = 0;

    /// Removes what runs that are over have left at the provider. Blocking; logs what it did.
    virtual void sweep(
        const run_check& /*is_living*/, const deadline& /*by*/,
        const std::stop_token& /*stop*/) const {}
};

}  // namespace reelsd::model
