#include "../answer/answer_json.hpp"
#include "../clean_text.hpp"
#include "../json_members.hpp"
#include "../remote/prompt.hpp"
#include "../words.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/model/findings.hpp>
#include <reelsd/model/passage_finder.hpp>
#include <reelsd/model/question.hpp>

#include <boost/algorithm/string/erase.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace reelsd::model {

/// The files of this folder, written by the build.
namespace question_files {
extern const std::string_view instructions;
}

namespace {

/// More than a result of 90 s has. A passage takes about 40 bytes of a prompt besides its text.
constexpr std::size_t passages_max = 1000;
/// A longer text is several passages, because one that exceeds its reel's share is not sent. With
/// 20 reels the share is 1,200 bytes.
constexpr std::size_t passage_bytes_max = 400;
constexpr std::size_t passage_concepts_max = 12;
constexpr std::string_view summary_field = "content.summary";

class evidence_reader {
public:
    explicit evidence_reader(const json& result) : result_{result} {}

    [[nodiscard]] std::vector<evidence> read() {
        add_text("content.summary");
        add_timed("content.key_moments", "description", {"seconds", ""}, "content.key_moments");
        add_timed("audio.segments", "text", {"start_seconds", "end_seconds"}, "audio.transcript");
        add_timed(
            "visual.text_segments",
            "text",
            {"start_seconds", "end_seconds"},
            "visual.text_on_screen");
        add_text("visual.description");
        add_text("visual.setting");
        add_list("visual.subjects");
        add_list("content.topics");
        add_list("content.hooks");
        add_text("content.call_to_action");
        add_text("audio.music_description");
        add_text("platform_meta.caption");
        add_text("platform_meta.author");
        add_text("platform_meta.author_name");
        add_text("platform_meta.location");
        add_text("platform_meta.posted_at");
        add_text("platform_meta.music_title");
        add_text("platform_meta.music_artist");
        add_list("platform_meta.hashtags");
        return std::move(passages_);
    }

private:
    struct time_names {
        std::string_view start;
        std::string_view end;
    };

    void add(
        std::string_view field, const json& text, std::optional<double> seconds = {},
        std::optional<double> end_seconds = {}) {
        if (!text.is_string()) return;
        const std::string_view whole{text.get_ref<const std::string&>()};
        std::size_t end = 0;  // Of the passage before.
        for (std::size_t at = 0; at < whole.size() && passages_.size() < passages_max;) {
            const auto length = passage_length(whole.substr(at), passage_bytes_max);
            const auto part = trimmed(whole.substr(at, length));
            at += length;
            if (part.empty()) continue;
            const auto begin = static_cast<std::size_t>(part.data() - whole.data());
            passages_.push_back(
                {.field = std::string{field},
                 .text = std::string{part},
                 .seconds = seconds,
                 .end_seconds = end_seconds});
            if (end > 0) passages_.back().separator = whole.substr(end, begin - end);
            end = begin + part.size();
        }
    }

    void add_text(std::string_view field) { add(field, field_of(result_, field)); }

    void add_list(std::string_view field) {
        for (const auto& entry : as_list(field_of(result_, field))) add(field, entry);
    }

    /// The entries of `list`. They are also the contents of `field`, which is cited, unless the
    /// stored field lacks the entry: then the list is.
    void add_timed(
        std::string_view list, std::string_view text_name, time_names times,
        std::string_view field) {
        const auto& whole = field_of(result_, field);
        const auto& entries = as_list(field_of(result_, list));
        for (const auto& entry : entries) {
            const auto& text = member(entry, text_name);
            const bool is_in_field = list == field || holds(whole, text);
            const auto count = passages_.size();
            add(is_in_field ? field : list,
                text,
                seconds_in(entry, times.start),
                seconds_in(entry, times.end));
            const bool has_neighbour = count > 0 && passages_.size() > count &&
                                       passages_[count].field == passages_[count - 1].field;
            if (has_neighbour && whole.is_string()) {
                auto& added = passages_[count];
                const auto joined = passages_[count - 1].text + ' ' + added.text;
                if (contains(whole.get_ref<const std::string&>(), joined)) added.separator = " ";
            }
        }
        if (!entries.empty()) return;
        add(field, whole);
        add_list(field);
    }

    [[nodiscard]] static bool holds(const json& whole, const json& text) {
        if (!text.is_string()) return false;
        if (whole.is_string())
            return contains(
                whole.get_ref<const std::string&>(), text.get_ref<const std::string&>());
        return std::ranges::find(whole, text) != whole.end();
    }

