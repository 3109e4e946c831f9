#include "voice.hpp"

#include "sound.hpp"
#include "spectrogram.hpp"
#include <reelsd/base/invariant.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <utility>

/// WebRTC's voice detector. Its library exports these functions in all versions, but no header
/// declares them. The interface of its headers cannot set the mode from version 1 on.
/// Source: common_audio/vad/include/webrtc_vad.h.
extern "C" {
WebRtcVadInst* WebRtcVad_Create();
void WebRtcVad_Free(WebRtcVadInst* detector);
int WebRtcVad_Init(WebRtcVadInst* detector);
int WebRtcVad_set_mode(WebRtcVadInst* detector, int mode);
/// Returns 1 for a voice, 0 for none, -1 for invalid arguments.
int WebRtcVad_Process(
    WebRtcVadInst* detector, int rate_hz, const std::int16_t* samples, std::size_t count);
}

namespace reelsd::media::sound {
namespace {

/// 0 (most frames are voices) to 3.
constexpr int detector_mode = 1;

constexpr double full_scale = 32768.0;
/// A track without louder frames is silent: a camera's own hiss has this level, and no voice is
/// intelligible below it.
constexpr float silent_db = -60.0F;
constexpr double target_loud_db = -20.0;
/// Raises -60 dBFS to the target; quieter tracks are silent.
constexpr double gain_db_max = 40.0;
/// Uniform noise in [-a, a] has a root mean square of a / sqrt(3): -70 dBFS is 10.4, so a is 18.
constexpr int noise_amplitude = 18;

constexpr std::size_t window_samples = 512;
double band_power(std::span<const std::complex<float>> spectrum, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t k = from; k < to; ++k) sum += static_cast<double>(std::norm(spectrum[k]));
    return sum;
}

/// Spectrum of the window at `at`, valid until the next call with this transform.
std::span<const std::complex<float>> window_spectrum(
    fft& transform, std::span<const float> window, std::span<const std::int16_t> samples,
    std::size_t at) {
    std::array<float, window_samples> windowed{};
    for (std::size_t i = 0; i < window_samples; ++i) {
        windowed[i] = static_cast<float>(samples[at + i]) * window[i];
    }
    return transform.transform(windowed);
}

/// Below 94 Hz is no voice.
constexpr std::size_t voice_from = 3;
/// The peak of a Hann window and the glide of a siren within it.
constexpr std::size_t tone_bins = 2;
constexpr double loud_parts_db = -15.0;

// Lengths in frames of 10 ms.

/// Frames at the start from which the detector first learns the noise. Otherwise it counts even
/// silence there as a voice.
constexpr std::size_t learned_frames = 30;
constexpr std::size_t joined_pause_frames = 50;
/// A shorter sound is a click, not a word.
constexpr std::size_t voiced_frames_min = 10;
constexpr std::size_t margin_frames = 20;
/// Longer utterances cost more and are recognised no better.
constexpr std::size_t utterance_frames_max = 1200;
/// No split leaves less than this, so that neither part is a fragment.
constexpr std::size_t part_frames_min = 300;
/// The voice detector counts the echo of a voice as voice, so ranges still contain pauses.
constexpr std::size_t pause_frames_min = 40;
constexpr std::size_t pause_part_frames_min = 100;
constexpr float pause_level_db = -25.0F;
/// The quietest sounds at the start of a word; music under a voice is quieter.
constexpr float onset_level_db = -15.0F;
/// Averaging window for the quietest frame: longer than a stop consonant, shorter than a pause.
constexpr std::size_t quiet_frames = 15;

/// Ranges of voiced frames, joined over pauses, without margins.
std::vector<frame_range> join_voiced(const std::vector<bool>& voiced) {
    std::vector<frame_range> ranges;
    for (std::size_t i = 0; i < voiced.size(); ++i) {
        if (!voiced[i]) continue;
        if (!ranges.empty() && i - ranges.back().end < joined_pause_frames) {
            ranges.back().end = i + 1;
        } else {
            ranges.push_back({i, i + 1});
        }
    }
    std::erase_if(ranges, [](const frame_range& range) {
        return range.end - range.begin < voiced_frames_min;
    });
    return ranges;
}

void add_margins(std::vector<frame_range>& ranges, std::size_t frames) {
    std::size_t free_from = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const std::size_t next = i + 1 < ranges.size() ? ranges[i + 1].begin : frames;
        frame_range& range = ranges[i];
        range.begin = std::max(free_from, range.begin - std::min(range.begin, margin_frames));
        range.end = std::min(range.end + margin_frames, next);
        free_from = range.end;
    }
}

