#include "model_settings.hpp"

#include "setting_readers.hpp"
#include <reelsd/model/price_table.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace reelsd::app {
namespace {

using sv = std::string_view;

bool is_one_of(sv text, std::initializer_list<sv> allowed) {
    return std::find(allowed.begin(), allowed.end(), text) != allowed.end();
}

bool read_word(sv text, std::initializer_list<sv> allowed, std::string& target) {
    if (!is_one_of(text, allowed)) return false;
    target = text;
    return true;
}

bool read_analyzers(sv text, std::vector<std::string>& target) {
    if (text == "auto") {
        target = {"auto"};
        return true;
    }
    std::vector<std::string> names;
    if (!read_list(text, names)) return false;
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (!is_one_of(*name, {"gemini", "openai", "local"})) return false;
        if (std::find(names.begin(), name, *name) != name) return false;
    }
    target = std::move(names);
    return true;
}

/// Becomes part of an address or a header field: no blanks and nothing that has a meaning there.
bool read_plain(sv text, std::string& target) {
    const bool is_plain = std::all_of(
        text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~' && c != '"'; });
    return is_plain && read_field(text, target);
}

bool read_gemini_model(sv text, std::string& target) {
    return text.find_first_of("/?#%:\\") == sv::npos && read_plain(text, target);
}

bool read_thinking(sv text, std::string& target) {
    constexpr int tokens_max = 32'768;
    int tokens = 0;
    if (read_integer(text, -1, tokens_max, tokens)) {
        target = text;
        return true;
    }
    return read_word(text, {"auto", "none", "minimal", "low", "medium", "high"}, target);
}

bool read_mode(sv text, model::openai_mode& target) {
    constexpr std::array<std::pair<sv, model::openai_mode>, 4> modes{
        {{"video", model::openai_mode::video},
         {"video+audio", model::openai_mode::video_audio},
         {"frames+audio", model::openai_mode::frames_audio},
         {"frames", model::openai_mode::frames}}};
    for (const auto& [name, mode] : modes) {
        if (name != text) continue;
        target = mode;
        return true;
    }
    return false;
}

bool read_prices(sv text, std::string& target) {
    model::price_table tried;
    return tried.put_first(text).has_value() && read_text(text, target);
}

bool read_answer_time(sv text, std::chrono::seconds& target) {
    std::int64_t seconds = 0;
    if (!read_integer<std::int64_t>(text, 1, 600, seconds)) return false;
    target = std::chrono::seconds{seconds};
    return true;
}

constexpr auto definitions = std::to_array<setting_definition>({
    {"analyzer",
     "auto",
     "what analyses a video, in order: the next when one is down; auto: the first with a key",
     "auto, or a list of: gemini, openai, local, each once",
     [](sv text, settings& s) { return read_analyzers(text, s.analyzers); }},
    {"gemini-api-key",
     "",
     "key of Google's Gemini API; better as an environment variable (GEMINI_API_KEY)",
     "a key",
     [](sv text, settings& s) { return read_plain(text, s.gemini.key); }},
    {"gemini-url",
     "https://generativelanguage.googleapis.com",
     "where that API is, without version path",
     "an address such as https://generativelanguage.googleapis.com",
     [](sv text, settings& s) { return read_base_address(text, s.gemini.url); }},
    {"gemini-model",
     "gemini-3.8-flash",
     "its model",
     "a model's name",
     [](sv text, settings& s) { return read_gemini_model(text, s.gemini.model); }},
    {"gemini-thinking",
     "auto",
     "how much it thinks, which costs: auto as little as usually needed, none not said",
     "auto, none, minimal, low, medium, high or a number of tokens from -1 to 32768",
     [](sv text, settings& s) { return read_thinking(text, s.gemini.thinking); }},
    {"gemini-media-resolution",
     "high",
     "how closely it looks at pictures; small writing needs high",
     "none, low, medium or high",
     [](sv text, settings& s) {
         return read_word(text, {"none", "low", "medium", "high"}, s.gemini.media_resolution);
     }},
    {"gemini-frame-rate",
     "0",
     "pictures a second that it looks at; 0: 2 in videos of up to 45 s, else 1",
     "a number from 0 to 24",
     [](sv text, settings& s) { return read_number(text, 0, 24, s.gemini.frame_rate); }},
    {"gemini-inline-bytes-max",
     "14680064",
     "larger videos are uploaded before they are asked about",
     "bytes from 0 to 73400320",
     [](sv text, settings& s) {
         return read_integer<std::int64_t>(text, 0, 73'400'320, s.gemini.inline_bytes_max);
     }},
    {"gemini-safety-threshold",
     "OFF",
     "from which harm on it refuses to describe; none: its own",
     "none, OFF, BLOCK_NONE, BLOCK_ONLY_HIGH, BLOCK_MEDIUM_AND_ABOVE or BLOCK_LOW_AND_ABOVE",
     [](sv text, settings& s) {
         return read_word(
             text,
             {"none",
              "OFF",
              "BLOCK_NONE",
              "BLOCK_ONLY_HIGH",
              "BLOCK_MEDIUM_AND_ABOVE",
              "BLOCK_LOW_AND_ABOVE"},
             s.gemini.safety_threshold);
     }},
    {"gemini-output-tokens-max",
     "16384",
     "of an answer, thinking included; twice as many when that was not enough",
     "a whole number from 1024 to 32768",
     [](sv text, settings& s) {
         return read_integer(text, 1024, 32'768, s.gemini.output_tokens_max);
     }},
    {"openai-api-key",
     "",
     "key of an OpenAI-compatible server; better as an environment variable (OPENAI_API_KEY)",
     "a key",
     [](sv text, settings& s) { return read_plain(text, s.openai.key); }},
    {"openai-url",
     "https://api.openai.com",
     "where that server is, without version path",
     "an address such as http://127.0.0.1:8000",
     [](sv text, settings& s) { return read_base_address(text, s.openai.url); }},
    {"openai-model",
     "",
     "its model; has to be set to use it",
     "a model's name",
     [](sv text, settings& s) { return read_plain(text, s.openai.model); }},
    {"openai-mode",
     "video+audio",
     "what it is sent: whole videos, or pictures of them, with or without their sound",
     "video, video+audio, frames+audio or frames",
     [](sv text, settings& s) { return read_mode(text, s.openai.mode); }},
    {"openai-video-part",
     "video_url",
     "the kind of message part that takes a video: input_video for llama.cpp, file for LiteLLM",
     "video_url, input_video or file",
     [](sv text, settings& s) {
         return read_word(text, {"video_url", "input_video", "file"}, s.openai.video_part);
     }},
    {"openai-token-limit-name",
     "max_tokens",
     "how it calls the limit of an answer; OpenAI's own: max_completion_tokens",
     "max_tokens or max_completion_tokens",
     [](sv text, settings& s) {
         return read_word(text, {"max_tokens", "max_completion_tokens"}, s.openai.token_limit_name);
     }},
    {"openai-response-format",
     "json_schema",
     "how it is held to the shape of the answer",
     "json_schema, json_object or none",
     [](sv text, settings& s) {
         return read_word(text, {"json_schema", "json_object", "none"}, s.openai.response_format);
     }},
    {"openai-output-tokens-max",
     "16384",
     "of an answer; twice as many when that was not enough",
     "a whole number from 1024 to 131072",
     [](sv text, settings& s) {
         return read_integer(text, 1024, 131'072, s.openai.output_tokens_max);
     }},
    {"model-answer-seconds-max",
     "300",
     "how long a model may take for one answer",
     "whole seconds from 1 to 600",
     [](sv text, settings& s) { return read_answer_time(text, s.remote.answer_time_max); }},
    {"embedder",
     "local",
     "what search compares meanings by, beside the built-in one; remote ones cost",
     "local, gemini or openai",
     [](sv text, settings& s) {
         return read_word(text, {"local", "gemini", "openai"}, s.embedder);
     }},
    {"embedding-model",
     "",
     "its model; without it gemini-embedding-001 or text-embedding-3-small",
     "a model's name",
     [](sv text, settings& s) { return read_gemini_model(text, s.embedding_model); }},
    {"embedding-dimensions",
     "768",
     "size of its vectors; 0: the model's own, not asked for",
     "a whole number from 0 to 3072",
     [](sv text, settings& s) { return read_integer(text, 0, 3072, s.embedding_dimensions); }},
    {"output-language",
     "English",
     "of summaries and descriptions by models; texts and speech stay as they are",
     "a language's name in English",
     [](sv text, settings& s) { return read_field(text, s.remote.output_language); }},
    {"model-prices",
     "",
     "US dollars a million tokens: goes before the table of prices",
     "model=input/output[/cached],... with up to six decimals",
     [](sv text, settings& s) { return read_prices(text, s.model_prices); }},
    {"model-prices-file",
     "",
     "the table of prices; without it the one that comes with the program",
     "a file",
     [](sv text, settings& s) { return read_text(text, s.model_prices_file); }},
});

}  // namespace

std::span<const setting_definition> model_setting_definitions() {
    return definitions;
}

}  // namespace reelsd::app
