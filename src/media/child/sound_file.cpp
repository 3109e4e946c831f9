#include "../sound/sound.hpp"
#include "commands.hpp"
#include "jail_settings.hpp"
#include "passes.hpp"

#include <bit>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace reelsd::media {
namespace {

static_assert(sound::speech_rate_hz == report_bounds::sound_rate_hz);
static_assert(
    std::endian::native == std::endian::little, "samples are written in native byte order");

/// The header of a WAVE file. Source: Multimedia Programming Interface and Data Specifications 1.0,
/// Waveform Audio File Format; all numbers are little-endian.
std::vector<std::byte> wave_header(std::size_t samples_bytes) {
    constexpr std::size_t riff_head_bytes = 8;
    constexpr std::size_t sample_bytes = 2;
    constexpr std::size_t rate = sound::speech_rate_hz;
    std::vector<std::byte> header;
    const auto text = [&header](std::string_view characters) {
        const auto bytes = std::as_bytes(std::span{characters});
        header.insert(header.end(), bytes.begin(), bytes.end());
    };
    const auto number = [&header](std::size_t value, int bytes) {
        for (int at = 0; at < bytes; ++at, value >>= 8U) {
            header.push_back(static_cast<std::byte>(value & 0xffU));
        }
    };
    text("RIFF");
    number(report_bounds::sound_head_bytes - riff_head_bytes + samples_bytes, 4);
    text("WAVEfmt ");
    number(16, 4);  // Bytes of the format that follow.
    number(1, 2);   // Linear PCM.
    number(1, 2);   // Channels.
    number(rate, 4);
    number(rate * sample_bytes, 4);
    number(sample_bytes, 2);
    number(8 * sample_bytes, 2);
    text("data");
    number(samples_bytes, 4);
    return header;
}

// The size of a day of samples, under 3 GiB, fits the four bytes in the header.
static_assert(
    (report_bounds::duration_seconds_max + 1) * 2 * sound::speech_rate_hz +
        report_bounds::sound_head_bytes <
    4294967296.0);

}  // namespace

result<std::optional<sound_report>> sound_file(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    const auto first = run_first_pass(*file, given.seconds_max, audio_decoding::for_speech);
    if (!first) return first.error();
    const auto& samples = first->sound.for_speech;
    if (samples.empty()) return std::optional<sound_report>{};

    const auto samples_bytes = std::as_bytes(std::span{samples});
    const auto header = wave_header(samples_bytes.size());
    for (const auto part : {std::span<const std::byte>{header}, samples_bytes}) {
        const auto written = append_to_output(part);
        if (!written) return written.error();
    }
    return std::optional{sound_report{
        .seconds = static_cast<double>(samples.size()) / sound::speech_rate_hz,
        .bytes = header.size() + samples_bytes.size()}};
}

}  // namespace reelsd::media
