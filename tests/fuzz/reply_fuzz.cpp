// Random and mutated HTTP responses of model providers through the readers that precede the parsing
// of the model's answer (for that see answer_fuzz): replies, refusals, embeddings and retry delays.
// They come from tests/fuzz/reply_corpus: a status, header fields, an empty line and a body.
//
//   reply_fuzz [REPLIES [SEED]]      1,000 replies for each reader and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when a guarantee of the headers is violated, or
// when a sanitizer finds an error. The same seed gives the same replies.
#include "model/remote/call_failure.hpp"
#include "model/remote/chat_api.hpp"
#include "model/remote/gemini_api.hpp"
#include "model/remote/openai_api.hpp"
#include "model/remote/remote_embedder.hpp"
#include "reader_fuzz.hpp"
#include "support/paths.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace reelsd::fuzz {
namespace {

using namespace model;

/// Noon of 2026-11-21, UTC.
constexpr std::chrono::system_clock::time_point now{std::chrono::seconds{1'795'262'400}};
/// Upper bound on two excerpts of 300 characters with their context.
constexpr std::size_t detail_bytes_max = 4'096;
/// Twice the bound of one count, because some are sums of two.
constexpr std::int64_t tokens_max = 2'000'000'000;

std::string_view take_line(std::string_view& text) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

/// Accepts any bytes; without a header the status is 200.
net::http_response response_from(std::string_view bytes) {
    net::http_response response;
    response.head.status = 200;
    const auto blank = bytes.find("\n\n");
    if (blank == std::string_view::npos) {
        response.body = bytes;
        return response;
    }
    auto head = bytes.substr(0, blank + 1);
    response.body = bytes.substr(blank + 2);
    const auto status = take_line(head);
    std::from_chars(status.data(), status.data() + status.size(), response.head.status);
    response.head.status = std::clamp(response.head.status, 200, 599);
    while (!head.empty()) {
        const auto line = take_line(head);
        const auto colon = line.find(": ");
        if (colon == std::string_view::npos) continue;
        response.head.headers.add(
            std::string{line.substr(0, colon)}, std::string{line.substr(colon + 2)});
    }
    return response;
}

bool is_log_text(const std::string& text) {
    if (text.size() > detail_bytes_max || text.find('\n') != std::string::npos) return false;
    try {
        static_cast<void>(json(text).dump());  // Throws for invalid UTF-8.
        return true;
    } catch (const json::exception&) {
        return false;
    }
}

bool is_delay(const std::optional<seconds_f>& delay) {
    constexpr double day_seconds = 86'400;
    return !delay ||
           (std::isfinite(delay->count()) && delay->count() >= 0 && delay->count() <= day_seconds);
}

std::string broken(const call_failure& why) {
    if (!is_log_text(why.detail)) return "a detail that cannot be logged";
    if (!is_delay(why.server_delay)) return "no delay";
    if (name_of(why.kind).empty()) return "a failure without a name";
    const auto code = error_from(why).code();
    return name_of(code).empty() ? "an error without a name" : "";
}

bool is_count(std::int64_t count) {
    return count >= 0 && count <= tokens_max;
}

std::string broken(const token_counts& used) {
    const bool are_counts = is_count(used.prompt) && is_count(used.cached_prompt) &&
                            is_count(used.output) && is_count(used.thinking);
    if (!are_counts) return "an impossible number of tokens";
    if (used.cached_prompt > used.prompt || used.thinking > used.output)
        return "a part that is more than the whole";
    const bool parts_hold =
        std::all_of(used.by_modality.begin(), used.by_modality.end(), [](const auto& part) {
            return part.prompt >= 0 && part.cached_prompt >= 0 && part.output >= 0;
        });
    return parts_hold ? "" : "a negative part";
}

reading reading_of(const model_reply& reply) {
    if (!reply) return {.violation = broken(reply.error())};
    if (reply->used) {
        auto why = broken(*reply->used);
        if (!why.empty()) return {.violation = std::move(why)};
    }
    const bool is_blank = reply->text.find_first_not_of(" \t\r\n") == std::string::npos;
    if (reply->end == reply_end::complete && is_blank) return {.violation = "nothing, whole"};
    const bool is_logged = is_log_text(reply->detail) && is_log_text(reply->response_id);
    return {
        .violation = is_logged ? "" : "a detail that cannot be logged",
        .accepted = reply->end == reply_end::complete};
}

reading read_gemini(std::string_view bytes) {
    const auto answer = response_from(bytes);
    if (answer.status() == 200) return reading_of(gemini_reply(answer.body, now));
    for (const auto target : {gemini_target::generate, gemini_target::file}) {
        const auto why = gemini_failure(answer, target, now);
        if (auto fault = broken(why); !fault.empty()) return {.violation = std::move(fault)};
    }
    return {};
}

reading read_openai(std::string_view bytes) {
    const auto answer = response_from(bytes);
    if (answer.status() == 200) return reading_of(openai_reply(answer, now));
    const auto why = openai_failure(answer, now);
    return {.violation = broken(why)};
}

reading reading_of(const std::optional<embeddings>& vectors, std::size_t texts) {
    if (!vectors) return {};
    if (vectors->vectors.size() != texts) return {.violation = "vectors of other texts"};
    if (!is_count(vectors->tokens)) return {.violation = "an impossible number of tokens"};
    for (const auto& vector : vectors->vectors) {
        if (vector.empty()) continue;  // Its text got none that is usable.
        double length = 0;
        for (const auto component : vector) length += double{component} * double{component};
        if (vector.size() > dimensions_max || std::abs(length - 1) > 0.01)
            return {.violation = "a vector without direction"};
    }
    return {.accepted = true};
}

/// Of one text and of two.
reading read_embeddings(std::string_view bytes) {
    const auto document = parse_foreign_json(response_from(bytes).body);
    reading all;
    for (const std::size_t texts : {1U, 2U}) {
        for (const auto& vectors :
             {gemini_embeddings(document, texts), openai_embeddings(document, texts)}) {
            auto outcome = reading_of(vectors, texts);
            all.accepted = all.accepted || outcome.accepted;
            if (all.violation.empty()) all.violation = std::move(outcome.violation);
        }
    }
    return all;
}

/// A text in each position of a delay.
reading read_delay(std::string_view text) {
    const std::string value{text};
    net::header_list headers;
    for (const auto* name :
         {"retry-after",
          "retry-after-ms",
          "x-ratelimit-reset-requests",
          "x-ratelimit-reset-tokens"}) {
        headers.add(name, value);
    }
    headers.add("x-ratelimit-remaining-tokens", "0");
    net::header_list date;
    date.add("retry-after", value);
    reading all;
    for (const auto& delay :
         {duration_from(text),
          delay_in_message(text),
          delay_in_headers(headers, now),
          delay_in_headers(date, now),
          delay_in_limits(headers)}) {
        all.accepted = all.accepted || delay.has_value();
        if (!is_delay(delay)) all.violation = "no delay";
    }
    return all;
}

std::vector<reader_check> reply_checks() {
    const std::filesystem::path corpus{REELSD_SOURCE_DIR "/tests/fuzz/reply_corpus"};
    return {
        {"gemini", files_of(corpus / "gemini"), read_gemini},
        {"openai", files_of(corpus / "openai"), read_openai},
        {"embeddings", files_of(corpus / "embeddings"), read_embeddings},
        {"delay", lines_of(corpus / "delays.txt"), read_delay},
    };
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    using namespace reelsd::fuzz;
    constexpr std::size_t replies_usual = 1'000;
    return fuzz_readers(reply_checks(), {}, run_from(count, values, replies_usual));
}
