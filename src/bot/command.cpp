#include "command.hpp"

#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace reelsd::bot {
namespace {

bool is_name_letter(char c) {
    return is_alphanumeric(c) || c == '_';
}

/// Position of "@username" as a separate word, or npos.
std::size_t find_mention(std::string_view text, std::string_view username) {
    if (username.empty()) return std::string_view::npos;
    const auto lowered = ascii_lower(text);
    const auto mention = "@" + ascii_lower(username);
    for (auto at = lowered.find(mention); at != std::string::npos;
         at = lowered.find(mention, at + 1)) {
        const auto end = at + mention.size();
        const bool begins = at == 0 || !is_name_letter(lowered[at - 1]);
        const bool ends = end == lowered.size() || !is_name_letter(lowered[end]);
        if (begins && ends) return at;
    }
    return std::string_view::npos;
}

struct written_command {
    std::string name;
    std::string addressee;  ///< The bot's name in lower case, or empty.
    std::string rest;
};

std::optional<written_command> command_in(std::string_view text) {
    if (!text.starts_with('/')) return std::nullopt;
    text.remove_prefix(1);
    const auto word = text.substr(0, std::min(text.find_first_of(ascii_whitespace), text.size()));
    const auto name = word.substr(0, std::min(word.find('@'), word.size()));
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_letter)) return std::nullopt;
    return written_command{
        .name = ascii_lower(name),
        .addressee = name.size() < word.size() ? ascii_lower(word.substr(name.size() + 1)) : "",
        .rest = std::string{trimmed(text.substr(word.size()))}};
}

bool is_addressed(const incoming_message& message, const bot_identity& self) {
    if (self.id != 0 && message.answered_user == self.id) return true;
    const auto is_own_mention = [&self](const text_entity& entity) {
        return entity.type == "text_mention" && entity.user == self.id && self.id != 0;
    };
    return std::any_of(message.entities.begin(), message.entities.end(), is_own_mention) ||
           find_mention(message.text, self.username) != std::string_view::npos;
}

std::string without_mention(std::string_view text, const bot_identity& self) {
    std::string rest{text};
    const auto at = find_mention(text, self.username);
    if (at != std::string_view::npos) rest.erase(at, self.username.size() + 1);
    return std::string{trimmed(rest)};
}

/// Removes punctuation around a link.
std::string_view without_punctuation(std::string_view word) {
    const auto end = word.find_last_not_of(".,;:!?)]}>'\"");
    word = word.substr(0, end == std::string_view::npos ? 0 : end + 1);
    word.remove_prefix(std::min(word.find_first_not_of("(<[{'\""), word.size()));
    return word;
}

/// The link in a word, completed with a scheme; empty for any other word.
std::string link_in(std::string_view word) {
    // Text may touch the link. Characters that no link has end it, such as typographic quotation
    // marks.
    const auto all = ascii_lower(word);
    const auto begin = std::min(all.find("https://"), all.find("http://"));
    if (begin != std::string::npos) word.remove_prefix(begin);
    const auto end =
        std::find_if(word.begin(), word.end(), [](char c) { return c <= ' ' || c > '~'; });
    word = without_punctuation(word.substr(0, static_cast<std::size_t>(end - word.begin())));
    const auto start = ascii_lower(word.substr(0, std::min<std::size_t>(word.size(), 20)));
    if (start.starts_with("https://") || start.starts_with("http://")) return std::string{word};
    for (const std::string_view host :
         {"instagram.com/", "www.instagram.com/", "m.instagram.com/"}) {
        if (start.starts_with(host)) return "https://" + std::string{word};
    }
    return {};
}

commands::links links_in(std::string_view text, const std::vector<text_entity>& entities) {
    commands::links links;
    const auto add = [&links](std::string url) {
        auto& urls = links.urls;
        if (url.empty() || std::find(urls.begin(), urls.end(), url) != urls.end()) return;
        if (urls.size() == links_max) {
            ++links.left_out;
        } else {
            urls.push_back(std::move(url));
        }
    };
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto size = std::min(rest.find_first_of(ascii_whitespace), rest.size());
        add(link_in(without_punctuation(rest.substr(0, size))));
        rest.remove_prefix(std::min(size + 1, rest.size()));
    }
    for (const auto& entity : entities) {
        if (entity.type == "text_link") add(link_in(entity.address));
    }
    return links;
}

commands::video video_in(const incoming_video& file, const bot_identity& self) {
    return {
        .file = file,
        .caption = without_mention(file.caption, self),
        .urls = links_in(file.caption, file.entities).urls};
}

std::string_view name_of(button_command::kind what) {
    switch (what) {
        case button_command::kind::file: return "json";
        case button_command::kind::frames: return "frames";
        case button_command::kind::again: break;
    }
    return "again";
}

}  // namespace

command parse_command(const incoming_message& message, const bot_identity& self) {
    if (message.is_by_bot || (message.text.empty() && !message.video)) return commands::none{};
    const bool is_group = message.kind == chats::chat_kind::group;
    const auto written = command_in(trimmed(message.text));
    const bool has_addressee = written && !written->addressee.empty();
    if (has_addressee && written->addressee != ascii_lower(self.username)) return commands::none{};
    if (is_group && !has_addressee && !is_addressed(message, self)) return commands::none{};
    if (message.video) return video_in(*message.video, self);
    if (written) {
        return commands::slash{.name = written->name, .rest = without_mention(written->rest, self)};
    }

    auto links = links_in(message.text, message.entities);
    if (!links.urls.empty()) return links;
    const auto rest = without_mention(message.text, self);
    // "@bot /list"
    if (auto later = command_in(rest)) return commands::slash{later->name, later->rest};
    if (chats::hash_of_chat_code(rest)) return commands::code{rest};
    if (message.answered_video) return video_in(*message.answered_video, self);
    return commands::unknown{};
}

std::string button_data(const button_command& button) {
    return fmt::format("{}:{}", name_of(button.what), button.job.value);
}

std::optional<button_command> parse_button(std::string_view data) {
    using kind = button_command::kind;
    const auto colon = data.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto digits = data.substr(colon + 1);
    const auto job = digits.starts_with('#') ? std::nullopt : reel_number(digits);
    if (!job) return std::nullopt;
    for (const auto what : {kind::again, kind::file, kind::frames}) {
        if (data.substr(0, colon) == name_of(what))
            return button_command{.what = what, .job = *job};
    }
    return std::nullopt;
}

asked_question question_in(
    std::string_view rest, const incoming_message& message, const bot_identity& self) {
    rest = trimmed(rest);
    const auto first = rest.substr(0, rest.find_first_of(ascii_whitespace));
    const auto number = first.starts_with('#') ? reel_number(first) : std::nullopt;
    if (number) return {.reel = number, .text = std::string{trimmed(rest.substr(first.size()))}};
    asked_question question{.reel = std::nullopt, .text = std::string{rest}};
    const bool is_own = self.id != 0 && message.answered_user == self.id;
    const auto button = is_own ? parse_button(message.answered_button) : std::nullopt;
    if (button) question.reel = button->job;
    return question;
}

std::optional<job_id> reel_number(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('#')) text.remove_prefix(1);
    const auto number = parse_number<std::int64_t>(text).value_or(0);
    return number > 0 ? std::optional{job_id{number}} : std::nullopt;
}

}  // namespace reelsd::bot
