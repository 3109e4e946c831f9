#include "../clean_text.hpp"
#include "../words.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/model/search_document.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace reelsd::model {

namespace {

constexpr std::size_t passages_max = 300;  // More than a result of 90 s has texts and utterances.
constexpr std::size_t passage_characters_max = 240;  // Two or three lines on a screen.
constexpr std::size_t passage_concepts_max = 12;
// The largest field of a result, twice; what comes later is not searched for.
constexpr std::size_t words_bytes_max = 80'000;

/// What an analysis by measuring says about every video: its words would find all of them.
constexpr std::string_view measuring_provider = "local";

/// Members of a document that may lack them; what is of another type counts as missing.
const json& member(const json& from, std::string_view name) {
    static const json missing;
    if (!from.is_object()) return missing;
    const auto found = from.find(name);
    return found == from.end() ? missing : *found;
}

std::string text_of(const json& value) {
    if (!value.is_string()) return {};
    return clean_text(value.get_ref<const std::string&>(), words_bytes_max);
}

std::optional<double> seconds_of(const json& entry, std::string_view name) {
    const auto& value = member(entry, name);
    if (!value.is_number()) return std::nullopt;
    return value.get<double>();
}

/// Where a field's words go: which of the four texts, and how much they mean.
struct field_weight {
    std::size_t rank;
    double accumulator;
};

class document_builder {
public:
    explicit document_builder(const embedder& with) : embedder_{with} {}

    void add_text(std::string_view field, const json& value, field_weight weight) {
        const auto text = text_of(value);
        tell(text, weight);
        for (const auto& sentence : sentences_of(text)) quote(field, sentence, std::nullopt);
    }

    /// Short items that say something together.
    void add_list(std::string_view field, const json& list, field_weight weight) {
        std::string whole;
        for (const auto& item : list) {
            const auto text = text_of(item);
            if (text.empty()) continue;
            tell(text, weight);
            whole += (whole.empty() ? "" : ", ") + text;
        }
        quote(field, whole, std::nullopt);
    }

    /// Entries with a time; false when there are none.
    bool add_timed(
        std::string_view field, const json& entries, std::string_view text_name,
        std::string_view seconds_name, field_weight weight) {
        for (const auto& entry : entries) {
            const auto text = text_of(member(entry, text_name));
            tell(text, weight);
            quote(field, text, seconds_of(entry, seconds_name));
        }
        return !entries.empty();
    }

    [[nodiscard]] search_document take() {
        std::vector<weighted_text> pieces;
        pieces.reserve(told_.size());
        for (const auto& [text, weight] : told_) pieces.push_back({text, weight});
        made_.concepts = embedder_.concepts_of(pieces, reel_concepts_max);
        return std::move(made_);
    }

private:
    void tell(const std::string& text, field_weight weight) {
        if (text.empty()) return;
        auto& words = made_.words.at(weight.rank);
        if (words.size() + text.size() < words_bytes_max) {
            // Words of two items are never one: a line's end parts them.
            words += text + '\n';
        }
        if (weight.accumulator > 0) told_.emplace_back(text, weight.accumulator);
    }

    void quote(std::string_view field, const std::string& text, std::optional<double> seconds) {
        if (text.empty() || made_.passages.size() == passages_max) return;
        passage one{
            .field = std::string{field},
            .text = on_one_line(clean_text(text, passage_characters_max)),
            .seconds = seconds,
            .concepts = {}};
        const weighted_text piece{one.text};
        one.concepts = embedder_.concepts_of({&piece, 1}, passage_concepts_max);
        made_.passages.push_back(std::move(one));
    }

    /// Ends of lines and tabs become blanks.
    static std::string on_one_line(std::string text) {
        std::replace_if(
            text.begin(), text.end(), [](char byte) { return byte == '\n' || byte == '\t'; }, ' ');
        return text;
    }

