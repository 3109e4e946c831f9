#include "command.hpp"

#include <reelsd/base/text.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace reelsd::bot {
namespace {

bool is_name_letter(char c) {
    return is_alphanumeric(c) || c == '_';
}

/// Where "@name" stands in the text as a word of its own; npos: nowhere.
std::size_t find_mention(std::string_view text, std::string_view username) {
    if (username.empty()) return std::string_view::npos;
    const auto lowered = ascii_lower(text);
    const auto wanted = "@" + ascii_lower(username);
    for (auto at = lowered.find(wanted); at != std::string::npos;
         at = lowered.find(wanted, at + 1)) {
        const auto end = at + wanted.size();
        const bool begins = at == 0 || !is_name_letter(lowered[at - 1]);
        const bool ends = end == lowered.size() || !is_name_letter(lowered[end]);
        if (begins && ends) return at;
    }
    return std::string_view::npos;
}

struct written_command {
    std::string name;
    std::string addressee;  ///< In lower case; empty: nobody in particular.
    std::string rest;
};

std::optional<written_command> command_in(std::string_view text) {
    if (!text.starts_with('/')) return std::nullopt;
    text.remove_prefix(1);
    const auto word = text.substr(0, std::min(text.find_first_of(ascii_whitespace), text.size()));
    const auto name = word.substr(0, std::min(word.find('@'), word.size()));
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_letter)) return std::nullopt;
    written_command found{
        .name = ascii_lower(name),
        .addressee = name.size() < word.size() ? ascii_lower(word.substr(name.size() + 1)) : "",
        .rest = std::string{trimmed(text.substr(word.size()))}};
    return found;
}

bool names_us(const incoming_message& said, const bot_identity& self) {
    if (self.id != 0 && said.answered_user == self.id) return true;
    const bool is_marked =
        std::any_of(said.entities.begin(), said.entities.end(), [&self](const text_entity& mark) {
            return mark.type == "text_mention" && mark.user == self.id && self.id != 0;
        });
    return is_marked || find_mention(said.text, self.username) != std::string_view::npos;
}

/// The text without our name, which is no part of what is wanted.
std::string without_mention(std::string_view text, const bot_identity& self) {
    std::string made{text};
    const auto at = find_mention(text, self.username);
    if (at != std::string_view::npos) made.erase(at, self.username.size() + 1);
    return std::string{trimmed(made)};
}

/// What follows a link in a sentence and is none of it.
std::string_view without_punctuation(std::string_view word) {
    while (!word.empty() &&
           std::string_view{".,;:!?)]}>'\""}.find(word.back()) != std::string_view::npos) {
        word.remove_suffix(1);
    }
    while (!word.empty() &&
           std::string_view{"(<[{'\""}.find(word.front()) != std::string_view::npos) {
        word.remove_prefix(1);
    }
    return word;
}

/// A word as a link; empty for any other word. People leave out what browsers add.
std::string link_in(std::string_view word) {
    // It may touch what stands before it, and what no link has ends it: other quotation marks and
    // other alphabets' full stops.
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
    commands::links found;
    const auto add = [&found](std::string url) {
        if (url.empty()) return;
        const bool is_known =
            std::find(found.urls.begin(), found.urls.end(), url) != found.urls.end();
        if (is_known) return;
        if (found.urls.size() == links_max) {
            ++found.left_out;
        } else {
            found.urls.push_back(std::move(url));
        }
    };
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto size = std::min(rest.find_first_of(ascii_whitespace), rest.size());
        add(link_in(without_punctuation(rest.substr(0, size))));
        rest.remove_prefix(std::min(size + 1, rest.size()));
    }
    for (const auto& mark : entities) {
        if (mark.type == "text_link") add(link_in(mark.address));
    }
    return found;
}

commands::video video_in(const incoming_video& file, const bot_identity& self) {
    return {
        .file = file,
        .caption = without_mention(file.caption, self),
        .urls = links_in(file.caption, file.entities).urls};
}

}  // namespace

command parse_command(const incoming_message& said, const bot_identity& self) {
    if (said.is_by_bot || (said.text.empty() && !said.video)) return commands::nothing{};
    const bool is_group = said.kind == chats::chat_kind::group;
    const auto given = command_in(trimmed(said.text));
    const bool is_for_another =
        given && !given->addressee.empty() && given->addressee != ascii_lower(self.username);
    if (is_for_another) return commands::nothing{};
    const bool is_ours = given && !given->addressee.empty();
    if (is_group && !is_ours && !names_us(said, self)) return commands::nothing{};
    if (said.video) return video_in(*said.video, self);
    if (given) {
        return commands::command{.name = given->name, .rest = without_mention(given->rest, self)};
    }

    auto links = links_in(said.text, said.entities);
    if (!links.urls.empty()) return links;
    const auto rest = without_mention(said.text, self);
    // "@bot /list": people try.
    if (auto later = command_in(rest)) return commands::command{later->name, later->rest};
    if (chats::hash_of_chat_code(rest)) return commands::code{rest};
    if (said.answered_video) return video_in(*said.answered_video, self);
    return commands::chatter{};
}

std::string button_data(const button_command& wanted) {
    const std::string_view name = wanted.what == button_command::kind::again ? "again:" : "json:";
    return std::string{name} + std::to_string(wanted.job.value);
}

std::optional<button_command> parse_button(std::string_view data) {
    const auto colon = data.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto name = data.substr(0, colon);
    if (name != "again" && name != "json") return std::nullopt;
    const auto digits = data.substr(colon + 1);
    const auto job = digits.starts_with('#') ? std::nullopt : reel_number(digits);
    if (!job) return std::nullopt;
    return button_command{
        .what = name == "again" ? button_command::kind::again : button_command::kind::file,
        .job = *job};
}

std::optional<job_id> reel_number(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('#')) text.remove_prefix(1);
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc{} || stopped != end || number <= 0) return std::nullopt;
    return job_id{number};
}

}  // namespace reelsd::bot
