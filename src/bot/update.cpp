#include "update.hpp"

#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace reelsd::bot {
namespace {

constexpr std::size_t name_bytes_max = 100;
constexpr std::size_t entities_max = 100;
/// Later edits of a message are ignored. Its submissions are recognised by their Idempotency-Key,
/// which is stored for 24 hours; an hour allows for inaccurate clocks.
constexpr std::int64_t edit_seconds_max = 23 * 3600;

std::int64_t number_in(const json& object, const char* name) {
    return integer_of(object, name).value_or(0);
}

std::string text_in(const json& object, const char* name) {
    return text_of(object, name).value_or("");
}

bool flag_in(const json& object, const char* name) {
    return boolean_of(object, name).value_or(false);
}

std::string name_of_chat(const json& chat) {
    auto name = text_in(chat, "title");
    if (name.empty()) name = text_in(chat, "first_name");
    const auto last = text_in(chat, "last_name");
    if (!last.empty()) name.append(name.empty() ? "" : " ").append(last);
    if (name.empty()) name = text_in(chat, "username");
    if (name.empty()) return "(no name)";
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
    std::replace_if(name.begin(), name.end(), is_control, ' ');
    return std::string{utf8_prefix(name, name_bytes_max)};
}

std::vector<text_entity> entities_from(const json& list) {
    std::vector<text_entity> entities;
    if (!list.is_array()) return entities;
    for (const auto& entity : list) {
        if (entities.size() == entities_max) break;
        entities.push_back(
            {.type = text_in(entity, "type"),
             .address = text_in(entity, "url"),
             .user = number_in(member(entity, "user"), "id")});
    }
    return entities;
}

/// Empty in the General topic, because the Bot API rejects its id.
std::optional<std::int64_t> message_thread_in(const json& message) {
    const auto thread = number_in(message, "message_thread_id");
    if (thread == 0 || !flag_in(message, "is_topic_message")) return std::nullopt;
    return thread;
}

/// By its type, or by its name if its sender did not know the type.
bool is_video_file(const json& file) {
    const auto type = ascii_lower(text_in(file, "mime_type"));
    if (!type.empty() && type != "application/octet-stream") return type.starts_with("video/");
    const auto name = ascii_lower(text_in(file, "file_name"));
    return name.ends_with(".mp4") || name.ends_with(".mov") || name.ends_with(".m4v") ||
           name.ends_with(".webm");
}

/// The video of a message with this text. Animations are also sent as documents, for old bots.
std::optional<incoming_video> video_from(
    const json& message, std::string text, std::vector<text_entity> entities) {
    if (member(message, "animation").is_object()) return std::nullopt;
    const auto* kind = "document";
    for (const auto* video : {"video", "video_note"}) {
        if (member(message, video).is_object()) kind = video;
    }
    const auto& file = member(message, kind);
    if (kind == std::string_view{"document"} && !is_video_file(file)) return std::nullopt;
    incoming_video video{
        .file = text_in(file, "file_id"),
        .name = text_in(file, "file_name"),
        .size_bytes = std::max<std::int64_t>(number_in(file, "file_size"), 0),
        .message_id = number_in(message, "message_id"),
        .caption = std::move(text),
        .entities = std::move(entities)};
    if (video.file.empty()) return std::nullopt;
    return video;
}

/// The data of the first button below a message; empty if there is none.
std::string first_button_in(const json& message) {
    const auto& rows = member(member(message, "reply_markup"), "inline_keyboard");
    if (!rows.is_array() || rows.empty()) return {};
    const auto& row = rows.front();
    return row.is_array() && !row.empty() ? text_in(row.front(), "callback_data") : std::string{};
}

std::optional<incoming_message> message_from(const json& message) {
    const auto& chat = member(message, "chat");
    const auto type = text_in(chat, "type");
    const auto id = number_in(chat, "id");
    if (id == 0) return std::nullopt;
    // The ids of groups are negative.
    const bool is_private = type.empty() ? id > 0 : type == "private";
    const bool is_group = type.empty() ? id < 0 : type == "group" || type == "supergroup";
    if (!is_private && !is_group) return std::nullopt;
    const bool has_text = member(message, "text").is_string();
    auto text = text_in(message, has_text ? "text" : "caption");
    auto entities = entities_from(member(message, has_text ? "entities" : "caption_entities"));
    auto video = video_from(message, text, entities);
    const auto& answered = member(message, "reply_to_message");
    incoming_message parsed{
        .chat = chats::chat_id{id},
        .kind = is_private ? chats::chat_kind::private_chat : chats::chat_kind::group,
        .chat_name = name_of_chat(chat),
        .id = number_in(message, "message_id"),
        .message_thread = message_thread_in(message),
        // Anonymous administrators of a group appear as bots.
        .is_by_bot = flag_in(member(message, "from"), "is_bot") &&
                     !member(message, "sender_chat").is_object(),
        .text = std::move(text),
        .entities = std::move(entities),
        .has_file = member(message, "document").is_object(),
        .video = std::move(video),
        .answered_video = video_from(
            answered,
            text_in(answered, "caption"),
            entities_from(member(answered, "caption_entities"))),
        .answered_user = number_in(member(answered, "from"), "id"),
        .answered_button = first_button_in(answered),
        .answered_text = text_in(answered, "text"),
        .moved_to = std::nullopt};
    if (const auto moved_to = number_in(message, "migrate_to_chat_id"); moved_to != 0) {
        parsed.moved_to = chats::chat_id{moved_to};
    }
    return parsed;
}

std::string text_or_number_in(const json& object, const char* name) {
    const auto number = number_in(object, name);
    return number != 0 ? std::to_string(number) : text_in(object, name);
}

pressed_button button_from(const json& query) {
    pressed_button button{
        .query = text_or_number_in(query, "id"),
        .chat = std::nullopt,
        .data = text_in(query, "data")};
    const auto& message = member(query, "message");
    const auto chat = number_in(member(message, "chat"), "id");
    if (chat == 0) return button;
    button.chat = chats::chat_id{chat};
    button.kind = chat > 0 ? chats::chat_kind::private_chat : chats::chat_kind::group;
    button.message_id = number_in(message, "message_id");
    button.message_thread = message_thread_in(message);
    return button;
}

/// Empty for a late edit, and for messages that the bot ignores.
std::optional<incoming_message> edited_message_from(const json& message) {
    const auto edited = number_in(message, "edit_date");
    if (edited == 0 || edited - number_in(message, "date") > edit_seconds_max) return std::nullopt;
    auto parsed = message_from(message);
    if (parsed) parsed->edited_at = time_point{std::chrono::seconds{edited}};
    return parsed;
}

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
    if (name.empty() || !std::ranges::all_of(name, is_name_letter)) return std::nullopt;
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
    return std::ranges::any_of(message.entities, is_own_mention) ||
           find_mention(message.text, self.username) != std::string_view::npos;
}

