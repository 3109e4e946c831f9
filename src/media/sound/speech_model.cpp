#include "speech_model.hpp"

#include "sound.hpp"
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <string_view>

namespace reelsd::media::sound {
namespace {

// The network's own sizes.
constexpr std::int64_t layers = 8;
constexpr std::int64_t heads = 8;
constexpr std::int64_t head_size = 52;
constexpr std::size_t vocabulary_size = 32'000;

constexpr std::int64_t start_token = 1;
constexpr std::int64_t end_token = 2;
/// Fast speech has 5 tokens a second; the authors of the network allow 6.
constexpr double tokens_per_second_max = 6.5;
/// For ranges of less than a second.
constexpr std::size_t tokens_min = 4;

/// The text of a line of the vocabulary: "<0x0A>" is a byte, U+2581 a space.
std::string text_of(const std::string& line) {
    constexpr std::string_view byte_mark = "<0x";
    constexpr std::string_view space_mark = "\u2581";
    if (line.starts_with(byte_mark) && line.size() == 6) {
        unsigned char byte = 0;
        std::from_chars(line.data() + byte_mark.size(), line.data() + 5, byte, 16);
        return {static_cast<char>(byte)};
    }
    std::string text = line;
    for (auto at = text.find(space_mark); at != text.npos; at = text.find(space_mark, at)) {
        text.replace(at, space_mark.size(), " ");
    }
    return text;
}

std::vector<std::string> read_vocabulary(const std::string& path) {
    std::ifstream lines{path, std::ios::binary};
    std::vector<std::string> vocabulary;
    for (std::string line; std::getline(lines, line);) vocabulary.push_back(text_of(line));
    // The first three stand for unknown text, the start and the end, and have no text.
    constexpr std::size_t without_text = 3;
    for (std::size_t i = 0; i < std::min(without_text, vocabulary.size()); ++i)
        vocabulary[i].clear();
    return vocabulary;
}

/// Names of the keys and values of all layers, such as "present.3.encoder.key".
std::vector<std::string> names_of(const std::string& prefix, const std::string& side) {
    std::vector<std::string> names;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        std::string start = prefix;
        start.append(".").append(std::to_string(layer)).append(".").append(side);
        names.push_back(start + ".key");
        names.push_back(start + ".value");
    }
    return names;
}

std::vector<const char*> pointers_to(std::span<const std::string> names) {
    std::vector<const char*> pointers;
    for (const std::string& name : names) pointers.push_back(name.c_str());
    return pointers;
}

/// Logarithm of the sum of what the scores are logarithms of; it makes them probabilities.
double log_total(std::span<const float> scores) {
    const float most = *std::ranges::max_element(scores);
    double sum = 0;
    for (const float score : scores) sum += std::exp(static_cast<double>(score - most));
    return static_cast<double>(most) + std::log(sum);
}

}  // namespace

result<speech_model> speech_model::load(const std::string& folder) {
    auto encoder = neural_model::load(folder + "/encoder.onnx", memory_between_runs::returned);
    if (!encoder) return encoder.error();
    auto decoder = neural_model::load(folder + "/decoder.onnx", memory_between_runs::returned);
    if (!decoder) return decoder.error();
    auto vocabulary = read_vocabulary(folder + "/vocabulary.txt");
    if (vocabulary.size() != vocabulary_size)
        return error{errc::media_failed, "not the whole vocabulary: " + folder + "/vocabulary.txt"};
    speech_model loaded{*std::move(encoder), *std::move(decoder), std::move(vocabulary)};
    try {
        std::vector<float> silence(speech_rate_hz / 2);
        static_cast<void>(loaded.decode(silence));
    } catch (const neural_failure& failure) {
        return error{
            errc::media_failed, "cannot use the networks in " + folder + ": " + failure.what()};
    }
    return loaded;
}

speech_model::speech_model(
    neural_model encoder, neural_model decoder, std::vector<std::string> vocabulary)
    : encoder_{std::move(encoder)},
      decoder_{std::move(decoder)},
      vocabulary_{std::move(vocabulary)} {}

decoding speech_model::decode(std::span<float> samples) {
    const double seconds = static_cast<double>(samples.size()) / speech_rate_hz;
    const auto tokens_max =
        tokens_min + static_cast<std::size_t>(std::ceil(tokens_per_second_max * seconds));
    const auto sound = encode(samples);
    std::vector<tensor> text;
    decoding heard;
    std::int64_t token = start_token;
    std::size_t count = 0;
    while (count < tokens_max && !heard.ended) {
        const tensor computed = next(token, sound, text);
        const auto scores = decoder_.values_of(computed);
        const double total = log_total(scores);
        auto best = std::ranges::max_element(scores);
        if (count == 0) {
            heard.no_speech_log_probability = scores[end_token] - total;
            // Takes the most probable text even if silence is more probable. The caller compares
            // both probabilities.
            best = std::ranges::max_element(scores.subspan(end_token + 1));
        }
        token = static_cast<std::int64_t>(&*best - scores.data());
        heard.log_probability += *best - total;
        heard.ended = token == end_token;
        // Tokens that follow the vocabulary have no text.
        if (static_cast<std::size_t>(token) < vocabulary_.size())
            heard.text += vocabulary_[static_cast<std::size_t>(token)];
        ++count;
    }
    heard.log_probability /= static_cast<double>(count);
    heard.text = trimmed(heard.text);
    return heard;
}

std::vector<tensor> speech_model::encode(std::span<float> samples) {
    static const auto output_names = names_of("present", "encoder");
    constexpr const char* input_name = "input_values";
    const std::array<std::int64_t, 2> sizes{1, static_cast<std::int64_t>(samples.size())};
    const tensor sound = encoder_.tensor_of(samples, sizes);
    const onnx::value* const inputs = sound.get();
    return encoder_.run({&input_name, 1}, {&inputs, 1}, pointers_to(output_names));
}

tensor speech_model::next(
    std::int64_t token, std::span<const tensor> sound, std::vector<tensor>& text) {
    static const auto text_names = names_of("past_key_values", "decoder");
    static const auto sound_names = names_of("past_key_values", "encoder");
    static const auto output_names = names_of("present", "decoder");
    std::array<std::int64_t, 1> tokens{token};
    std::array<float, 1> nothing{};
    constexpr std::array<std::int64_t, 2> one_token{1, 1};
    constexpr std::array<std::int64_t, 4> empty{1, heads, 0, head_size};
    while (text.size() < text_names.size())
        text.push_back(decoder_.tensor_of(std::span{nothing}.first(0), empty));
    const tensor last = decoder_.tensor_of(std::span<std::int64_t>{tokens}, one_token);

    std::vector<const char*> input_names{"input_ids"};
    std::vector<const onnx::value*> inputs{last.get()};
    const auto add = [&](std::span<const std::string> names, std::span<const tensor> values) {
        for (const std::string& name : names) input_names.push_back(name.c_str());
        for (const tensor& value : values) inputs.push_back(value.get());
    };
    add(text_names, text);
    add(sound_names, sound);
    std::vector<const char*> results{"logits"};
    for (const std::string& name : output_names) results.push_back(name.c_str());
    auto computed = decoder_.run(input_names, inputs, results);
    std::move(computed.begin() + 1, computed.end(), text.begin());
    return std::move(computed.front());
}

}  // namespace reelsd::media::sound