    const embedder& embedder_;
    search_document made_;
    std::vector<std::pair<std::string, double>> told_;
};

constexpr field_weight about{0, 1.5};
constexpr field_weight shown{1, 1.2};
constexpr field_weight spoken{2, 1.0};
constexpr field_weight described{2, 0.6};
constexpr field_weight named{0, 0.0};
constexpr field_weight aside{3, 0.0};

void add_visual(document_builder& into, const json& visual, bool measured) {
    into.add_text(
        "visual.description", member(visual, "description"), measured ? aside : described);
    into.add_text("visual.setting", member(visual, "setting"), shown);
    into.add_list("visual.subjects", member(visual, "subjects"), shown);
    const auto& segments = member(visual, "text_segments");
    if (!into.add_timed("visual.text_on_screen", segments, "text", "start_seconds", shown)) {
        into.add_list("visual.text_on_screen", member(visual, "text_on_screen"), shown);
    }
}

void add_audio(document_builder& into, const json& audio) {
    const auto& segments = member(audio, "segments");
    if (!into.add_timed("audio.transcript", segments, "text", "start_seconds", spoken)) {
        into.add_text("audio.transcript", member(audio, "transcript"), spoken);
    }
    into.add_text("audio.music_description", member(audio, "music_description"), aside);
}

void add_content(document_builder& into, const json& content, bool measured) {
    into.add_text("content.summary", member(content, "summary"), about);
    into.add_list("content.topics", member(content, "topics"), about);
    into.add_list("content.hooks", member(content, "hooks"), shown);
    into.add_timed(
        "content.key_moments",
        member(content, "key_moments"),
        "description",
        "seconds",
        measured ? aside : described);
    into.add_text("content.call_to_action", member(content, "call_to_action"), aside);
}

void add_post(document_builder& into, const json& post) {
    into.add_text("platform_meta.caption", member(post, "caption"), shown);
    into.add_list("platform_meta.hashtags", member(post, "hashtags"), about);
    into.add_list("platform_meta.mentions", member(post, "mentions"), aside);
    into.add_text("platform_meta.author", member(post, "author"), named);
    into.add_text("platform_meta.author_name", member(post, "author_name"), named);
    into.add_text("platform_meta.location", member(post, "location"), shown);
    into.add_text("platform_meta.music_title", member(post, "music_title"), aside);
    into.add_text("platform_meta.music_artist", member(post, "music_artist"), aside);
}

// Concepts are stored as 8 hexadecimal digits each: id, then weight from 0 to 255.
constexpr std::size_t concept_digits = 8;
constexpr float weight_scale = 255;

std::string concepts_text(const concept_vector& concepts) {
    std::string text;
    for (const auto& part : concepts) {
        const auto weight = static_cast<std::uint32_t>(std::lround(part.weight * weight_scale));
        auto bits = (static_cast<std::uint32_t>(part.concept_id) << 8U) | weight;
        std::string digits(concept_digits, '0');
        for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, bits >>= 4U) {
            *digit = "0123456789abcdef"[bits & 15U];
        }
        text += digits;
    }
    return text;
}

concept_vector concepts_from(std::string_view text) {
    concept_vector concepts;
    concepts.reserve(text.size() / concept_digits);
    for (; text.size() >= concept_digits; text.remove_prefix(concept_digits)) {
        std::uint32_t bits = 0;
        std::from_chars(text.data(), text.data() + concept_digits, bits, 16);
        concepts.push_back(
            {static_cast<std::int32_t>(bits >> 8U),
             static_cast<float>(bits & 255U) / weight_scale});
    }
    return concepts;
}

/// "audio.transcript<tab>12.5<tab>(concepts)<tab>the text": nothing in it has a tab or an end of
/// line.
std::string passage_line(const passage& one) {
    auto line = one.field + '\t';
    if (one.seconds) line += json(*one.seconds).dump();
    return line + '\t' + concepts_text(one.concepts) + '\t' + one.text + '\n';
}

/// Takes what stands before `end` off the text; nothing when there is no `end`.
std::optional<std::string_view> take_until(std::string_view& text, char end) {
    const auto at = text.find(end);
    if (at == std::string_view::npos) return std::nullopt;
    const auto taken = text.substr(0, at);
    text.remove_prefix(at + 1);
    return taken;
}

std::optional<passage> take_passage(std::string_view& lines) {
    const auto field = take_until(lines, '\t');
    const auto seconds = take_until(lines, '\t');
    const auto concepts = take_until(lines, '\t');
    const auto text = take_until(lines, '\n');
    if (!field || !seconds || !concepts || !text) return std::nullopt;
    passage read{
        .field = std::string{*field},
        .text = std::string{*text},
        .seconds = {},
        .concepts = concepts_from(*concepts)};
    if (!seconds->empty()) {
        const auto* const end = seconds->data() + seconds->size();
        if (std::from_chars(seconds->data(), end, read.seconds.emplace()).ptr != end) return {};
    }
    return read;
}

