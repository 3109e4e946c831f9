#pragma once

#include <cstdint>
#include <span>

namespace reelsd::media::picture {

/// Transfer functions of high dynamic range (BT.2100).
enum class hdr_transfer : std::uint8_t { perceptual_quantizer, hybrid_log_gamma };

/// Converts packed RGB of BT.2020 in place to BT.709 for SDR displays. Diffuse white (203 cd/m²,
/// BT.2408) becomes white; brighter light is clipped.
void convert_to_sdr(std::span<std::uint8_t> rgb, hdr_transfer transfer);

}  // namespace reelsd::media::picture
