#include "chat_api.hpp"

#include <reelsd/net/url.hpp>

#include <system_error>
#include <utility>

namespace reelsd::model {

std::string task_text(const prompt& prompt, const request_options& options, bool with_schema) {
    auto text = prompt.task;
    if (with_schema) text += "\n\n" + schema_note(prompt.schema);
    if (!options.note.empty()) text += "\n\n" + options.note;
    return text;
}

boost::system::result<net::file_range, call_failure> whole_file(const std::filesystem::path& file) {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file, failure);
    if (failure) return call_failure{.kind = failure_kind::storage, .detail = failure.message()};
    return net::file_range{.file = file, .offset = 0, .bytes = bytes};
}

net::http_client_settings client_settings(
    const std::string& base_url, std::optional<net::proxy> by_proxy, std::string ca_file) {
    net::http_client_settings settings{
        .by_proxy = std::move(by_proxy), .ca_file = std::move(ca_file)};
    if (const auto url = net::url::parse(base_url)) {
        settings.policy.trusted_origins = {url->origin()};
    }
    return settings;
}

std::optional<request_options> next_request(
    const request_options& options, reply_end end, std::span<const std::string> violations,
    tried_changes& tried) {
    constexpr std::size_t paid_again_max = 2;
    const bool may_help =
        end != reply_end::refused && (end != reply_end::complete || !violations.empty());
    if (!may_help || tried.paid_after.size() == paid_again_max) return std::nullopt;
    if (!tried.paid_after.insert(end).second) return std::nullopt;
    auto next = options;
    if (end == reply_end::complete) next.note = repair_note(violations);
    if (end == reply_end::truncated) next.larger_cap = next.least_thinking = true;
    if (end == reply_end::recited)
        next.note =
            "Quote no words of songs, films or other works: describe them in your own words, and "
            "give titles at most.";
    return next;
}

std::optional<error> cut_off_error(const request_options& options, const call_failure& why) {
    const bool is_refused = why.kind == failure_kind::limit_too_large ||
                            why.kind == failure_kind::context_exceeded ||
                            why.kind == failure_kind::video_rejected;
    if (!options.larger_cap || !is_refused) return std::nullopt;
    return error{
        errc::model_refused,
        "the answer was cut off, and a larger token limit was refused: " + why.detail};
}

std::optional<request_options> next_request(
    const request_options& options, failure_kind why, tried_changes& tried) {
    auto next = options;
    const auto set = [&next](bool& flag) {
        return std::exchange(flag, true) ? std::nullopt : std::optional{next};
    };
    switch (why) {
        case failure_kind::payload_too_large: return set(next.as_file);
        case failure_kind::thinking_refused: return set(next.without_thinking);
        case failure_kind::store_refused: return set(next.without_store);
        case failure_kind::limit_refused: return set(next.other_limit_name);
        case failure_kind::file_gone: return set(tried.uploaded_again);
        case failure_kind::schema_refused:
            if (options.format == answer_format::text) return std::nullopt;
            next.format =
                options.format == answer_format::schema ? answer_format::json : answer_format::text;
            return next;
        default: return std::nullopt;
    }
}

}  // namespace reelsd::model