std::string without_mention(std::string_view text, const bot_identity& self) {
    std::string rest{text};
    const auto at = find_mention(text, self.username);
    if (at != std::string_view::npos) rest.erase(at, self.username.size() + 1);
    return std::string{trimmed(rest)};
}

std::string_view without_punctuation(std::string_view word) {
    const auto end = word.find_last_not_of(".,;:!?)]}>'\"");
    word = word.substr(0, end == std::string_view::npos ? 0 : end + 1);
    word.remove_prefix(std::min(word.find_first_not_of("(<[{'\""), word.size()));
    return word;
}

/// Whether a link may contain `c`. Others end it, such as typographic quotation marks.
bool is_link_character(char c) {
    return c > ' ' && c <= '~';
}

/// The length of the word at the beginning of a text. A link begins a word, even within text.
std::size_t word_length(std::string_view text) {
    const auto end = std::ranges::find_if_not(text, is_link_character);
    const auto word = ascii_lower({text.begin(), end});
    return std::min({word.find("https://", 1), word.find("http://", 1), word.size()});
}

/// The link that a word is, completed with a scheme; empty for any other word.
std::string link_of(std::string_view word) {
    word = without_punctuation(word);
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
        if (url.empty() || std::ranges::find(urls, url) != urls.end()) return;
        if (urls.size() == links_max) {
            ++links.left_out;
        } else {
            urls.push_back(std::move(url));
        }
    };
    for (auto rest = text; !rest.empty();) {
        const auto size = std::max<std::size_t>(word_length(rest), 1);
        add(link_of(rest.substr(0, size)));
        rest.remove_prefix(size);
    }
    for (const auto& entity : entities) {
        const std::string_view address = entity.address;
        if (entity.type == "text_link") add(link_of(address.substr(0, word_length(address))));
    }
    return links;
}

