#include "summary.hpp"

#include "message_templates.hpp"
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

namespace reelsd::bot {
namespace {

/// At most so many: a model that writes more is out of its mind, and people read the first ones.
constexpr std::size_t moments_max = 20;

const json& at(const json& document, const char* section, const char* field) {
    static const json nothing;
    if (!document.is_object()) return nothing;
    const auto whole = document.find(section);
    if (whole == document.end() || !whole->is_object()) return nothing;
    const auto found = whole->find(field);
    return found == whole->end() ? nothing : *found;
}

std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : std::string{};
}

std::string text_at(const json& document, const char* section, const char* field) {
    return text_of(at(document, section, field));
}

std::string member_of(const json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? std::string{} : text_of(*found);
}

void append_head(rich_text& text, job_id job, const json& result) {
    const auto author = text_at(result, "platform_meta", "author");
    const auto name = text_at(result, "platform_meta", "author_name");
    const auto url = text_at(result, "platform_meta", "url");
    text.push_back(bold(author.empty() ? "Unknown author" : "@" + author));
    if (!name.empty() && name != author) text.push_back(plain(" (" + name + ")"));
    text.push_back(plain(" · "));
    text.push_back(link(fmt::format("reel {}", job.value), url));
    text.push_back(plain("\n"));
}

void append_moments(rich_text& text, const json& moments) {
    if (!moments.is_array() || moments.empty()) return;
    text.push_back(bold("\n\nKey moments"));
    std::string lines;
    std::size_t count = 0;
    for (const auto& one : moments) {
        if (!one.is_object() || ++count > moments_max) continue;
        lines.append(
            fmt::format("\n{}  {}", member_of(one, "timestamp"), member_of(one, "description")));
    }
    text.push_back(plain(std::move(lines)));
}

void append_folded(rich_text& text, const char* heading, std::string content) {
    if (content.find_first_not_of(" \n") == std::string::npos) return;
    text.push_back(bold(fmt::format("\n\n{}\n", heading)));
    text.push_back(folded(std::move(content)));
}

std::string lines_of(const json& texts) {
    std::string lines;
    if (!texts.is_array()) return lines;
    for (const auto& one : texts) {
        if (!one.is_string()) continue;
        if (!lines.empty()) lines.push_back('\n');
        lines.append(one.get_ref<const std::string&>());
    }
    return lines;
}

}  // namespace

rich_text summary_of(
    job_id job, std::string_view result, const std::optional<usage::decimal>& cost_usd) {
    const auto document = parse_foreign_json(result);
    rich_text text;
    append_head(text, job, document);
    auto summary = text_at(document, "content", "summary");
    if (summary.empty()) summary = text_at(document, "visual", "description");
    text.push_back(plain(summary.empty() ? "Nothing can be said of it." : std::move(summary)));
    append_moments(text, at(document, "content", "key_moments"));
    append_folded(text, "Transcript", text_at(document, "audio", "transcript"));
    append_folded(text, "On screen", lines_of(at(document, "visual", "text_on_screen")));
    text.push_back(plain("\n\nCost: " + wording::cost_text(cost_usd)));
    return text;
}

}  // namespace reelsd::bot
