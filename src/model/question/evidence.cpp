#include "../json_members.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/model/question.hpp>
#include <reelsd/model/search_document.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace reelsd::model {
namespace {

/// More than a result of 90 s has. A passage takes about 40 bytes of a prompt in addition to its
/// text.
constexpr std::size_t passages_max = 1000;
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
        if (!text.is_string() || passages_.size() == passages_max) return;
        const auto& value = text.get_ref<const std::string&>();
        if (trimmed(value).empty()) return;
        passages_.push_back(
            {.field = std::string{field},
             .text = value,
             .seconds = seconds,
             .end_seconds = end_seconds});
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
                added.is_continuation = contains(
                    whole.get_ref<const std::string&>(),
                    passages_[count - 1].text + ' ' + added.text);
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
        const passage read{
            .field = {},
            .text = text,
            .seconds = {},
            .concepts = embedder.concepts_of({&piece, 1}, passage_concepts_max)};
        const bool is_summary = passages[at].field == summary_field;
        order.emplace_back(is_summary ? -1e9 : -finder.relevance_of(read), at);
    }
    std::ranges::sort(order);
    std::vector<std::size_t> indices;
    for (const auto& [relevance, at] : order) indices.push_back(at);
    return indices;
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
            if (!is_next) passages.back().is_continuation = false;
        }
        reel.passages = std::move(passages);
    }
    return reels;
}

}  // namespace reelsd::model
