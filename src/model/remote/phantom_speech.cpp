#include "phantom_speech.hpp"

#include "../answer/repetition.hpp"
#include "../folded_text.hpp"
#include "../words.hpp"
#include <reelsd/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace reelsd::model {
namespace {

using media::voice_evidence;

/// Seen in outputs for silence and music. Source: public reports about Whisper.
constexpr auto phrases = std::to_array<std::string_view>({
    "thank you",
    "thank you very much",
    "thank you so much",
    "thank you all",
    "thank you for watching",
    "thank you so much for watching",
    "thank you very much for watching",
    "thank you for watching this video",
    "thank you for watching the video",
    "thank you for listening",
    "thank you for your attention",
    "thanks",
    "thanks for watching",
    "thanks for watching and see you next time",
    "thanks for watching and don't forget to like and subscribe",
    "thanks for watching see you next time",
    "thanks for listening",
    "thank you and goodbye",
    "please subscribe",
    "please subscribe to my channel",
    "please subscribe to the channel",
    "please like and subscribe",
    "like and subscribe",
    "don't forget to subscribe",
    "don't forget to like and subscribe",
    "subscribe",
    "subscribe to my channel",
    "see you next time",
    "see you in the next video",
    "see you in the next one",
    "see you next video",
    "i'll see you in the next video",
    "i'll see you next time",
    "we'll be right back",
    "to be continued",
    "bye",
    "bye bye",
    "bye bye bye",
    "goodbye",
    "you",
    "so",
    "okay",
    "oh",
    "the end",
    "music",
    "music playing",
    "applause",
    "laughter",
    "silence",
    "vielen dank",
    "vielen dank fürs zuschauen",
    "vielen dank für ihre aufmerksamkeit",
    "danke fürs zuschauen",
    "danke fürs zuhören",
    "bis zum nächsten mal",
    "tschüss",
    "merci",
    "merci d'avoir regardé",
    "merci d'avoir regardé cette vidéo",
    "merci à tous",
    "abonnez vous",
    "n'oubliez pas de vous abonner",
    "gracias",
    "muchas gracias",
    "gracias por ver",
    "gracias por ver el video",
    "gracias por ver el vídeo",
    "suscríbete",
    "suscríbete al canal",
    "obrigado",
    "obrigado por assistir",
    "obrigada por assistir",
    "inscreva se no canal",
    "grazie",
    "grazie per la visione",
    "grazie per aver guardato il video",
    "grazie a tutti",
    "bedankt voor het kijken",
    "tot de volgende keer",
    "dziękuję",
    "dziękuję za uwagę",
    "dziękuję za oglądanie",
    "tack för att du tittade",
    "tak fordi du så med",
    "takk for at du så på",
    "kiitos kun katsoit",
    "děkuji za pozornost",
    "köszönöm hogy megnézted",
    "спасибо",
    "спасибо за внимание",
    "спасибо за просмотр",
    "подписывайтесь на канал",
    "продолжение следует",
    "до новых встреч",
    "дякую за перегляд",
    "дякую за увагу",
    "izlediğiniz için teşekkürler",
    "izlediğiniz için teşekkür ederim",
    "abone olmayı unutmayın",
    "beni izlediğiniz için teşekkür ederim",
    "terima kasih",
    "terima kasih telah menonton",
    "terima kasih kerana menonton",
    "cảm ơn các bạn đã theo dõi",
    "cảm ơn các bạn đã xem",
    "hãy subscribe cho kênh",
    "شكرا للمشاهدة",
    "شكرا على المشاهدة",
    "شكرا لكم",
    "اشتركوا في القناة",
    "تابعونا",
    "धन्यवाद",
    "देखने के लिए धन्यवाद",
    "ご視聴ありがとうございました",
    "ご視聴ありがとうございます",
    "ありがとうございました",
    "チャンネル登録お願いします",
    "チャンネル登録をお願いします",
    "最後までご視聴いただきありがとうございます",
    "おやすみなさい",
    "谢谢",
    "谢谢大家",
    "谢谢观看",
    "谢谢收看",
    "謝謝觀看",
    "謝謝大家",
    "请不吝点赞订阅转发打赏支持明镜与点点栏目",
    "請不吝點贊訂閱轉發打賞支持明鏡與點點欄目",
    "시청해주셔서 감사합니다",
    "시청해 주셔서 감사합니다",
    "감사합니다",
    "구독과 좋아요 부탁드립니다",
    "다음 영상에서 만나요",
});

/// Parts of credits, which nobody says.
constexpr auto credits = std::to_array<std::string_view>({
    "amara.org",
    "ai-media",
    "castingwords",
    "opensubtitles",
    "dimatorzok",
    "subtitles by",
    "subtitled by",
    "captions by",
    "captioned by",
    "captioning by",
    "transcription by",
    "transcribed by",
    "untertitel von",
    "untertitel der",
    "untertitel im auftrag",
    "untertitelung des",
    "undertekster av",
    "undertekster af",
    "undertexter från",
    "undertexter av",
    "svensktextning",
    "tekstet av",
    "ondertiteld door",
    "ondertitels ingediend",
    "ondertiteling ingediend",
    "sous-titres réalisés",
    "sous-titres par",
    "sous-titrage st",
    "sous-titrage société",
    "sottotitoli creati",
    "sottotitoli e revisione",
    "subtítulos por",
    "subtítulos realizados",
    "legendas pela",
    "legenda por",
    "legendado por",
    "napisy stworzone",
    "napisy by",
    "titulky vytvořil",
    "субтитры сделал",
    "субтитры создавал",
    "редактор субтитров",
    "субтитри створив",
    "altyazı m.k",
    "altyazı çeviri",
    "ترجمة نانسي",
    "字幕by",
    "字幕由",
    "字幕志愿者",
    "字幕製作",
    "자막 by",
    "자막 제공",
    "phụ đề bởi",
});

// Whisper's own rules. Source: openai/whisper, transcribe.py.
constexpr double silent_probability = 0.6;
constexpr double failed_log_probability = -1;
constexpr double failed_compression = 2.4;
/// Of a known phrase that was really spoken, servers report less than 0.02.
constexpr double phrase_probability = 0.06;
constexpr std::size_t credit_characters_max = 60;
constexpr std::size_t repeats_suspect = 3;
/// People speak 4 (Chinese) to 15 letters a second; an invented phrase often stands for half a
/// minute.
constexpr double letters_per_second_min = 2;
constexpr double sparse_seconds_min = 3;
/// Times of servers are exact to about this.
constexpr double time_slack = 0.3;
/// A voice must be heard for so long, and in this share of a passage.
constexpr double voiced_seconds_min = 0.2;
constexpr double voiced_share_min = 0.15;

std::u32string folded(std::string_view text) {
    return folded_text{text}.letters();
}

const std::set<std::u32string>& known_phrases() {
    static const auto known = [] {
        std::set<std::u32string> set;
        for (const auto phrase : phrases) set.insert(folded(phrase));
        return set;
    }();
    return known;
}

const std::vector<std::u32string>& known_credits() {
    static const auto known = [] {
        std::vector<std::u32string> list;
        for (const auto credit : credits) list.push_back(folded(credit));
        return list;
    }();
    return known;
}

/// Sentences, also of scripts that write no blank after a full stop.
std::vector<std::u32string> folded_sentences(std::string_view text) {
    std::string lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto point = code_point_at(text, at);
        const bool ends = point.value == U'。' || point.value == U'！' || point.value == U'？' ||
                          point.value == U'♪' || point.value == U'…';
        if (ends) {
            lines += '\n';
        } else {
            lines.append(text.substr(at, point.bytes));
        }
        at += point.bytes;
    }
    std::vector<std::u32string> sentences;
    for (const auto& sentence : sentences_of(lines)) sentences.push_back(folded(sentence));
    return sentences;
}