    const json& result_;
    std::vector<evidence> passages_;
};

/// About what the passage takes in a prompt.
std::size_t bytes_of(const evidence& passage) {
    constexpr std::size_t label_bytes = 40;
    return passage.text.size() + label_bytes;
}

/// Indices of the passages, the most relevant ones first. The summary is always first.
std::vector<std::size_t> by_relevance(
    const passage_finder& finder, const std::vector<evidence>& passages, const embedder& embedder) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t at = 0; at < passages.size(); ++at) {
        const auto& text = passages[at].text;
        const weighted_text piece{text};
        const auto concepts = embedder.concepts_of({&piece, 1}, passage_concepts_max);
        const bool is_summary = passages[at].field == summary_field;
        order.emplace_back(is_summary ? -1e9 : -finder.relevance_of(text, concepts), at);
    }
    std::ranges::sort(order);
    std::vector<std::size_t> indices;
    for (const auto& [relevance, at] : order) indices.push_back(at);
    return indices;
}

constexpr std::size_t citations_max = 20;
constexpr std::size_t answer_characters_max = 4000;
/// Providers accept an enum of this size without effort; more IDs are only checked by us.
constexpr std::size_t listed_ids_max = 100;
/// An answer that shares this many letters in a row with the instructions repeats them. The longest
/// phrase that an honest answer shares with them is a few words.
constexpr std::size_t revealing_letters = 40;

/// "speech" of "audio.transcript": the kind of a passage, as named in the prompt.
std::string_view kind_of(std::string_view field) {
    constexpr std::pair<std::string_view, std::string_view> kinds[] = {
        {"content.summary", "summary"},
        {"content.key_moments", "key moment"},
        {"content.topics", "topic"},
        {"content.hooks", "hook"},
        {"content.call_to_action", "call to action"},
        {"audio.transcript", "speech"},
        {"audio.segments", "speech"},
        {"audio.music_description", "music"},
        {"visual.text_on_screen", "text on screen"},
        {"visual.text_segments", "text on screen"},
        {"visual.description", "what is seen"},
        {"visual.setting", "place"},
        {"visual.subjects", "in view"},
        {"platform_meta.caption", "caption"},
        {"platform_meta.hashtags", "hashtag"},
        {"platform_meta.author", "account"},
        {"platform_meta.author_name", "name of the account"},
        {"platform_meta.location", "location"},
        {"platform_meta.posted_at", "time of the post"},
        {"platform_meta.music_title", "title of the music"},
        {"platform_meta.music_artist", "artist of the music"}};
    for (const auto& [name, kind] : kinds) {
        if (name == field) return kind;
    }
    return "text";
}

/// "00:41-00:44 speech"
std::string label_of(const evidence& passage) {
    std::string label;
    if (passage.seconds) label = timestamp_of(*passage.seconds);
    if (passage.seconds && passage.end_seconds && *passage.end_seconds > *passage.seconds)
        label.append("-").append(timestamp_of(*passage.end_seconds));
    if (!label.empty()) label.push_back(' ');
    return label.append(kind_of(passage.field));
}

/// On one line, so that no text can look like another passage.
std::string line_of(std::string_view text, std::string_view boundary) {
    auto line = clean_line(text, text.size());
    while (contains(line, boundary)) boost::algorithm::erase_first(line, boundary);
    return line;
}

json schema_for(std::size_t passages) {
    json id{{"type", "string"}, {"description", "Number of the passage, such as S12."}};
    if (passages > 0 && passages <= listed_ids_max) {
        auto ids = json::array();
        for (std::size_t at = 1; at <= passages; ++at) ids.push_back(fmt::format("S{}", at));
        id["enum"] = std::move(ids);
    }
    const json citation{
        {"type", "object"},
        {"properties",
         {{"id", std::move(id)},
          {"quote", {{"type", "string"}, {"description", "Words of that passage, copied."}}}}},
        {"required", {"id", "quote"}},
        {"additionalProperties", false}};
    return {
        {"type", "object"},
        {"properties",
         {{"answer", {{"type", "string"}, {"description", "Empty if the passages do not say."}}},
          {"citations", {{"type", "array"}, {"items", citation}}}}},
        {"required", {"answer", "citations"}},
        {"additionalProperties", false}};
}

/// Whether the two share `revealing_letters` letters in a row.
bool share_long_piece(const std::u32string& text, const std::u32string& source) {
    if (text.size() < revealing_letters) return false;
    const std::u32string_view whole{text};
    for (std::size_t at = 0; at + revealing_letters <= whole.size(); ++at) {
        if (source.find(whole.substr(at, revealing_letters)) != std::u32string::npos) return true;
    }
    return false;
}

