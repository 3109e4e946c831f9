#include "music_evidence.hpp"
#include "sound.hpp"

namespace reelsd::media::sound {

music_report detect_music(std::span<const float> samples, std::span<const timed_text> /*speech*/) {
    music_report report;
    const auto spectra = spectra_of(samples);
    for (const block_evidence& block : evidence_of_blocks(spectra)) {
        if (block.tones > 2.3) report.present = true;
    }
    return report;
}

}  // namespace reelsd::media::sound