/// A form for comparing that is bolder than stem_of(): "baking", "baked" and "bakes" are one.
std::string bold_stem(std::string_view word) {
    auto stem = stem_of(word);
    for (const std::string_view ending : {"ing", "ed", "er", "ly"}) {
        if (stem.size() < ending.size() + 3 || !stem.ends_with(ending)) continue;
        stem.erase(stem.size() - ending.size());
        const bool doubled = stem.size() > 3 && stem.back() == stem[stem.size() - 2];
        if (doubled) stem.pop_back();
        break;
    }
    if (stem.size() > 3 && stem.ends_with('e')) stem.pop_back();
    if (stem.size() > 3 && stem.ends_with('y')) stem.back() = 'i';
    return stem;
}

std::vector<std::string> bold_stems_of(std::string_view text) {
    std::vector<std::string> stems;
    for (const auto& word : words_of(text)) {
        auto stem = bold_stem(word);
        if (!is_stop_word(word) && !stem.empty()) stems.push_back(std::move(stem));
    }
    std::sort(stems.begin(), stems.end());
    stems.erase(std::unique(stems.begin(), stems.end()), stems.end());
    return stems;
}

}  // namespace

result<search_document> search_document_of(std::string_view result_text, const embedder& with) {
    return search_document_from(parse_foreign_json(result_text), with);
}

result<search_document> search_document_from(const json& document, const embedder& with) {
    if (!document.is_object()) return error{errc::internal, "a result that is no JSON object"};
    const auto& provider = member(member(member(document, "metadata"), "model"), "provider");
    const bool measured = provider == measuring_provider;

    document_builder made{with};
    add_content(made, member(document, "content"), measured);
    add_audio(made, member(document, "audio"));
    add_visual(made, member(document, "visual"), measured);
    add_post(made, member(document, "platform_meta"));
    return made.take();
}

std::string embedding_text_of(const search_document& document) {
    std::string text;
    for (const auto& part : document.words) {
        if (part.empty()) continue;
        if (!text.empty()) text.push_back('\n');
        text += part;
    }
    return text;
}

std::string passages_text(const std::vector<passage>& passages) {
    std::string lines;
    for (const auto& one : passages) lines += passage_line(one);
    return lines;
}

result<std::vector<passage>> passages_from(std::string_view text) {
    std::vector<passage> passages;
    while (!text.empty()) {
        auto one = take_passage(text);
        if (!one) return error{errc::internal, "stored passages that cannot be read"};
        passages.push_back(std::move(*one));
    }
    return passages;
}

std::string query_text(std::string_view asked) {
    return clean_text(asked, asked.size());
}

passage_finder::passage_finder(std::string_view query, concept_vector concepts)
    : stems_{bold_stems_of(query)}, concepts_{std::move(concepts)} {}

const passage* passage_finder::best_of(const std::vector<passage>& passages) const {
    const passage* best = nullptr;
    double most = -1;
    for (const auto& one : passages) {
        const auto relevance = relevance_of(one);
        if (relevance <= most) continue;
        best = &one;
        most = relevance;
    }
    return best;
}

double passage_finder::relevance_of(const passage& one) const {
    // A similarity lies between 0 and 1: it decides among those with as many words.
    return static_cast<double>(words_in(one.text)) + similarity(concepts_, one.concepts) * 0.99;
}

/// How many of the query's words stand in `text`, each counted once.
std::size_t passage_finder::words_in(std::string_view text) const {
    if (stems_.empty()) return 0;
    std::vector<bool> met(stems_.size());
    for (const auto& word : words_of(text)) {
        // Comparing first letters first: taking endings off is the dear part.
        const auto may_be = [&word](const std::string& stem) { return stem[0] == word[0]; };
        if (std::none_of(stems_.begin(), stems_.end(), may_be)) continue;
        const auto found = std::find(stems_.begin(), stems_.end(), bold_stem(word));
        if (found != stems_.end()) met[static_cast<std::size_t>(found - stems_.begin())] = true;
    }
    return static_cast<std::size_t>(std::count(met.begin(), met.end(), true));
}

}  // namespace reelsd::model