/// "[Music]", "(applause)", "*laughs*", "♪": nothing outside brackets is a word.
bool is_sound_mark(std::string_view text) {
    std::string outside;
    int depth = 0;
    bool in_stars = false;
    for (const char byte : text) {
        if (byte == '[' || byte == '(') ++depth;
        if (byte == '*') in_stars = !in_stars;
        if (depth == 0 && !in_stars) outside += byte;
        if ((byte == ']' || byte == ')') && depth > 0) --depth;
    }
    return words_of(outside).empty();
}

class judge {
public:
    judge(const std::vector<heard_segment>& segments, std::span<const media::voice_span> voice)
        : voice_{voice} {
        for (const auto& segment : segments) {
            ++counts_[folded(segment.spoken.text)];
            const auto& text = segment.spoken.text;
            has_other_text_ =
                has_other_text_ || !(is_phantom_phrase(text) || is_subtitle_credit(text) ||
                                     is_unlikely(segment) || has_failed(segment));
        }
        has_certain_voice_ = std::ranges::any_of(voice, [](const media::voice_span& span) {
            return span.evidence != voice_evidence::possible;
        });
    }

    enum class verdict : std::uint8_t { keep, doubt, drop };

    [[nodiscard]] verdict about(const heard_segment& segment) const {
        const auto evidence = evidence_at(segment.spoken);
        if (is_subtitle_credit(segment.spoken.text)) return verdict::drop;
        if (!evidence) return without_voice(segment);
        switch (*evidence) {
            case voice_evidence::possible: return in_music(segment);
            case voice_evidence::alone: return in_voice(segment);
            case voice_evidence::recognized:
                return has_failed(segment) || is_silent(segment) ? verdict::doubt : verdict::keep;
        }
        return verdict::drop;
    }

private:
    /// The best evidence of a voice during the passage.
    [[nodiscard]] std::optional<voice_evidence> evidence_at(const timed_text& spoken) const {
        const auto from = spoken.start_seconds - time_slack;
        const auto to = spoken.end_seconds + time_slack;
        const auto needed = std::max(
            voiced_seconds_min, voiced_share_min * (spoken.end_seconds - spoken.start_seconds));
        double voiced = 0;
        std::optional<voice_evidence> best;
        for (const auto& span : voice_) {
            const auto common = std::min(to, span.end_seconds) - std::max(from, span.start_seconds);
            if (common <= 0) continue;
            voiced += common;
            if (!best || span.evidence > *best) best = span.evidence;
        }
        return voiced >= needed ? best : std::nullopt;
    }

