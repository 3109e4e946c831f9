#include "music_evidence.hpp"
#include "sound.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace reelsd::media::sound {

namespace {

/// Music in only a part of the track must be clearer and last for three blocks (6 s).
constexpr double clear_tonality = 0.5;
constexpr std::size_t clear_blocks = 3;
/// Least regularity of a beat's onsets. In most speech it stays below 0.27 over all bands, 0.20 in
/// the low one and 0.28 in the high one. Drums 15 dB under speech are detectable only in the latter
/// two.
constexpr double beat_regularity_min = 0.45;
constexpr double low_beat_regularity_min = 0.28;
constexpr double high_beat_regularity_min = 0.45;
/// Noise that swells regularly stays below 4.6, or 5.2 in the low band.
constexpr double beat_sharpness_min = 5.2;
constexpr double strong_regularity = 0.5;
/// Medians of the level between the words.
constexpr float quiet_db = -34.0F;
constexpr float loud_db = -20.0F;
/// Medians of the centre of energy.
constexpr float dark_hz = 600.0F;
constexpr float bright_hz = 1500.0F;
/// Music is under the speech when it is in a quarter of the speech, and for at least a second.
constexpr double under_share = 0.25;
constexpr double under_seconds_min = 1.0;
/// Without music, a track is this much quieter between the words than during them.
constexpr float pause_db = -30.0F;
constexpr double pause_seconds_min = 1.0;
/// Echo after a word, and sounds before it that are too quiet to belong to its segment.
constexpr double echo_seconds = 0.2;
/// Share of the time between words in which there may be other sounds, such as breath.
constexpr double other_share_max = 0.01;

double seconds_at(std::size_t spectrum_index) {
    return static_cast<double>(spectrum_index) / spectra_per_second;
}

/// The lower of the two middle values of an even count.
template <class Number>
Number median(std::vector<Number> values) {
    if (values.empty()) return Number{};
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

bool tonal(std::span<const music_block> blocks) {
    std::vector<double> tonality;
    std::size_t clear = 0;
    for (const music_block& block : blocks) {
        tonality.push_back(block.tonality());
        clear = tonality.back() > clear_tonality ? clear + 1 : 0;
        if (clear >= clear_blocks) return true;
    }
    return median(std::move(tonality)) > musical_tonality;
}

struct track_beat {
    bool present = false;
    bool strong = false;
    std::optional<double> tempo_bpm;
};

track_beat find_beat(std::span<const spectrum> spectra) {
    const auto beat_in = [spectra](auto onset) {
        std::vector<float> onsets;
        for (const spectrum& next : spectra) onsets.push_back(next.*onset);
        return beat_of(onsets);
    };
    const beat_estimate all = beat_in(&spectrum::onset);
    const beat_estimate low = beat_in(&spectrum::low_onset);
    const beat_estimate high = beat_in(&spectrum::high_onset);
    const auto beats = [](const beat_estimate& beat, double regularity_min) {
        return beat.regularity > regularity_min && beat.sharpness > beat_sharpness_min;
    };
    track_beat beat;
    beat.tempo_bpm = all.tempo_bpm;
    const bool in_all = beats(all, beat_regularity_min);
    const bool in_low = beats(low, low_beat_regularity_min);
    const bool in_high = beats(high, high_beat_regularity_min);
    if (!in_all && in_high) beat.tempo_bpm = high.tempo_bpm;
    if (!in_all && in_low) beat.tempo_bpm = low.tempo_bpm;
    beat.present = in_all || in_low || in_high;
    beat.strong = beats(all, strong_regularity) || beats(low, strong_regularity);
    return beat;
}

/// For each spectrum whether it contains speech.
std::vector<bool> spoken_spectra(std::size_t count, std::span<const timed_text> speech) {
    std::vector<bool> spoken(count, false);
    for (std::size_t i = 0; i < count; ++i) {
        const double at = seconds_at(i);
        spoken[i] = std::any_of(speech.begin(), speech.end(), [&](const timed_text& segment) {
            return segment.start_seconds <= at && at < segment.end_seconds;
        });
    }
    return spoken;
}

/// Whether everything between the words is so quiet that the rhythm and tones are those of the
/// voice.
bool is_quiet_between_words(std::span<const spectrum> spectra, std::span<const timed_text> speech) {
    std::vector<timed_text> around{speech.begin(), speech.end()};
    for (timed_text& segment : around) {
        segment.start_seconds -= echo_seconds;
        segment.end_seconds += echo_seconds;
    }
    const auto spoken = spoken_spectra(spectra.size(), speech);
    const auto echoing = spoken_spectra(spectra.size(), around);
    std::vector<float> words;
    std::vector<float> pauses;
    for (std::size_t i = 0; i < spectra.size(); ++i) {
        if (spoken[i]) words.push_back(spectra[i].level_db);
        if (!echoing[i]) pauses.push_back(spectra[i].level_db);
    }
    if (words.empty() || seconds_at(pauses.size()) < pause_seconds_min) return false;
    const float quiet = median(std::move(words)) + pause_db;
    const auto others =
        std::ranges::count_if(pauses, [quiet](float level) { return level > quiet; });
    return static_cast<double>(others) <= other_share_max * static_cast<double>(pauses.size());
}

/// Audible spectra from the start of the music on, without speech; all of them if there is no gap.
std::vector<const spectrum*> spectra_of_music(
    std::span<const spectrum> spectra, std::size_t start, const std::vector<bool>& spoken) {
    std::vector<const spectrum*> music;
    for (std::size_t i = start; i < spectra.size(); ++i) {
        if (spectra[i].level_db > audible_db && !spoken[i]) music.push_back(&spectra[i]);
    }
    if (!music.empty()) return music;
    for (std::size_t i = start; i < spectra.size(); ++i) music.push_back(&spectra[i]);
    return music;
}

void describe(music_report& report, std::span<const spectrum* const> music) {
    std::vector<float> levels;
    std::vector<float> centroids;
    for (const spectrum* next : music) {
        levels.push_back(next->level_db);
        centroids.push_back(next->centroid_hz);
    }
    const float level = median(std::move(levels));
    const float centroid = median(std::move(centroids));
    report.level = level < quiet_db ? "quiet" : level > loud_db ? "loud" : "medium";
    report.brightness = centroid < dark_hz ? "dark" : centroid > bright_hz ? "bright" : "balanced";
}

/// `musical`: for each block whether it contains music. Only the middle half of a block counts,
/// because blocks overlap.
bool under_speech(
    std::span<const music_block> blocks, const std::vector<bool>& musical,
    const std::vector<bool>& spoken) {
    std::size_t speech = 0;
    std::size_t both = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::size_t quarter = blocks[i].spectra / 4;
        for (std::size_t k = quarter; k < blocks[i].spectra - quarter; ++k) {
            if (!spoken[blocks[i].first_spectrum + k]) continue;
            ++speech;
            if (musical[i]) ++both;
        }
    }
    return seconds_at(both) >= under_seconds_min &&
           static_cast<double>(both) >= under_share * static_cast<double>(speech);
}

}  // namespace