/// Of equally quiet frames, the last one, so that parts are long.
std::size_t quietest_frame(std::span<const float> levels_db, frame_range where) {
    std::size_t best = where.begin;
    float best_sum = 0;
    for (std::size_t i = where.begin; i + quiet_frames <= where.end; ++i) {
        float sum = 0;
        for (const float level : levels_db.subspan(i, quiet_frames)) sum += level;
        if (i == where.begin || sum <= best_sum) {
            best = i;
            best_sum = sum;
        }
    }
    return best + quiet_frames / 2;
}

}  // namespace

std::vector<float> frame_levels_db(std::span<const std::int16_t> samples) {
    std::vector<float> levels;
    levels.reserve(samples.size() / frame_samples);
    for (std::size_t at = 0; at + frame_samples <= samples.size(); at += frame_samples) {
        double energy = 0;
        for (const std::int16_t sample : samples.subspan(at, frame_samples)) {
            energy += static_cast<double>(sample) * static_cast<double>(sample);
        }
        const double power =
            energy / (full_scale * full_scale * static_cast<double>(frame_samples));
        const double level = power > 0 ? 10.0 * std::log10(power) : level_db_min;
        levels.push_back(std::max(static_cast<float>(level), level_db_min));
    }
    return levels;
}

float level_at_share_db(std::span<const float> levels_db, double share) {
    if (levels_db.empty()) return level_db_min;
    std::vector<float> sorted{levels_db.begin(), levels_db.end()};
    const auto last = static_cast<double>(sorted.size() - 1);
    const auto position = static_cast<std::ptrdiff_t>(std::clamp(share, 0.0, 1.0) * last);
    std::nth_element(sorted.begin(), sorted.begin() + position, sorted.end());
    return sorted[static_cast<std::size_t>(position)];
}

double gain_of(float loud_db) {
    const double gain_db = std::min(target_loud_db - static_cast<double>(loud_db), gain_db_max);
    return std::pow(10.0, gain_db / 20.0);
}

std::vector<std::int16_t> conditioned(std::span<const std::int16_t> samples, double gain) {
    std::minstd_rand engine{1};
    std::vector<std::int16_t> result;
    result.reserve(samples.size());
    for (const std::int16_t sample : samples) {
        const int noise = static_cast<int>(engine() % (2 * noise_amplitude + 1)) - noise_amplitude;
        const double value = std::round(static_cast<double>(sample) * gain) + noise;
        constexpr double low = std::numeric_limits<std::int16_t>::min();
        constexpr double high = std::numeric_limits<std::int16_t>::max();
        result.push_back(static_cast<std::int16_t>(std::clamp(value, low, high)));
    }
    return result;
}

bool is_silent(std::span<const std::int16_t> samples) {
    const std::vector<float> levels = frame_levels_db(samples);
    return std::ranges::all_of(levels, [](float level) { return level <= silent_db; });
}

std::vector<time_range> find_silences(
    std::span<const std::int16_t> samples, double duration_seconds) {
    std::vector<time_range> silences;
    double silent_since = 0;
    const auto close = [&](double end) {
        const bool is_long = end - silent_since >= report_bounds::silence_seconds_min;
        if (is_long && silences.size() < report_bounds::silences_max) {
            silences.push_back({silent_since, end});
        }
    };
    const std::vector<float> levels = frame_levels_db(samples);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (levels[i] <= silent_db) continue;
        close(static_cast<double>(i) * frame_seconds);
        silent_since = static_cast<double>(i + 1) * frame_seconds;
    }
    close(duration_seconds);
    return silences;
}

double tone_share(std::span<const std::int16_t> samples) {
    struct part {
        double power = 0;
        double tone = 0;
    };
    fft transform{window_samples};
    const auto window = hann_window(window_samples);
    std::vector<part> parts;
    for (std::size_t at = 0; at + window_samples <= samples.size(); at += frame_samples) {
        const auto values = window_spectrum(transform, window, samples, at).subspan(voice_from);
        const auto strongest = std::ranges::max_element(
            values, {}, [](const std::complex<float>& value) { return std::norm(value); });
        const auto peak = static_cast<std::size_t>(strongest - values.begin());
        parts.push_back(
            {.power = band_power(values, 0, values.size()),
             .tone = band_power(
                 values,
                 peak - std::min(peak, tone_bins),
                 std::min(peak + tone_bins + 1, values.size()))});
    }
    if (parts.empty()) return 0;
    const auto loud = parts.begin() + static_cast<std::ptrdiff_t>(
                                          loud_share * static_cast<double>(parts.size() - 1));
    std::ranges::nth_element(parts, loud, {}, &part::power);
    const double least = std::max(loud->power, 1.0) * std::pow(10.0, loud_parts_db / 10.0);
    double sum = 0;
    double count = 0;
    for (const part& next : parts) {
        if (next.power < least) continue;
        sum += next.tone / next.power;
        ++count;
    }
    return count > 0 ? sum / count : 0;
}

