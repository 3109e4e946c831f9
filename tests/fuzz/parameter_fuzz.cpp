// Random and mutated texts through each reader of values in paths, queries and header fields, which
// request_fuzz seldom reaches with complete requests. They come from tests/fuzz/parameter_corpus, a
// line each.
//
//   parameter_fuzz [TEXTS [SEED]]      1,500 texts for each reader and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when a guarantee of the headers is violated, or
// when a sanitizer finds an error. The same seed gives the same texts.
#include "api/resources.hpp"
#include "dashboard/resources.hpp"
#include "dashboard/session_authentication.hpp"
#include "reader_fuzz.hpp"
#include "support/paths.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/http/request.hpp>
#include <reelsd/http/target.hpp>

#include <algorithm>

namespace reelsd::fuzz {
namespace {

bool is_visible(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

bool is_storable(std::string_view text) {
    try {
        static_cast<void>(json(text).dump());  // Throws for invalid UTF-8.
        return text.find('\0') == std::string_view::npos;
    } catch (const json::exception&) {
        return false;
    }
}

/// The client gets `message`, without bytes of its input.
reading refused(const error& why, errc code, std::string_view message) {
    const bool is_expected = why.code() == code && why.detail().starts_with(message);
    return {.violation = is_expected ? "" : "no expected message"};
}

reading taken_if(bool holds, const char* violation) {
    return {.violation = holds ? "" : violation, .accepted = true};
}

/// One id, one cursor.
reading read_cursor(std::string_view text) {
    const auto found = api::requested_cursor(text);
    if (!found) return refused(found.error(), errc::invalid_argument, "cursor was");
    return taken_if(
        *found && (*found)->value > 0 && api::cursor_of(**found) == text, "another cursor");
}

reading read_idempotency_key(std::string_view text) {
    const auto key = api::requested_idempotency_key(text);
    if (!key) return refused(key.error(), errc::invalid_argument, "Idempotency-Key must be");
    const bool is_same = *key && **key == text;
    return taken_if(
        is_same && !text.empty() && text.size() <= 255 && is_visible(text), "another key");
}

/// One resource, one path.
reading read_id(std::string_view text) {
    const auto id = api::requested_id(text);
    if (!id) return refused(id.error(), errc::not_found, "");
    return taken_if(id->value > 0 && std::to_string(id->value) == text, "another id");
}

reading read_limit(std::string_view text) {
    const auto limit = http::requested_limit(text, 20, 100);
    if (!limit) return refused(limit.error(), errc::invalid_argument, "limit must be");
    const bool has_digits_alone = text.find_first_not_of("0123456789") == std::string_view::npos;
    return taken_if(*limit >= 1 && *limit <= 100 && has_digits_alone, "another limit");
}

reading read_wait(std::string_view text) {
    const auto wait = api::requested_wait(text);
    if (!wait) return refused(wait.error(), errc::invalid_argument, "wait must be");
    return taken_if(
        *wait >= std::chrono::milliseconds::zero() && *wait <= bounds::wait_max, "another wait");
}

reading read_status(std::string_view text) {
    const auto status = api::requested_status(text);
    if (!status) return refused(status.error(), errc::invalid_argument, "status must be");
    return taken_if(*status && name_of(**status) == text, "another status");
}

reading read_size(std::string_view text) {
    const auto size = api::requested_size(text);
    if (!size) return refused(size.error(), errc::invalid_argument, "size must be");
    return taken_if(text == "small" || text == "large", "another size");
}

/// The router rejects invalid UTF-8 before.
reading read_author(std::string_view text) {
    if (!is_storable(text)) return {};
    const auto author = api::requested_author(text);
    if (!author) return refused(author.error(), errc::invalid_argument, "author must be");
    text = trimmed(text);
    text.remove_prefix(text.starts_with('@') ? 1 : 0);
    return taken_if(*author && **author == text && text.size() <= 400, "another author");
}

/// The same day as start and end.
reading read_day(std::string_view text) {
    const auto period = api::requested_period(text, text);
    if (!period) return refused(period.error(), errc::invalid_argument, "from must be");
    const bool is_day = period->from && period->to && period->from->ok() && text.size() == 10 &&
                        *period->from == *period->to;
    return taken_if(is_day, "no day");
}

reading read_search(std::string_view text) {
    const auto query = api::requested_query(text);
    if (!query) return refused(query.error(), errc::invalid_argument, "q is ");
    if (!is_storable(*query) || query->empty()) return taken_if(false, "no text");
    if (!is_storable(text)) return {.accepted = true};  // It may have become longer.
    const auto again = api::requested_query(*query);
    return taken_if(again && *again == *query, "read otherwise the second time");
}

/// A whole query: for each pair a name and a value that are text.
reading read_query(std::string_view text) {
    const auto parsed = http::query_parameters::parse(text);
    if (!parsed) return refused(parsed.error(), errc::invalid_argument, "");
    const auto pairs_max = static_cast<std::size_t>(std::count(text.begin(), text.end(), '&')) + 1;
    if (parsed->size() > pairs_max) return taken_if(false, "more pairs than there are");
    for (const auto* name : {"limit", "q", "url", ""}) {
        const auto value = parsed->find(name);
        if (value && !is_storable(*value)) return taken_if(false, "a value that is no text");
        if (value && percent_decoded(percent_encoded(*value)) != std::string{*value})
            return taken_if(false, "another value");
    }
    return {.accepted = true};
}

reading read_target(std::string_view text) {
    const auto target = http::request_target::parse(std::string{text});
    if (!target) return refused(target.error(), errc::invalid_argument, "");
    if (target->text() != text) return taken_if(false, "another target");
    // "*" and "http://host" have no path at all.
    const bool has_path = target->path().starts_with('/');
    const auto slashes =
        static_cast<std::size_t>(std::count(target->path().begin(), target->path().end(), '/'));
    return taken_if(!has_path || target->segments().size() == slashes, "other segments");
}

reading read_request_id(std::string_view text) {
    if (!http::is_sane_request_id(text)) return {};
    return taken_if(!text.empty() && text.size() <= 128 && is_visible(text), "a strange id");
}

reading read_authorization(std::string_view text) {
    const auto hash = accounts::token_of_authorization(text);
    if (hash) {
        const auto blank = text.find("rls_");
        return taken_if(blank != std::string_view::npos, "no token");
    }
    const bool is_expected = hash.error().code() == errc::unauthorized &&
                             (hash.error().detail() == accounts::token_required_text ||
                              hash.error().detail() == accounts::token_invalid_text);
    return {.violation = is_expected ? "" : "no expected message"};
}

/// A valid secret is found again in its cookie.
reading read_cookies(std::string_view text) {
    const auto secret = dashboard::session_secret_in(text, false);
    if (!secret) return {};
    if (!accounts::hash_of_secret(*secret)) return taken_if(false, "no secret");
    const auto cookie = dashboard::session_cookie(*secret, false);
    if (dashboard::session_secret_in(cookie, false) != secret)
        return taken_if(false, "another secret");
    return taken_if(dashboard::csrf_token_of(*secret).size() == 64, "no token");
}

/// Only IDs of events are positions.
reading read_position(std::string_view text) {
    const auto position = dashboard::position_in(text);
    if (!position) return {};
    return taken_if(
        dashboard::events_text({.changed = {}, .deleted = {}, .position = position}) ==
            "id: " + std::string{text} + "\n\n",
        "another position");
}

/// Only IDs of this reel's events.
reading read_event_ids(std::string_view text) {
    const auto position = api::sent_in(text, job_id{42});
    if (!position) return {};
    return taken_if(api::event_id(job_id{42}, *position) == text, "another place");
}

reading read_token_name(std::string_view text) {
    const auto checked = accounts::check_token_name(text);
    if (!checked) return refused(checked.error(), errc::invalid_argument, "name: ");
    const bool is_printable =
        std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });
    return taken_if(is_printable && !text.empty(), "a strange name");
}

std::vector<reader_check> parameter_checks() {
    const std::filesystem::path corpus{REELSD_SOURCE_DIR "/tests/fuzz/parameter_corpus"};
    const auto numbers = lines_of(corpus / "numbers.txt");
    const auto words = lines_of(corpus / "words.txt");
    return {
        {"cursor", lines_of(corpus / "cursors.txt"), read_cursor},
        {"idempotency key", lines_of(corpus / "keys.txt"), read_idempotency_key},
        {"id", numbers, read_id},
        {"limit", numbers, read_limit},
        {"wait", numbers, read_wait},
        {"status", words, read_status},
        {"size", words, read_size},
        {"author", words, read_author},
        {"day", lines_of(corpus / "days.txt"), read_day},
        {"search", words, read_search},
        {"query", lines_of(corpus / "queries.txt"), read_query},
        {"target", lines_of(corpus / "targets.txt"), read_target},
        {"request id", lines_of(corpus / "keys.txt"), read_request_id},
        {"authorization", lines_of(corpus / "authorizations.txt"), read_authorization},
        {"cookies", lines_of(corpus / "cookies.txt"), read_cookies},
        {"event position", numbers, read_position},
        {"event ids", lines_of(corpus / "event_ids.txt"), read_event_ids},
        {"token name", words, read_token_name},
    };
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    using namespace reelsd::fuzz;
    constexpr std::size_t texts_usual = 1'500;
    return fuzz_readers(parameter_checks(), {}, run_from(count, values, texts_usual));
}