std::string_view string_in(const answer_json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_string()) return {};
    return found->get_ref<const std::string&>();
}

/// The number of "S12", if it is the whole of `word` apart from punctuation.
std::optional<std::size_t> number_of(std::string_view word) {
    word = trimmed(word);
    while (!word.empty() && (word.front() == '[' || word.front() == '(')) word.remove_prefix(1);
    word = word.substr(0, word.find_first_of(" ,;:])."));
    if (word.size() < 2 || (word.front() != 'S' && word.front() != 's')) return std::nullopt;
    return parse_number<std::size_t>(word.substr(1));
}

/// Merges quotations of one passage of which one contains the other.
void add_merged(std::vector<citation>& citations, citation added) {
    for (auto& kept : citations) {
        const bool is_same_passage =
            kept.id == added.id && kept.field == added.field && kept.seconds == added.seconds;
        if (!is_same_passage) continue;
        if (contains(kept.text, added.text)) return;
        if (contains(added.text, kept.text)) {
            kept.text = std::move(added.text);
            return;
        }
    }
    if (citations.size() < citations_max) citations.push_back(std::move(added));
}

}  // namespace

std::vector<evidence> evidence_of(const json& result) {
    return evidence_reader{result}.read();
}

std::vector<reel_evidence> most_relevant(
    std::string_view question, std::vector<reel_evidence> reels, const embedder& embedder,
    std::size_t bytes_max) {
    const weighted_text whole{question};
    const passage_finder finder{question, embedder.concepts_of({&whole, 1}, query_concepts_max)};
    auto reels_left = reels.size();
    for (auto& reel : reels) {
        auto share = bytes_max / reels_left--;
        std::vector<std::size_t> kept;
        for (const auto at : by_relevance(finder, reel.passages, embedder)) {
            const auto bytes = bytes_of(reel.passages[at]);
            if (bytes > share) continue;
            share -= bytes;
            bytes_max -= bytes;
            kept.push_back(at);
        }
        std::ranges::sort(kept);
        std::vector<evidence> passages;
        for (std::size_t number = 0; number < kept.size(); ++number) {
            const bool is_next = number > 0 && kept[number] == kept[number - 1] + 1;
            passages.push_back(std::move(reel.passages[kept[number]]));
            if (!is_next) passages.back().separator.reset();
        }
        reel.passages = std::move(passages);
    }
    return reels;
}

question_prompt::question_prompt(std::string_view question, std::vector<reel_evidence> reels)
    : reels_{std::move(reels)} {
    request_.boundary = new_boundary();
    const auto passages = number_passages();
    request_.instructions = fmt::format(
        fmt::runtime(trimmed(question_files::instructions)),
        fmt::arg("boundary", request_.boundary));
    request_.task = fmt::format(
        "Passages {0}\n{1}End of passages {0}\n\nQuestion: {2}",
        request_.boundary,
        passages,
        line_of(question, request_.boundary));
    request_.schema = schema_for(passages_.size());
    request_.schema_name = "cited_answer";
}

std::string question_prompt::number_passages() {
    std::string text;
    for (std::size_t number = 0; number < reels_.size(); ++number) {
        const auto& reel = reels_[number];
        text += fmt::format("Video {} of {}\n", number + 1, reels_.size());
        for (const auto& passage : reel.passages) {
            passages_.push_back({&reel, &passage});
            text += fmt::format(
                "[S{} {}] {}\n",
                passages_.size(),
                label_of(passage),
                line_of(passage.text, request_.boundary));
        }
    }
    return text;
}

question_reply question_prompt::read(std::string_view reply) const {
    question_reply read;
    const auto parsed = parse_answer(reply);
    if (!parsed.violation.empty()) {
        read.violations.push_back(parsed.violation);
        return read;
    }
    read.is_readable = true;
    const auto answer = clean_text(string_in(parsed.object, "answer"), answer_characters_max);
    // The material has instructed the model, so no other request would help.
    if (holds_tag(parsed.object, request_.boundary) || reveals_prompt(answer)) return read;
    if (answer.empty()) return read;

    const auto cited = parsed.object.find("citations");
    std::size_t invalid = 0;
    if (cited != parsed.object.end() && cited->is_array()) {
        for (const auto& entry : *cited) {
            if (!entry.is_object()) continue;
            auto valid = checked(string_in(entry, "id"), string_in(entry, "quote"));
            if (valid)
                add_merged(read.answer.citations, *std::move(valid));
            else
                ++invalid;
        }
    }
    if (read.answer.citations.empty()) {
        read.violations.emplace_back(
            invalid > 0 ? "no quote is a part of the passage whose id it is given with"
                        : "the answer has no citation");
        return read;
    }
    read.answer.text = without_ids(answer);
    if (read.answer.text.empty()) read.answer.citations.clear();
    return read;
}

