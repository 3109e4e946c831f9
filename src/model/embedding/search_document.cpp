#include "../clean_text.hpp"
#include "../json_members.hpp"
#include "../words.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/search_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace reelsd::model {

namespace {

constexpr std::size_t passages_max = 300;  // More than a result of 90 s has texts and utterances.
constexpr std::size_t passage_bytes_max = 240;  // Two or three lines on a screen.
/// Some ten characters, which two passages share that divide a text without spaces between them.
constexpr std::size_t passage_overlap_bytes = 30;
constexpr std::size_t passage_concepts_max = 12;
// Twice the largest field of a result; later text is not indexed.
constexpr std::size_t words_bytes_max = 80'000;

/// Its descriptions use the same words for every video, so they must not affect a search.
constexpr std::string_view measuring_provider = "local";

std::string text_of(const json& value) {
    if (!value.is_string()) return {};
    return clean_text(value.get_ref<const std::string&>(), words_bytes_max);
}

struct field_weight {
    std::size_t rank;       ///< Index in search_document::words.
    double concept_weight;  ///< 0: the field has no concepts.
};

constexpr field_weight about{0, 1.5};
constexpr field_weight shown{1, 1.2};
constexpr field_weight spoken{2, 1.0};
constexpr field_weight described{2, 0.6};
constexpr field_weight named{0, 0.0};
constexpr field_weight minor{3, 0.0};

class document_builder {
public:
    document_builder(const json& result, const embedder& embedder)
        : result_{result}, embedder_{embedder} {}

    [[nodiscard]] search_document build() {
        const bool measured = member(at("metadata.model"), "provider") == measuring_provider;
        const auto generated = measured ? minor : described;
        add_text("content.summary", about);
        add_list("content.topics", about);
        add_list("content.hooks", shown);
        add_timed(
            "content.key_moments", at("content.key_moments"), "description", "seconds", generated);
        add_text("content.call_to_action", minor);

        const auto& segments = at("audio.segments");
        if (!add_timed("audio.transcript", segments, "text", "start_seconds", spoken)) {
            add_text("audio.transcript", spoken);
        }
        add_text("audio.music_description", minor);

        add_text("visual.description", generated);
        add_text("visual.setting", shown);
        add_list("visual.subjects", shown);
        const auto& texts = at("visual.text_segments");
        if (!add_timed("visual.text_on_screen", texts, "text", "start_seconds", shown)) {
            add_list("visual.text_on_screen", shown);
        }

        add_text("platform_meta.caption", shown);
        add_list("platform_meta.hashtags", about);
        add_list("platform_meta.mentions", minor);
        add_text("platform_meta.author", named);
        add_text("platform_meta.author_name", named);
        add_text("platform_meta.location", shown);
        add_text("platform_meta.music_title", minor);
        add_text("platform_meta.music_artist", minor);

        std::vector<weighted_text> pieces;
        for (const auto& [text, weight] : texts_) pieces.push_back({text, weight});
        document_.concepts = embedder_.concepts_of(pieces, reel_concepts_max);
        return std::move(document_);
    }

private:
    [[nodiscard]] const json& at(std::string_view field) const { return field_of(result_, field); }

    void add_text(std::string_view field, field_weight weight) {
        const auto text = text_of(at(field));
        add_words(text, weight);
        for (const auto& sentence : sentences_of(text)) quote(field, sentence, std::nullopt);
    }

    /// Short items, quoted together as far as a passage reaches.
    void add_list(std::string_view field, field_weight weight) {
        std::string together;
        for (const auto& item : at(field)) {
            const auto text = text_of(item);
            if (text.empty()) continue;
            add_words(text, weight);
            if (!together.empty() && together.size() + text.size() + 2 > passage_bytes_max) {
                quote(field, together, std::nullopt);
                together.clear();
            }
            together += (together.empty() ? "" : ", ") + text;
        }
        quote(field, together, std::nullopt);
    }

    /// Entries with a time. Returns whether there were any.
    bool add_timed(
        std::string_view field, const json& entries, std::string_view text_name,
        std::string_view seconds_name, field_weight weight) {
        for (const auto& entry : entries) {
            const auto text = text_of(member(entry, text_name));
            add_words(text, weight);
            quote(field, text, seconds_in(entry, seconds_name));
        }
        return !entries.empty();
    }

