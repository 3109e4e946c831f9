#include "chat_api.hpp"

#include <reelsd/net/url.hpp>

#include <system_error>
#include <utility>

namespace reelsd::model {
namespace {

constexpr int paid_again_max = 2;

/// True for the first call.
bool once(bool& flag) {
    return !std::exchange(flag, true);
}

/// `next` with the flag; empty if it was set already.
std::optional<request_options> set(bool request_options::*flag, request_options& next) {
    if (std::exchange(next.*flag, true)) return std::nullopt;
    return next;
}

std::optional<request_options> changed(
    const request_options& options, reply_end end, std::span<const std::string> violations,
    tried_changes& tried) {
    auto next = options;
    switch (end) {
        case reply_end::complete:
            if (violations.empty() || !once(tried.repaired)) return std::nullopt;
            next.note = repair_note(violations);
            return next;
        case reply_end::truncated:
            if (!once(tried.enlarged)) return std::nullopt;
            next.larger_cap = true;
            next.least_thinking = true;
            return next;
        case reply_end::recited:
            if (!once(tried.paraphrased)) return std::nullopt;
            next.note =
                "Quote no words of songs, films or other works: describe them in your own words, "
                "and give titles at most.";
            return next;
        case reply_end::unspecified:
            if (!once(tried.repeated)) return std::nullopt;
            return next;
        case reply_end::refused: break;
    }
    return std::nullopt;
}

}  // namespace

std::string task_text(const prompt& prompt, const request_options& options, answer_format format) {
    auto text = prompt.task;
    if (format != answer_format::schema) text += "\n\n" + schema_note(prompt.schema);
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
    if (tried.paid_again == paid_again_max) return std::nullopt;
    auto next = changed(options, end, violations, tried);
    if (next) ++tried.paid_again;
    return next;
}

std::optional<request_options> next_request(
    const request_options& options, failure_kind why, tried_changes& tried) {
    auto next = options;
    switch (why) {
        case failure_kind::payload_too_large: return set(&request_options::as_file, next);
        case failure_kind::thinking_refused: return set(&request_options::without_thinking, next);
        case failure_kind::store_refused: return set(&request_options::without_store, next);
        case failure_kind::limit_refused: return set(&request_options::other_limit_name, next);
        case failure_kind::schema_refused:
            if (options.format == answer_format::text) return std::nullopt;
            next.format =
                options.format == answer_format::schema ? answer_format::json : answer_format::text;
            return next;
        case failure_kind::file_gone:
            if (!once(tried.uploaded_again)) return std::nullopt;
            return next;
        default: return std::nullopt;
    }
}

}  // namespace reelsd::model