citation question_prompt::numbered::cite(std::string_view quotation) const {
    return {
        .id = reel->id,
        .code = reel->code,
        .field = passage->field,
        .text = std::string{quotation},
        .seconds = passage->seconds};
}

std::optional<citation> question_prompt::checked(
    std::string_view id, std::string_view quote) const {
    const auto number = number_of(id);
    if (!number || *number < 1 || *number > passages_.size()) return std::nullopt;
    const auto& named = passages_[*number - 1];
    const auto found = folded_text{named.passage->text}.find(folded_text{quote});
    if (found.empty()) return find_across(*number - 1, quote);
    return named.cite(found);
}

/// Speech is stored in pieces that divide sentences, and long texts are divided, so a quotation may
/// span several passages.
std::optional<citation> question_prompt::find_across(
    std::size_t number, std::string_view quote) const {
    constexpr std::size_t neighbours_max = 2;  // On each side; more is a paragraph.
    auto first = number;
    while (passages_[first].passage->separator && number - first < neighbours_max) --first;
    std::string text = passages_[first].passage->text;
    std::vector<std::size_t> starts{0};
    for (auto at = first + 1; at < passages_.size() && at <= number + neighbours_max; ++at) {
        const auto& next = *passages_[at].passage;
        if (!next.separator) break;
        starts.push_back(text.size() + next.separator->size());
        text.append(*next.separator).append(next.text);
    }
    const auto found = folded_text{text}.find(folded_text{quote});
    if (found.empty()) return std::nullopt;
    const auto begin = static_cast<std::size_t>(found.data() - text.data());
    const auto after = std::ranges::upper_bound(starts, begin);
    return passages_[first + static_cast<std::size_t>(after - starts.begin()) - 1].cite(found);
}

bool question_prompt::reveals_prompt(std::string_view answer) const {
    return share_long_piece(
        folded_text{answer}.letters(), folded_text{request_.instructions}.letters());
}

std::size_t question_prompt::id_length(std::string_view text, std::size_t at) const {
    const auto is_word_byte = [](char byte) {
        return std::isalnum(static_cast<unsigned char>(byte)) != 0;
    };
    if (text[at] != 'S' || (at > 0 && is_word_byte(text[at - 1]))) return 0;
    auto end = at + 1;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    const auto number = parse_number<std::size_t>(text.substr(at + 1, end - at - 1));
    return number && *number >= 1 && *number <= passages_.size() ? end - at : 0;
}

/// Removes "[S1, S2]", "[S1 speech]", "(S3)" and "S4", but neither other words in parentheses nor a
/// word that the passages contain as well, such as the name of a phone.
std::string question_prompt::without_ids(std::string_view answer) const {
    const auto is_name = [this](std::string_view word) {
        return std::ranges::any_of(
            passages_, [word](const numbered& one) { return contains(one.passage->text, word); });
    };
    const auto are_ids = [&](std::size_t at, std::size_t end) {
        constexpr std::string_view separators = " ,;";
        while (at < end) {
            const auto length = id_length(answer, at);
            if (length == 0 && separators.find(answer[at]) == separators.npos) return false;
            at += std::max(length, std::size_t{1});
        }
        return true;
    };
    std::string text;
    for (std::size_t at = 0; at < answer.size();) {
        const bool opens = answer[at] == '[' || answer[at] == '(';
        const auto close = opens ? answer.find(answer[at] == '[' ? ']' : ')', at) : answer.npos;
        auto removed = std::size_t{0};
        if (close != answer.npos && id_length(answer, at + 1) > 0 &&
            (answer[at] == '[' || are_ids(at + 1, close))) {
            removed = close + 1 - at;
        } else if (const auto length = id_length(answer, at); length > 0) {
            if (!is_name(answer.substr(at, length))) removed = length;
        }
        if (removed == 0) {
            text.push_back(answer[at++]);
            continue;
        }
        at += removed;
        // No space remains before punctuation and the end, and no second one.
        const bool ends = at == answer.size() ||
                          std::string_view{" .,;:!?)]"}.find(answer[at]) != std::string_view::npos;
        if (ends && text.ends_with(' ')) text.pop_back();
        const bool begins = text.ends_with('(') || text.ends_with('[');
        if (begins && at < answer.size() && answer[at] == ' ') ++at;
    }
    return std::string{trimmed(text)};
}

}  // namespace reelsd::model