commands::video video_in(const incoming_video& file, const bot_identity& self) {
    return {
        .file = file,
        .caption = without_mention(file.caption, self),
        .urls = links_in(file.caption, file.entities).urls};
}

std::string_view word_of(button_command::kind what) {
    switch (what) {
        case button_command::kind::file: return "json";
        case button_command::kind::frames: return "frames";
        case button_command::kind::again: break;
    }
    return "again";
}

/// The reel of a first line "@author · reel 42", which templates::finished_reel() writes. The first
/// of several messages about a reel has no buttons.
std::optional<job_id> reel_in_head(std::string_view text) {
    constexpr std::string_view label{" · reel "};
    const auto line = text.substr(0, text.find('\n'));
    const auto at = line.rfind(label);
    return at == std::string_view::npos ? std::nullopt
                                        : reel_number(line.substr(at + label.size()));
}

}  // namespace

std::vector<update> updates_from(const json& result) {
    std::vector<update> updates;
    if (!result.is_array()) return updates;
    for (const auto& element : result) {
        const auto id = integer_of(element, "update_id");
        if (!id) continue;
        update parsed{.id = *id, .what = {}};
        std::optional<incoming_message> message;
        if (member(element, "message").is_object()) {
            message = message_from(member(element, "message"));
        } else if (member(element, "edited_message").is_object()) {
            message = edited_message_from(member(element, "edited_message"));
        } else if (member(element, "callback_query").is_object()) {
            parsed.what = button_from(member(element, "callback_query"));
        }
        if (message) parsed.what = *std::move(message);
        updates.push_back(std::move(parsed));
    }
    std::ranges::stable_sort(
        updates, [](const auto& left, const auto& right) { return left.id < right.id; });
    return updates;
}

command parse_command(const incoming_message& message, const bot_identity& self) {
    const bool is_group = message.kind == chats::chat_kind::group;
    if (message.is_by_bot) return commands::none{};
    if (message.text.empty() && !message.video) {
        if (is_group || !message.has_file) return commands::none{};
        return commands::unknown{};
    }
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
    return fmt::format("{}:{}", word_of(button.what), button.job.value);
}

std::optional<button_command> parse_button(std::string_view data) {
    using kind = button_command::kind;
    const auto colon = data.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto digits = data.substr(colon + 1);
    const auto job = digits.starts_with('#') ? std::nullopt : reel_number(digits);
    if (!job) return std::nullopt;
    for (const auto what : {kind::again, kind::file, kind::frames}) {
        if (data.substr(0, colon) == word_of(what))
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
    if (button) {
        question.reel = button->job;
    } else if (is_own) {
        question.reel = reel_in_head(message.answered_text);
    }
    return question;
}

std::optional<job_id> reel_number(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('#')) text.remove_prefix(1);
    const auto number = parse_number<std::int64_t>(text).value_or(0);
    return number > 0 ? std::optional{job_id{number}} : std::nullopt;
}

}  // namespace reelsd::bot