music_report detect_music(std::span<const float> samples, std::span<const timed_text> speech) {
    music_report report;
    const auto all_spectra = spectra_of(samples);
    const std::span<const spectrum> spectra{all_spectra};
    const std::size_t first_audible = first_audible_spectrum(spectra);
    if (first_audible == spectra.size() || is_quiet_between_words(spectra, speech)) return report;
    auto blocks = music_blocks(spectra);
    remove_steady_tones(spectra, blocks);
    const bool has_tones = tonal(blocks);
    report.present = has_tones || find_beat(spectra).present;
    if (!report.present) return report;

    const auto spoken = spoken_spectra(spectra.size(), speech);
    const std::size_t start = has_tones ? start_of_tones(spectra, blocks, spoken) : first_audible;
    report.start_seconds = seconds_at(start);
    const track_beat beat = find_beat(spectra.subspan(start));
    report.tempo_bpm = beat.tempo_bpm;
    report.strong_beat = beat.strong;
    describe(report, spectra_of_music(spectra, start, spoken));
    std::vector<bool> musical;
    musical.reserve(blocks.size());
    for (const music_block& block : blocks) {
        musical.push_back(!has_tones || block.tonality() > musical_tonality);
    }
    report.under_speech = under_speech(blocks, musical, spoken);
    return report;
}

}  // namespace reelsd::media::sound
