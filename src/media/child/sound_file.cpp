#include "../sound/sound.hpp"
#include "commands.hpp"
#include "jail_settings.hpp"
#include "passes.hpp"

#include <array>
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
class wave_head {
public:
    explicit wave_head(std::size_t samples_bytes) {
        constexpr std::size_t riff_head_bytes = 8;
        constexpr std::size_t sample_bytes = 2;
        constexpr std::size_t rate = sound::speech_rate_hz;
        text("RIFF");
        number<4>(report_bounds::sound_head_bytes - riff_head_bytes + samples_bytes);
        text("WAVEfmt ");
        number<4>(16);  // Bytes of the format that follow.
        number<2>(1);   // Linear PCM.
        number<2>(1);   // Channels.
        number<4>(rate);
        number<4>(rate * sample_bytes);
        number<2>(sample_bytes);
        number<2>(8 * sample_bytes);
        text("data");
        number<4>(samples_bytes);
    }

    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

private:
    void text(std::string_view characters) {
        const auto bytes = std::as_bytes(std::span{characters});
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }

    template <int Bytes>
    void number(std::size_t value) {
        for (int at = 0; at < Bytes; ++at, value >>= 8U) {
            bytes_.push_back(static_cast<std::byte>(value & 0xffU));
        }
    }

    std::vector<std::byte> bytes_;
};

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
    const wave_head head{samples_bytes.size()};
    for (const auto part : {head.bytes(), samples_bytes}) {
        const auto written = append_to_output(part);
        if (!written) return written.error();
    }
    return std::optional{sound_report{
        .seconds = static_cast<double>(samples.size()) / sound::speech_rate_hz,
        .bytes = head.bytes().size() + samples_bytes.size()}};
}

}  // namespace reelsd::media
