#include "query_parser.hpp"

#include "data_blocks.hpp"
#include "json_access.hpp"
#include "post_reader.hpp"
#include <reelsd/base/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace reelsd::platform {
namespace {

/// Documents of one streamed answer that are looked at; two or three are usual.
constexpr std::size_t documents_max = 100;

/// Without the guard against being run as a script.
std::string_view unguarded(std::string_view text) {
    constexpr std::string_view guard = "for (;;);";
    text = trimmed(text);
    if (text.starts_with(guard)) text.remove_prefix(guard.size());
    return trimmed(text);
}

/// Where `path` (names and positions) leads below `root`; null pointer when it does not.
document* place_in(document& root, const document& path) {
    document* at = &root;
    for (const auto& step : path) {
        if (step.is_string() && at->is_object()) {
            const auto found = at->find(step.get_ref<const std::string&>());
            if (found == at->end()) return nullptr;
            at = &*found;
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

/// Puts the data of a later document in its place in the first. Moves it: the library copies by
/// recursion, and nesting is the sender's choice.
void merge(document& first, document later) {
    if (!later.is_object() || !later.contains("data")) return;
    const auto* path = member(later, {"path"});
    auto& data = later["data"];
    if (path == nullptr || !path->is_array() || !data.is_object()) return;
    if (!first.is_object() || !first.contains("data")) return;
    auto* const place = place_in(first["data"], *path);
    if (place == nullptr) return;
    if (place->is_null()) *place = document::object();
    if (!place->is_object()) return;
    for (auto& [name, value] : data.items()) (*place)[name] = std::move(value);
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

/// The meaning of one error object, or of a body that is one. Every text in it is looked at, since
/// the platform puts the same words into different members.
answer_error meaning_of(const document& said) {
    constexpr std::int64_t rate_limit_code = 1675004;
    constexpr std::int64_t not_found_code = 4630001;
    const auto code = count_at(said, {"code"});
    if (code == rate_limit_code) return answer_error::slow_down;
    if (code == not_found_code) return answer_error::not_found;
    auto meaning = answer_error::none;
    for (const char* name : {"message", "error_type", "description", "summary", "title", "error"}) {
        const auto text = text_at(said, {name}).value_or("");
        for (const auto& phrase : known_phrases) {
            if (text.find(phrase.text) != std::string::npos)
                meaning = std::max(meaning, phrase.meaning);
        }
    }
    return meaning;
}

/// Of several platform errors the one that tells most: enumerators stand in that order.
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

parsed_answer parse_answer(std::string_view body, const link& wanted) {
    const auto answer = document_of(body);
    if (!answer) return {.platform_error = platform_error_without_json(body)};
    post_reader posts{wanted};
    posts.take_all(*answer);
    auto found = std::move(posts).result();
    return {
        .media = found.media,
        .platform_error = platform_error_in(*answer),
        .page_error = std::move(found.page_error),
        .subject = std::move(found.subject)};
}

parsed_answer parse_media_info(std::string_view body, const link& wanted) {
    const auto answer = document_of(body);
    if (!answer) return {.platform_error = platform_error_without_json(body)};
    post_reader posts{wanted};
    if (answer->is_object() && answer->contains("items"))
        posts.take(std::string{web_info_key}, *answer);
    auto found = std::move(posts).result();
    return {
        .media = found.media,
        .platform_error = platform_error_in(*answer),
        .page_error = std::move(found.page_error),
        .subject = std::move(found.subject)};
}

answer_error platform_error_of(std::string_view body) {
    const auto answer = document_of(body);
    return answer ? platform_error_in(*answer) : platform_error_without_json(body);
}

}  // namespace reelsd::platform
