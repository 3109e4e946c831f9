// Analyses raw sound (mono, signed 16 bit, 16 kHz) and prints the findings, one JSON line a file:
//     sound_bench MODEL_DIR [--trace] [--only-music] [file.raw ...]        without files: standard
//     input
// By hand, and by sound_eval.py; see there.

#include "music_evidence.hpp"
#include "sound.hpp"
#include "sound_resample.hpp"
#include "speech.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace {

namespace sound = reelsd::media::sound;
using json = nlohmann::ordered_json;

std::vector<std::int16_t> read_samples(std::istream& source) {
    const std::string bytes{std::istreambuf_iterator<char>{source}, {}};
    std::vector<std::int16_t> samples;
    samples.reserve(bytes.size() / 2);
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const auto low = static_cast<unsigned char>(bytes[i]);
        const auto high = static_cast<unsigned char>(bytes[i + 1]);
        samples.push_back(static_cast<std::int16_t>(low | (high << 8U)));
    }
    return samples;
}

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

json trace_of(const std::vector<sound::utterance>& heard) {
    json utterances = json::array();
    for (const auto& utterance : heard) {
        utterances.push_back(
            {{"start_seconds", utterance.start_seconds},
             {"end_seconds", utterance.end_seconds},
             {"text", utterance.heard.text},
             {"log_probability", utterance.heard.log_probability},
             {"no_speech_log_probability", utterance.heard.no_speech_log_probability},
             {"speech", sound::is_speech(utterance)}});
    }
    return utterances;
}

json evidence_of(std::span<const float> samples) {
    const auto spectra = sound::spectra_of(samples);
    json blocks = json::array();
    for (const auto& block : sound::music_blocks(spectra)) blocks.push_back(block.tonality());
    std::vector<float> onsets;
    for (const auto& spectrum : spectra) onsets.push_back(spectrum.onset);
    const auto beat = sound::beat_of(onsets);
    return {
        {"blocks", blocks}, {"beat", beat.regularity}, {"tempo_bpm", beat.tempo_bpm.value_or(0)}};
}

struct options {
    bool trace = false;       ///< Print the evidence as well.
    bool only_music = false;  ///< Recognise no speech: a hundred times as fast.
};

json hear(
    sound::speech_recognizer& recognizer, std::span<const std::int16_t> samples, options settings) {
    json line;
    line["silent"] = sound::is_silent(samples);
    double before = cpu_seconds();
    const auto heard =
        settings.only_music ? std::vector<sound::utterance>{} : recognizer.listen(samples);
    const auto speech = sound::to_report(heard);
    line["speech_cpu_seconds"] = cpu_seconds() - before;
    line["doubtful"] = speech.doubtful;
    line["segments"] = json::array();
    for (const auto& segment : speech.segments) {
        line["segments"].push_back(
            {{"text", segment.text},
             {"start_seconds", segment.start_seconds},
             {"end_seconds", segment.end_seconds}});
    }
    if (settings.trace) line["trace"] = trace_of(heard);
    const auto resampled = sound::at_music_rate(samples);
    before = cpu_seconds();
    const auto music = sound::detect_music(resampled, speech.segments);
    line["music_cpu_seconds"] = cpu_seconds() - before;
    if (settings.trace) line["evidence"] = evidence_of(resampled);
    json& out = line["music"];
    out["present"] = music.present;
    if (music.start_seconds) out["start_seconds"] = *music.start_seconds;
    if (music.tempo_bpm) out["tempo_bpm"] = *music.tempo_bpm;
    out["strong_beat"] = music.strong_beat;
    out["under_speech"] = music.under_speech;
    out["level"] = music.level;
    out["brightness"] = music.brightness;
    return line;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments{argv + 1, argv + argc};
    if (arguments.empty()) {
        std::cerr << "usage: sound_bench MODEL_DIR [--trace] [--only-music] [file.raw ...]\n";
        return 2;
    }
    const auto recognizer = sound::speech_recognizer::load(arguments[0]);
    if (!recognizer) {
        std::cerr << recognizer.error().to_string() << '\n';
        return 1;
    }
    options settings;
    bool any_file = false;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        if (arguments[i] == "--trace") {
            settings.trace = true;
            continue;
        }
        if (arguments[i] == "--only-music") {
            settings.only_music = true;
            continue;
        }
        any_file = true;
        std::ifstream file{arguments[i], std::ios::binary};
        json line = hear(**recognizer, read_samples(file), settings);
        line["file"] = arguments[i];
        std::cout << line.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
    }
    if (!any_file) std::cout << hear(**recognizer, read_samples(std::cin), settings).dump() << '\n';
    return 0;
}
