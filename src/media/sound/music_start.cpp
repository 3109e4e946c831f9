#include "music_start.hpp"

#include <reelsd/base/invariant.hpp>

#include <algorithm>

namespace reelsd::media::sound {

namespace {

/// The tones of a block set in within it when they stand out less than half as often before.
constexpr double before_share_max = 0.5;
/// A weaker block beside a musical one belongs to it, where nobody speaks.
constexpr double weak_tonality = 0.05;
/// Notes fade between their beats, but not so far below the loudest.
constexpr float fading_db = 30.0F;
/// A third of a second below that is an end.
constexpr std::size_t pause_spectra = 15;

/// How many tones of the block stand out in each of its spectra.
std::vector<double> tones_standing_out(
    std::span<const spectrum> spectra, const music_block& block) {
    std::vector<double> counts;
    for (const spectrum& one : spectra.subspan(block.first_spectrum, block.spectra)) {
        const auto count =
            std::count_if(block.tones.begin(), block.tones.end(), [&](const held_tone& tone) {
                return one.active[tone.bin] != 0;
            });
        counts.push_back(static_cast<double>(count));
    }
    return counts;
}

/// Where `values` step up, if they do: the split into two halves of which each is most alike.
std::size_t step_up(std::span<const double> values) {
    double total = 0;
    for (const double value : values) total += value;
    const auto size = static_cast<double>(values.size());
    double before = 0;
    double best_gain = 0;
    std::size_t best = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        before += values[i - 1];
        const auto count = static_cast<double>(i);
        const double mean_before = before / count;
        const double mean_after = (total - before) / (size - count);
        if (mean_before > before_share_max * mean_after) continue;
        const double difference = mean_after - mean_before;
        const double gain = difference * difference * count * (size - count);
        if (gain <= best_gain) continue;
        best_gain = gain;
        best = i;
    }
    return best;
}

/// The first block that is musical and goes on in the next one; the last block has no next.
std::size_t first_musical_block(std::span<const music_block> blocks) {
    const auto musical = [&](std::size_t i) { return blocks[i].tonality() > musical_tonality; };
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (musical(i) && (i + 1 == blocks.size() || musical(i + 1))) return i;
    }
    return 0;
}

/// Mean square level would hide pauses; the loudest spectrum does not.
float level_of(std::span<const spectrum> spectra, const music_block& block) {
    float level = audible_db;
    for (const spectrum& one : spectra.subspan(block.first_spectrum, block.spectra)) {
        level = std::max(level, one.level_db);
    }
    return level;
}

/// Backwards from `start` over what sounds as loud, is not spoken, and lies at or after `limit`.
std::size_t extended_back(
    std::span<const spectrum> spectra, const std::vector<bool>& spoken, std::size_t start,
    std::size_t limit, float faded_db) {
    std::size_t first = start;
    for (std::size_t i = start; i > limit; --i) {
        if (spoken[i - 1] || first - i > pause_spectra) break;
        if (spectra[i - 1].level_db > faded_db) first = i - 1;
    }
    return first;
}

}  // namespace

std::size_t first_audible_spectrum(std::span<const spectrum> spectra) {
    const auto first = std::find_if(spectra.begin(), spectra.end(), [](const spectrum& one) {
        return one.level_db > audible_db;
    });
    return static_cast<std::size_t>(first - spectra.begin());
}

std::size_t start_of_tones(
    std::span<const spectrum> spectra, std::span<const music_block> blocks,
    const std::vector<bool>& spoken) {
    invariant(!blocks.empty() && spoken.size() == spectra.size());
    const std::size_t found = first_musical_block(blocks);
    const music_block& block = blocks[found];
    const std::size_t step = step_up(tones_standing_out(spectra, block));
    if (step > 0) return block.first_spectrum + step;
    std::size_t weak = found;
    while (weak > 0 && blocks[weak - 1].tonality() > weak_tonality) --weak;
    return extended_back(
        spectra,
        spoken,
        block.first_spectrum,
        blocks[weak].first_spectrum,
        std::max(level_of(spectra, block) - fading_db, audible_db));
}

}  // namespace reelsd::media::sound
