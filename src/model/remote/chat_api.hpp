#pragma once

#include "call_failure.hpp"
#include "prompt.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/net/http_client.hpp>

#include <boost/core/noncopyable.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>

/// The common interface of the providers' APIs, and the next request after an unusable reply or a
/// refusal.
namespace reelsd::model {

/// What enforces the format of an answer.
enum class answer_format : std::uint8_t {
    schema,  ///< The provider enforces our schema.
    json,    ///< The provider enforces JSON; the schema is part of the task.
    text,    ///< Only the task describes it.
};

/// What differs between the requests about one video.
struct request_options {
    answer_format format = answer_format::schema;
    bool without_thinking = false;  ///< Omits thinking settings, which not every model accepts.
    bool without_store = false;     ///< Omits "store", which not every gateway accepts.
    bool other_limit_name = false;  ///< Uses the other name of the answer's token limit.
    bool least_thinking = false;    ///< As little as the model allows.
    bool larger_cap = false;        ///< Twice the usual answer's token limit.
    bool as_file = false;           ///< Uploads the video before the request.
    std::string note = {};          ///< Appended to the task.
};

enum class reply_end : std::uint8_t {
    complete,     ///< As far as the model says; the text is not empty.
    truncated,    ///< At the token limit, which thinking may have used up alone.
    recited,      ///< Withheld because it resembles copyrighted text, such as lyrics.
    refused,      ///< By policy.
    unspecified,  ///< No text, for an unknown reason.
    broken_off,   ///< By a fault of the provider. Billed, but no answer.
};

struct reply {
    reply_end end = reply_end::unspecified;
    std::string text = {};
    std::optional<token_counts> used = {};  ///< Absent if the provider reports none.
    std::string response_id = {};
    std::string detail = {};  ///< For logs: the provider's reason, or its notice about the model.
    std::int64_t audio_milliseconds = 0;  ///< As in call_usage.
};

using prepared_request = boost::system::result<net::http_request, call_failure>;
using model_reply = boost::system::result<reply, call_failure>;

/// The requests about one video or text. Not thread-safe. The destructor removes uploaded files.
class chat_session : boost::noncopyable {
public:
    virtual ~chat_session() = default;

    /// The request, with a streamed body. May block to upload the video or to extract its frames.
    [[nodiscard]] virtual prepared_request request_for(
        const request_options& options, const deadline& by, const std::stop_token& stop) = 0;

    /// Interprets the response, whatever its status.
    [[nodiscard]] virtual model_reply reply_of(const net::http_response& response) const = 0;

    /// The provider no longer has the uploaded video.
    virtual void forget_upload() {}
};

/// One model of one provider, as logs, metrics and the ledger name it.
struct model_endpoint {
    std::string provider;
    std::string model;
    std::string secret;  ///< The key, which must not be logged when a server returns it, or empty.
};

/// A model that answers about a video. Thread-safe.
class chat_api : boost::noncopyable {
public:
    explicit chat_api(model_endpoint endpoint) : endpoint_{std::move(endpoint)} {}
    virtual ~chat_api() = default;

    [[nodiscard]] const model_endpoint& endpoint() const noexcept { return endpoint_; }

    /// A sentence for the task about the media that the model gets besides or instead of a video.
    [[nodiscard]] virtual std::string media_note(const video_input& video) const = 0;

    /// `video` and `prompt` outlive the session. Without a video, the requests are text alone.
    [[nodiscard]] virtual std::unique_ptr<chat_session> open(
        const video_input* video, const prompt& prompt) const = 0;

    /// A request about the model itself, which costs nothing.
    [[nodiscard]] virtual net::http_request model_request() const = 0;
    /// Empty when the response to it confirms key and model.
    [[nodiscard]] virtual std::optional<call_failure> model_fault(
        const net::http_response& response) const = 0;

    /// Removes files that ended runs have left at the provider. Blocking; logs the result.
    virtual void sweep(
        const run_check& /*is_living*/, const deadline& /*by*/,
        const std::stop_token& /*stop*/) const {}

private:
    model_endpoint endpoint_;
};

/// The task, with the schema if the model does not see it otherwise, and the note of `options`.
[[nodiscard]] std::string task_text(
    const prompt& prompt, const request_options& options, bool with_schema);

/// Errors: storage.
[[nodiscard]] boost::system::result<net::file_range, call_failure> whole_file(
    const std::filesystem::path& file);

/// Settings of a client for `base_url`, which may be anywhere, because the operator configured it.
[[nodiscard]] net::http_client_settings client_settings(
    const std::string& base_url, std::optional<net::proxy> by_proxy, std::string ca_file);

/// The changes that were tried for one video. Each helps at most once.
struct tried_changes {
    std::set<reply_end> paid_after;  ///< The replies after which another request was paid.
    bool uploaded_again = false;
};

/// After an unusable reply: nothing when no change would help, or after two further paid requests.
/// Pure except for `tried`.
[[nodiscard]] std::optional<request_options> next_request(
    const request_options& options, reply_end end, std::span<const std::string> violations,
    tried_changes& tried);

/// The error of a request that was accepted until it had a larger token limit: the video and the
/// configuration are right, but the answer stays cut off. Empty for other failures.
[[nodiscard]] std::optional<error> cut_off_error(
    const request_options& options, const call_failure& why);

/// After a refusal that cost nothing. Pure except for `tried`.
[[nodiscard]] std::optional<request_options> next_request(
    const request_options& options, failure_kind why, tried_changes& tried);

}  // namespace reelsd::model