    void add_words(const std::string& text, field_weight weight) {
        if (text.empty()) return;
        auto& words = document_.words.at(weight.rank);
        // The end of a line keeps the words of two items apart.
        if (words.size() + text.size() < words_bytes_max) words += text + '\n';
        if (weight.concept_weight > 0) texts_.emplace_back(text, weight.concept_weight);
    }

    /// Adds passages with the whole text.
    void quote(std::string_view field, std::string_view text, std::optional<double> seconds) {
        while (!text.empty() && document_.passages.size() < passages_max) {
            const auto length = passage_length(text, passage_bytes_max);
            passage passage{
                .field = std::string{field},
                .text = clean_line(text.substr(0, length), passage_bytes_max),
                .seconds = seconds};
            const bool may_divide_word =
                length < text.size() && length == utf8_prefix(text, passage_bytes_max).size();
            text.remove_prefix(
                may_divide_word ? utf8_prefix(text, length - passage_overlap_bytes).size()
                                : length);
            const weighted_text piece{passage.text};
            passage.concepts = embedder_.concepts_of({&piece, 1}, passage_concepts_max);
            if (!passage.text.empty()) document_.passages.push_back(std::move(passage));
        }
    }

    const json& result_;
    const embedder& embedder_;
    search_document document_;
    std::vector<std::pair<std::string, double>> texts_;
};

// Concepts are stored as 8 hexadecimal digits each: id, then weight from 0 to 255.
constexpr std::size_t concept_digits = 8;
constexpr float weight_scale = 255;

std::string concepts_text(const concept_vector& concepts) {
    std::string text;
    for (const auto& part : concepts) {
        const auto weight = static_cast<std::uint32_t>(std::lround(part.weight * weight_scale));
        const auto bits = (static_cast<std::uint32_t>(part.concept_id) << 8U) | weight;
        fmt::format_to(std::back_inserter(text), "{:08x}", bits);
    }
    return text;
}

/// "audio.transcript<tab>12.5<tab>(concepts)<tab>the text". No field contains a tab or a line end.
std::string passage_line(const passage& passage) {
    const auto seconds = passage.seconds ? json(*passage.seconds).dump() : "";
    return fmt::format(
        "{}\t{}\t{}\t{}\n", passage.field, seconds, concepts_text(passage.concepts), passage.text);
}

/// Removes and returns the text before `end`, and removes `end`; nothing without an `end`.
std::optional<std::string_view> take_until(std::string_view& text, char end) {
    const auto at = text.find(end);
    if (at == std::string_view::npos) return std::nullopt;
    const auto part = text.substr(0, at);
    text.remove_prefix(at + 1);
    return part;
}

std::optional<stored_passage> take_passage(std::string_view& lines) {
    const auto field = take_until(lines, '\t');
    const auto seconds = take_until(lines, '\t');
    const auto concepts = take_until(lines, '\t');
    const auto text = take_until(lines, '\n');
    if (!field || !seconds || !concepts || !text) return std::nullopt;
    const auto number = parse_number<double>(*seconds);
    if (!number && !seconds->empty()) return std::nullopt;
    return stored_passage{.field = *field, .text = *text, .seconds = number, .concepts = *concepts};
}

}  // namespace

result<search_document> search_document_of(std::string_view result_text, const embedder& embedder) {
    return search_document_from(parse_foreign_json(result_text), embedder);
}

result<search_document> search_document_from(const json& result, const embedder& embedder) {
    if (!result.is_object()) return error{errc::internal, "the result is not a JSON object"};
    return document_builder{result, embedder}.build();
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
    for (const auto& passage : passages) lines += passage_line(passage);
    return lines;
}

result<std::vector<stored_passage>> passages_from(std::string_view text) {
    std::vector<stored_passage> passages;
    passages.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')));
    while (!text.empty()) {
        auto passage = take_passage(text);
        if (!passage) return error{errc::internal, "malformed stored passages"};
        passages.push_back(*passage);
    }
    return passages;
}

concept_vector concepts_of(const stored_passage& passage) {
    auto text = passage.concepts;
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

}  // namespace reelsd::model
