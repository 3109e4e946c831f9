#include "answer_parser.hpp"
#include "json_access.hpp"
#include "post_reader.hpp"
#include <reelsd/base/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace reelsd::platform {
namespace {

/// Bound on the documents of one streamed answer; two or three are usual.
constexpr std::size_t documents_max = 100;

/// Removes the prefix that prevents execution as a script.
std::string_view unguarded(std::string_view text) {
    constexpr std::string_view guard = "for (;;);";
    text = trimmed(text);
    if (text.starts_with(guard)) text.remove_prefix(guard.size());
    return trimmed(text);
}

/// The value at `path` (names and positions) below `root`; null if it is missing.
document* value_at_path(document& root, const document& path) {
    document* at = &root;
    for (const auto& step : path) {
        if (step.is_string() && at->is_object()) {
            const auto child = at->find(step.get_ref<const std::string&>());
            if (child == at->end()) return nullptr;
            at = &*child;
        } else if (step.is_number_unsigned() && at->is_array()) {
            const auto index = step.get<std::size_t>();
            if (index >= at->size()) return nullptr;
            at = &(*at)[index];
        } else {
            return nullptr;
        }
    }
    return at;
}

/// Adds the data of a later document to the first. Moves it: the library copies by recursion, and
/// the sender decides on the depth.
void merge(document& first, document later) {
    if (!later.is_object() || !later.contains("data")) return;
    const auto* path = member(later, {"path"});
    auto& data = later["data"];
    if (path == nullptr || !path->is_array() || !data.is_object()) return;
    if (!first.is_object() || !first.contains("data")) return;
    auto* const target = value_at_path(first["data"], *path);
    if (target == nullptr) return;
    if (target->is_null()) *target = document::object();
    if (!target->is_object()) return;
    for (auto& [name, value] : data.items()) (*target)[name] = std::move(value);
}

/// The whole answer as one document.
std::optional<document> document_of(std::string_view body) {
    const auto text = unguarded(body);
    if (auto whole = parse_block(text)) return whole;
    std::optional<document> first;
    std::size_t start = 0;
    for (std::size_t count = 0; start < text.size() && count < documents_max; ++count) {
        const auto end = std::min(text.find('\n', start), text.size());
        const auto line = unguarded(text.substr(start, end - start));
        start = end + 1;
        if (line.empty()) continue;
        auto parsed = parse_block(line);
        if (!first && !parsed) return std::nullopt;
        if (!first)
            first = std::move(parsed);
        else if (parsed)
            merge(*first, *std::move(parsed));
    }
    return first;
}

struct known_phrase {
    std::string_view text;
    answer_error meaning;
};

constexpr auto known_phrases = std::to_array<known_phrase>({
    {"Rate limit exceeded", answer_error::slow_down},
    {"rate_limit_error", answer_error::slow_down},
    {"sentry_block", answer_error::slow_down},
    {"Please wait a few minutes", answer_error::wait},
    {"login_required", answer_error::login_required},
    {"checkpoint_required", answer_error::challenge},
    {"challenge_required", answer_error::challenge},
    {"feedback_required", answer_error::challenge},
    {"geoblock_required", answer_error::restricted},
    {"This content may be inappropriate", answer_error::restricted},
    {"Restricted Video", answer_error::restricted},
    {"Not authorized to view user", answer_error::private_account},
    {"Media not found or unavailable", answer_error::not_found},
    {"has been deleted", answer_error::not_found},
    {"Invalid media_id", answer_error::not_found},
    {"Unauthorized logged out query", answer_error::outdated},
    {"useragent mismatch", answer_error::outdated},
    {"missing_required_variable_value", answer_error::outdated},
    {"field_exception", answer_error::field_exception},
    {"execution error", answer_error::execution_error},
});

/// The meaning of an error object. Searches all its texts, because the platform puts the same
/// phrases into different members.
answer_error meaning_of(const document& object) {
    constexpr std::int64_t rate_limit_code = 1675004;
    constexpr std::int64_t not_found_code = 4630001;
    const auto code = count_at(object, {"code"});
    if (code == rate_limit_code) return answer_error::slow_down;
    if (code == not_found_code) return answer_error::not_found;
    auto meaning = answer_error::none;
    for (const char* name : {"message", "error_type", "description", "summary", "title", "error"}) {
        const auto text = text_at(object, {name}).value_or("");
        for (const auto& phrase : known_phrases) {
            if (text.find(phrase.text) != std::string::npos)
                meaning = std::max(meaning, phrase.meaning);
        }
    }
    return meaning;
}

/// The most informative of several errors: enumerators are in that order.
answer_error platform_error_in(const document& answer) {
    auto worst = meaning_of(answer);
    for (const auto& entry : array_at(answer, {"errors"}))
        worst = std::max(worst, meaning_of(entry));
    return worst;
}

answer_error platform_error_without_json(std::string_view body) {
    return trimmed(body).starts_with('<') ? answer_error::html : answer_error::no_json;
}

}  // namespace

parsed_answer parse_query(std::string_view body, const link& reel) {
    const auto parsed = document_of(body);
    if (!parsed) return {.platform_error = platform_error_without_json(body)};
    post_reader posts{reel};
    posts.take_all(*parsed);
    auto answer = std::move(posts).result();
    answer.platform_error = platform_error_in(*parsed);
    return answer;
}

parsed_answer parse_media_info(std::string_view body, const link& reel) {
    const auto parsed = document_of(body);
    if (!parsed) return {.platform_error = platform_error_without_json(body)};
    post_reader posts{reel};
    if (parsed->is_object() && parsed->contains("items"))
        posts.take(std::string{web_info_key}, *parsed);
    auto answer = std::move(posts).result();
    answer.platform_error = platform_error_in(*parsed);
    return answer;
}

answer_error platform_error_of(std::string_view body) {
    const auto parsed = document_of(body);
    return parsed ? platform_error_in(*parsed) : platform_error_without_json(body);
}

parsed_answer parse_answer(answer_kind kind, std::string_view body, const link& reel) {
    switch (kind) {
        case answer_kind::page: return parse_page(body, reel);
        case answer_kind::query: return parse_query(body, reel);
        case answer_kind::session: return parse_media_info(body, reel);
        case answer_kind::embed: break;
    }
    return parse_embed(body, reel);
}

}  // namespace reelsd::platform