std::vector<frame_range> find_utterances(
    const std::vector<bool>& voiced, std::span<const float> levels_db) {
    invariant(voiced.size() == levels_db.size());
    std::vector<frame_range> ranges = join_voiced(voiced);
    add_margins(ranges, voiced.size());
    std::vector<frame_range> result;
    for (frame_range rest : ranges) {
        while (rest.end - rest.begin > utterance_frames_max) {
            const std::size_t latest =
                std::min(rest.begin + utterance_frames_max, rest.end - part_frames_min);
            const std::size_t cut =
                quietest_frame(levels_db, {rest.begin + part_frames_min, latest});
            result.push_back({rest.begin, cut});
            rest.begin = cut;
        }
        result.push_back(rest);
    }
    return result;
}

std::vector<frame_range> split_at_pauses(frame_range range, std::span<const float> levels_db) {
    const auto own = levels_db.subspan(range.begin, range.end - range.begin);
    const float quiet = level_at_share_db(own, loud_share) + pause_level_db;
    std::vector<frame_range> parts;
    std::size_t quiet_since = range.begin;
    for (std::size_t i = range.begin; i < range.end; ++i) {
        if (levels_db[i] <= quiet) continue;
        const std::size_t middle = quiet_since + (i - quiet_since) / 2;
        if (i - quiet_since >= pause_frames_min && middle - range.begin >= pause_part_frames_min &&
            range.end - middle >= pause_part_frames_min) {
            parts.push_back({range.begin, middle});
            range.begin = middle;
        }
        quiet_since = i + 1;
    }
    parts.push_back(range);
    return parts;
}

frame_range loud_range(std::span<const float> levels_db) {
    const float quiet = level_at_share_db(levels_db, loud_share) + onset_level_db;
    const auto is_loud = [quiet](float level) { return level > quiet; };
    const auto first = std::ranges::find_if(levels_db, is_loud);
    const auto last = std::find_if(levels_db.rbegin(), levels_db.rend(), is_loud);
    if (first == levels_db.end()) return {0, levels_db.size()};
    return {
        static_cast<std::size_t>(first - levels_db.begin()),
        static_cast<std::size_t>(levels_db.rend() - last)};
}

void voice_activity::detector_free::operator()(WebRtcVadInst* detector) const noexcept {
    WebRtcVad_Free(detector);
}

result<std::unique_ptr<voice_activity>> voice_activity::create() {
    detector_owner detector{WebRtcVad_Create()};
    if (detector == nullptr) return error{errc::media_failed, "cannot create the voice detector"};
    const bool accepted = WebRtcVad_Init(detector.get()) == 0 &&
                          WebRtcVad_set_mode(detector.get(), detector_mode) == 0;
    if (!accepted) return error{errc::media_failed, "the voice detector rejects its settings"};
    std::unique_ptr<voice_activity> activity{new voice_activity{std::move(detector)}};
    // The library's lazy initialisation happens now, before the jail is sealed.
    static_cast<void>(activity->detect(std::vector<std::int16_t>(speech_rate_hz)));
    return activity;
}

voice_activity::voice_activity(detector_owner detector) : detector_{std::move(detector)} {}

voice_activity::~voice_activity() = default;

std::vector<bool> voice_activity::detect(std::span<const std::int16_t> samples) {
    // Forgets the previous call. Both succeeded in create(), with the same arguments.
    WebRtcVad_Init(detector_.get());
    WebRtcVad_set_mode(detector_.get(), detector_mode);
    const auto is_voiced = [this](std::span<const std::int16_t> frame) {
        return WebRtcVad_Process(detector_.get(), speech_rate_hz, frame.data(), frame.size()) == 1;
    };
    const auto frames = samples.size() / frame_samples;
    const auto frame_at = [samples](std::size_t number) {
        return samples.subspan(number * frame_samples, frame_samples);
    };
    for (std::size_t i = 0; i < std::min(frames, learned_frames); ++i)
        static_cast<void>(is_voiced(frame_at(i)));
    std::vector<bool> voiced;
    voiced.reserve(frames);
    for (std::size_t i = 0; i < frames; ++i) voiced.push_back(is_voiced(frame_at(i)));
    return voiced;
}

voiced_sound find_voice(voice_activity& activity, std::span<const std::int16_t> samples) {
    const std::vector<float> levels = frame_levels_db(samples);
    voiced_sound sound;
    sound.gain = gain_of(level_at_share_db(levels, loud_share));
    sound.utterances = find_utterances(activity.detect(conditioned(samples, sound.gain)), levels);
    return sound;
}

bool hears_voice(voice_activity& activity, std::span<const std::int16_t> samples) {
    return !is_silent(samples) && !find_voice(activity, samples).utterances.empty();
}

}  // namespace reelsd::media::sound
