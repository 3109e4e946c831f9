// Random and mutated updates and answers of the Bot API, and results as messages, with untrusted
// text and captions. They come from tests/fuzz/bot_corpus and result_corpus.
//
//   bot_fuzz [INPUTS [SEED]]      300 inputs for each reader and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when a guarantee of the headers is violated, or
// when a sanitizer finds an error. The same seed gives the same inputs.
#include "bot/bot_api.hpp"
#include "bot/message_templates.hpp"
#include "bot/rich_text.hpp"
#include "bot/update.hpp"
#include "reader_fuzz.hpp"
#include "support/paths.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>
#include <variant>

namespace reelsd::fuzz {
namespace {

using namespace bot;

constexpr std::size_t chat_name_bytes_max = 100;
constexpr std::size_t button_bytes_max = 64;

const bot_identity self{.id = 42, .username = "reels_bot"};

std::string broken(const incoming_message& message) {
    if (message.chat.value == 0) return "a message without a chat";
    if (message.chat_name.empty() || message.chat_name.size() > chat_name_bytes_max)
        return "an invalid chat name";
    for (const auto& video : {message.video, message.answered_video}) {
        if (video && (video->file.empty() || video->size_bytes < 0)) return "an invalid video";
    }
    const auto parsed = parse_command(message, self);
    if (const auto* const video = std::get_if<commands::video>(&parsed)) {
        return video->urls.size() > links_max ? "too many links" : "";
    }
    const auto* const links = std::get_if<commands::links>(&parsed);
    if (links == nullptr) return "";
    if (links->urls.empty() || links->urls.size() > links_max) return "too many links, or none";
    for (const auto& url : links->urls) {
        if (url.empty() || !is_visible_ascii(url)) return "an invalid link";
    }
    return "";
}

reading read_updates(std::string_view body) {
    const auto updates = updates_from(parse_foreign_json(body));
    reading outcome{.violation = "", .accepted = false};
    std::int64_t last_id = INT64_MIN;
    for (const auto& update : updates) {
        if (update.id < last_id) return {.violation = "updates out of order"};
        last_id = update.id;
        if (const auto* const message = std::get_if<incoming_message>(&update.what)) {
            outcome.accepted = true;
            if (auto why = broken(*message); !why.empty()) return {.violation = std::move(why)};
        }
        if (const auto* const button = std::get_if<pressed_button>(&update.what)) {
            const auto parsed = parse_button(button->data);
            if (parsed && button_data(*parsed).size() > button_bytes_max)
                return {.violation = "button data that is too long"};
        }
    }
    return outcome;
}

reading read_answer(std::string_view body) {
    using outcome = api_answer::outcome;
    bool accepted = false;
    for (const int status : {200, 302, 400, 404, 429, 502}) {
        const auto answer = answer_from(status, body, std::nullopt);
        if (answer.what == outcome::rate_limited && answer.retry_after.count() < 1)
            return {.violation = "a wait of no time"};
        if ((answer.what == outcome::moved) != answer.moved_to.has_value())
            return {.violation = "a move to nowhere"};
        if (answer.what == outcome::done && status != 200)
            return {.violation = "a success that is none"};
        accepted = accepted || answer.what == outcome::done;
    }
    return {.violation = "", .accepted = accepted};
}

/// Why a server would reject this HTML; empty if it would not.
std::string fault_of(std::string_view html) {
    constexpr auto opening = std::to_array<std::string_view>({"b", "code", "blockquote"});
    std::vector<std::string_view> open;
    for (std::size_t at = 0; at < html.size(); ++at) {
        if (html[at] == '>') return "a bracket that is not escaped";
        if (html[at] == '&') {
            const auto rest = html.substr(at);
            const bool is_known = rest.starts_with("&lt;") || rest.starts_with("&gt;") ||
                                  rest.starts_with("&amp;") || rest.starts_with("&quot;");
            if (!is_known) return "an escape that is cut";
        }
        if (html[at] != '<') continue;
        const auto end = html.find('>', at);
        if (end == std::string_view::npos) return "a tag that is cut";
        const auto tag = html.substr(at + 1, end - at - 1);
        const auto name = tag.substr(0, tag.find(' '));
        at = end;
        if (name.starts_with('/')) {
            if (open.empty() || open.back() != name.substr(1)) return "a tag that ends another";
            open.pop_back();
            continue;
        }
        const bool is_link = tag.starts_with("a href=\"") && tag.ends_with('"');
        if (!is_link && std::find(opening.begin(), opening.end(), name) == opening.end())
            return "a tag that is not allowed";
        open.push_back(name);
    }
    return open.empty() ? "" : "a tag without its end";
}

reading read_summary(std::string_view document) {
    const auto text = templates::finished_reel(job_id{7}, document, {});
    const auto parts = to_messages(text);
    if (parts.empty() || parts.size() > message_parts_max)
        return {.violation = "too many messages, or none"};
    for (const auto& part : parts) {
        if (utf16_length(part) > message_units_max) return {.violation = "a long message"};
        if (auto why = fault_of(part); !why.empty()) return {.violation = std::move(why)};
    }
    return {.violation = "", .accepted = parts.front().find("<b>") != std::string::npos};
}

/// Any text in every style, split into small messages.
reading read_text(std::string_view text) {
    const std::string own{text};
    const rich_text styled{
        bold(own),
        plain("\n" + own),
        folded(own),
        code(own),
        link(own, "https://example.org/?a&b")};
    constexpr std::size_t small = 300;
    for (const auto& part : to_messages(styled, small)) {
        if (utf16_length(part) > small) return {.violation = "a long message"};
        if (auto why = fault_of(part); !why.empty()) return {.violation = std::move(why)};
    }
    return {.violation = "", .accepted = true};
}

std::vector<reader_check> bot_checks() {
    const std::filesystem::path corpus{REELSD_SOURCE_DIR "/tests/fuzz/bot_corpus"};
    const auto updates = lines_of(corpus / "updates.txt");
    const auto results = files_of(REELSD_SOURCE_DIR "/tests/fuzz/result_corpus");
    return {
        {"updates", updates, read_updates},
        {"answer", lines_of(corpus / "answers.txt"), read_answer},
        {"summary", results, read_summary},
        {"text", updates, read_text},
    };
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    using namespace reelsd::fuzz;
    constexpr std::size_t inputs_usual = 300;
    return fuzz_readers(bot_checks(), {}, run_from(count, values, inputs_usual));
}