    [[nodiscard]] verdict without_voice(const heard_segment& segment) const {
        // Times of some servers are off by seconds, and whispers are no voice to the detector.
        if (!has_certain_voice_ || is_suspect(segment)) return verdict::drop;
        return verdict::doubt;
    }

    /// Music counts as a voice, and lyrics are not speech.
    [[nodiscard]] verdict in_music(const heard_segment& segment) const {
        if (is_phantom_phrase(segment.spoken.text))
            return is_vouched_for(segment) && has_certain_voice_ ? verdict::doubt : verdict::drop;
        if (is_suspect(segment)) return verdict::drop;
        return has_certain_voice_ ? verdict::keep : verdict::doubt;
    }

    [[nodiscard]] verdict in_voice(const heard_segment& segment) const {
        if (is_silent(segment)) return verdict::drop;
        if (is_phantom_phrase(segment.spoken.text))
            return is_vouched_for(segment) ? verdict::keep : verdict::drop;
        if (is_repeated(segment) && has_failed(segment)) return verdict::drop;
        return is_unlikely(segment) || has_failed(segment) ? verdict::doubt : verdict::keep;
    }

    /// Whether a known phrase may have been spoken: with other text, and the server does not doubt.
    [[nodiscard]] bool is_vouched_for(const heard_segment& segment) const {
        return has_other_text_ && segment.no_speech_probability.value_or(0) < phrase_probability;
    }

    [[nodiscard]] bool is_suspect(const heard_segment& segment) const {
        return is_phantom_phrase(segment.spoken.text) || is_repeated(segment) ||
               has_failed(segment) || is_unlikely(segment) || is_sparse(segment);
    }
    [[nodiscard]] bool is_repeated(const heard_segment& segment) const {
        return counts_.at(folded(segment.spoken.text)) >= repeats_suspect;
    }
    [[nodiscard]] static bool has_failed(const heard_segment& segment) {
        return segment.compression_ratio.value_or(0) > failed_compression;
    }
    [[nodiscard]] static bool is_unlikely(const heard_segment& segment) {
        return segment.no_speech_probability.value_or(0) > silent_probability ||
               segment.mean_log_probability.value_or(0) < failed_log_probability;
    }
    [[nodiscard]] static bool is_silent(const heard_segment& segment) {
        return segment.no_speech_probability.value_or(0) > silent_probability &&
               segment.mean_log_probability.value_or(0) < failed_log_probability;
    }
    [[nodiscard]] static bool is_sparse(const heard_segment& segment) {
        const auto seconds = segment.spoken.end_seconds - segment.spoken.start_seconds;
        return seconds >= sparse_seconds_min &&
               static_cast<double>(folded(segment.spoken.text).size()) <
                   letters_per_second_min * seconds;
    }

    std::span<const media::voice_span> voice_;
    std::map<std::u32string, std::size_t> counts_;
    bool has_other_text_ = false;
    bool has_certain_voice_ = false;
};

/// One iteration of loops over passages.
void cut_loops(std::vector<heard_segment>& segments) {
    std::map<std::string_view, std::size_t> known;
    std::vector<std::size_t> ids;
    for (const auto& segment : segments)
        ids.push_back(known.emplace(segment.spoken.text, known.size()).first->second);
    std::vector<heard_segment> kept;
    for (const auto at : entries_without_loops(ids)) kept.push_back(segments[at]);
    segments = std::move(kept);
}

}  // namespace

bool is_phantom_phrase(std::string_view text) {
    if (known_phrases().contains(folded(text))) return true;
    const auto sentences = folded_sentences(text);
    return !sentences.empty() && std::ranges::all_of(sentences, [](const std::u32string& sentence) {
        return known_phrases().contains(sentence);
    });
}

bool is_subtitle_credit(std::string_view text) {
    if (code_point_count(text) > credit_characters_max) return false;
    const auto letters = folded(text);
    return std::ranges::any_of(known_credits(), [&letters](const std::u32string& credit) {
        return letters.find(credit) != std::u32string::npos;
    });
}

checked_speech without_phantoms(
    std::vector<heard_segment> segments, std::span<const media::voice_span> voice) {
    const auto before = segments.size();
    std::erase_if(
        segments, [](const heard_segment& segment) { return is_sound_mark(segment.spoken.text); });
    const judge judge{segments, voice};
    checked_speech checked;
    for (auto& segment : segments) {
        const auto verdict = judge.about(segment);
        if (verdict == judge::verdict::drop) continue;
        if (verdict == judge::verdict::doubt) ++checked.doubtful;
        checked.segments.push_back(std::move(segment));
    }
    cut_loops(checked.segments);
    checked.dropped = before - checked.segments.size();
    return checked;
}

}  // namespace reelsd::model
