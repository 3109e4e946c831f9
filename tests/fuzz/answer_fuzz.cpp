// Random and mutated answers of remote models through read_answer(). They come from
// tests/fuzz/answer_corpus.
//
//   answer_fuzz [ANSWERS [SEED]]      500 answers and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when a guarantee of the header is violated, or
// when a sanitizer finds an error. The same seed gives the same answers.
#include "answer_maker.hpp"
#include "model/answer.hpp"
#include "reader_fuzz.hpp"
#include "support/paths.hpp"
#include "support/result_check.hpp"
#include "unit/model/builders.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace reelsd::fuzz {
namespace {

using namespace model;

constexpr std::size_t answers_usual = 500;
constexpr std::string_view boundary = "q7f3-caption";
/// A usual video, a very short one, and one that is longer than any time in the corpus.
constexpr std::array<double, 3> durations{30, 0.04, 3600};

json to_json(const std::vector<timed_text>& entries) {
    auto list = json::array();
    for (const auto& entry : entries) {
        list.push_back(
            {{"text", entry.text}, {"start", entry.start_seconds}, {"end", entry.end_seconds}});
    }
    return list;
}

json or_null(const std::optional<std::string>& text) {
    return text ? json(*text) : json(nullptr);
}

/// The findings as an answer of the schema, which is the same when read again.
json to_answer(const findings& parsed) {
    auto moments = json::array();
    for (const auto& moment : parsed.content.key_moments) {
        moments.push_back({{"time", moment.seconds}, {"description", moment.description}});
    }
    return {
        {"visual",
         {{"text_segments", to_json(parsed.visual.texts)},
          {"subjects", parsed.visual.subjects},
          {"setting", parsed.visual.setting},
          {"description", parsed.visual.description}}},
        {"audio",
         {{"segments", to_json(parsed.audio.segments)},
          {"language", or_null(parsed.audio.language)},
          {"has_music", parsed.audio.has_music},
          {"music_description", parsed.audio.music_description},
          {"music_title", nullptr},
          {"music_artist", nullptr}}},
        {"content",
         {{"hooks", parsed.content.hooks},
          {"key_moments", moments},
          {"call_to_action", or_null(parsed.content.call_to_action)},
          {"topics", parsed.content.topics},
          {"summary", parsed.content.summary}}},
        {"metadata",
         {{"format", parsed.metadata.format},
          {"target_audience", parsed.metadata.target_audience},
          {"sentiment", name_of(parsed.metadata.mood)}}}};
}

bool lies_within(const std::vector<timed_text>& entries, double duration) {
    double before = 0;
    return std::all_of(entries.begin(), entries.end(), [&](const timed_text& entry) {
        const bool ascends = before <= entry.start_seconds;
        before = entry.start_seconds;
        return ascends && entry.start_seconds <= entry.end_seconds && entry.end_seconds <= duration;
    });
}

bool lies_within(const std::vector<key_moment>& moments, double duration) {
    return std::all_of(moments.begin(), moments.end(), [&](const key_moment& moment) {
        return moment.seconds >= 0 && moment.seconds <= duration;
    });
}

std::string broken_document(const findings& parsed, double duration) {
    auto whole = parsed;
    whole.provider = "gemini";
    whole.model_name = "any";
    file_facts file;
    file.probe = {
        .duration_seconds = duration,
        .width = 720,
        .height = 1280,
        .frame_rate = 30,
        .video_codec = "h264",
        .audio_codec = "aac"};
    file.size_bytes = 1;
    file.sha256 = std::string(64, 'a');
    const auto document = assemble_result(whole, file, testing::make_post());
    if (!document) return "no document: " + std::string{document.error().detail()};
    const auto violations = result_violations(*document);
    return violations.empty() ? "" : "an invalid document: " + violations.front();
}

std::string violation_of(const findings& parsed, double duration) {
    if (!parsed.provider.empty() || !parsed.model_name.empty() || !parsed.warnings.empty())
        return "something that is for the caller to say";
    if (!lies_within(parsed.visual.texts, duration) ||
        !lies_within(parsed.audio.segments, duration) ||
        !lies_within(parsed.content.key_moments, duration))
        return "times outside of the video, or out of order";
    auto broken = broken_document(parsed, duration);
    if (!broken.empty()) return broken;

    const auto answer = to_answer(parsed);
    if (answer.dump().find(boundary) != std::string::npos) return "the tag got through";
    const auto again =
        read_answer(answer.dump(), {.duration_seconds = duration, .boundary = boundary});
    if (!again.reported) return "its own output is refused: " + again.violations.front();
    if (!again.violations.empty()) return "its own output is wrong: " + again.violations.front();
    if (!again.warnings.empty()) return "its own output is doubtful: " + again.warnings.front();
    return to_answer(*again.reported) == answer ? "" : "its own output is read otherwise";
}

std::string violation_of(const parsed_sections& reading, double duration) {
    if (reading.violations.size() > 10) return "too many violations";
    for (const auto& violation : reading.violations) {
        if (violation.find(boundary) != std::string::npos) return "the tag in a violation";
    }
    if (reading.reported) return violation_of(*reading.reported, duration);
    return reading.violations.empty() ? "neither findings nor a violation" : "";
}

struct run_counts {
    std::size_t said = 0;
    std::size_t without_violation = 0;
};

/// The violated guarantee; empty for none.
std::string try_one(std::string_view answer, double duration, run_counts& counts) {
    try {
        const auto reading =
            read_answer(answer, {.duration_seconds = duration, .boundary = boundary});
        if (reading.reported) ++counts.said;
        if (reading.reported && reading.violations.empty()) ++counts.without_violation;
        return violation_of(reading, duration);
    } catch (const std::exception& thrown) {
        return std::string{"thrown: "} + thrown.what();
    }
}

int run(std::size_t answers, std::uint64_t seed) {
    answer_maker maker{seed, files_of(REELSD_SOURCE_DIR "/tests/fuzz/answer_corpus")};
    answers += maker.corpus_size();
    run_counts counts;
    for (std::size_t number = 0; number < answers; ++number) {
        const auto answer = maker.make(number);
        for (const auto duration : durations) {
            const auto broken = try_one(answer, duration, counts);
            if (broken.empty()) continue;
            std::fprintf(
                stderr,
                "%s\nanswer %zu of seed %llu, %g s:\n",
                broken.c_str(),
                number,
                static_cast<unsigned long long>(seed),
                duration);
            std::fwrite(answer.data(), 1, answer.size(), stderr);
            return EXIT_FAILURE;
        }
    }
    std::printf(
        "%zu answers of seed %llu, %zu durations: %zu readings say something, %zu are whole\n",
        answers,
        static_cast<unsigned long long>(seed),
        durations.size(),
        counts.said,
        counts.without_violation);
    // Generated answers that are never accepted would find nothing.
    return counts.without_violation > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    const auto answers =
        count > 1 ? std::strtoull(values[1], nullptr, 10) : reelsd::fuzz::answers_usual;
    const auto seed = count > 2 ? std::strtoull(values[2], nullptr, 10) : 1;
    return reelsd::fuzz::run(answers, seed);
}
