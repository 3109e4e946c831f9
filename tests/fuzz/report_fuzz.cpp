// Random and mutated output of the media helper, as of a compromised decoder. It comes from
// tests/fuzz/report_corpus, a line each.
//
//   report_fuzz [OUTPUTS [SEED]]      500 outputs for each report and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when a guarantee of the headers is violated, or
// when a sanitizer finds an error. The same seed gives the same outputs.
#include "media/child_document.hpp"
#include "reader_fuzz.hpp"
#include "support/paths.hpp"
#include <reelsd/base/base64.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <algorithm>
#include <array>

namespace reelsd::fuzz {
namespace {

using namespace media;

/// A detail names the invalid member, or is the helper's (at most 500 bytes).
constexpr std::size_t detail_bytes_max = 600;
constexpr std::array<double, 3> asked_moments{0, 1.5, 12.25};

std::string broken_error(const error& why) {
    const bool is_allowed = why.code() == errc::media_failed ||
                            why.code() == errc::unsupported_format ||
                            why.code() == errc::video_too_long;
    if (!is_allowed) return "a code that the helper must not choose";
    if (why.detail().size() > detail_bytes_max) return "a detail that cannot be logged";
    return is_clean_text(why.detail()) ? "" : "a detail that is not clean text";
}

bool lies_within(const std::vector<timed_text>& texts, double duration) {
    return std::all_of(texts.begin(), texts.end(), [duration](const timed_text& line) {
        return line.start_seconds >= 0 && line.start_seconds <= line.end_seconds &&
               line.end_seconds <= duration && is_clean_text(line.text) &&
               line.text.size() <= report_bounds::text_bytes_max;
    });
}

std::string broken(const probe_report& report) {
    const bool is_bounded = report.duration_seconds >= 0 &&
                            report.duration_seconds <= report_bounds::duration_seconds_max &&
                            report.width >= 1 && report.width <= report_bounds::side_pixels_max &&
                            report.height >= 1 && report.height <= report_bounds::side_pixels_max &&
                            report.frame_rate >= 0 &&
                            report.frame_rate <= report_bounds::frame_rate_max;
    return is_bounded && is_clean_text(report.video_codec) ? "" : "a probe out of bounds";
}

bool is_jpeg(const std::vector<std::byte>& bytes, const thumbnail_bounds& within) {
    return bytes.size() >= 4 && bytes.size() <= within.bytes_max && bytes[0] == std::byte{0xff} &&
           bytes[1] == std::byte{0xd8} && bytes[bytes.size() - 2] == std::byte{0xff} &&
           bytes.back() == std::byte{0xd9};
}

std::string broken(const thumbnail_report& report) {
    return is_jpeg(report.jpeg, report_bounds::large_thumbnail) &&
                   is_jpeg(report.small_jpeg, report_bounds::small_thumbnail)
               ? ""
               : "a thumbnail that is no picture";
}

std::string broken(const analysis_report& report) {
    const double duration = report.probe.duration_seconds;
    if (auto why = broken(report.probe); !why.empty()) return why;
    if (!lies_within(report.texts, duration)) return "texts out of bounds";
    if (!lies_within(report.audio.speech.segments, duration)) return "speech out of bounds";
    const auto& cuts = report.picture.cuts;
    const bool ascend = std::is_sorted(cuts.begin(), cuts.end());
    const bool are_inside = cuts.empty() || (cuts.front() >= 0 && cuts.back() <= duration);
    if (!ascend || !are_inside || cuts.size() > report_bounds::cuts_max) return "strange cuts";
    if (report.picture.colours.size() > report_bounds::colours_max) return "too many colours";
    return report.thumbnail ? broken(*report.thumbnail) : "";
}

std::string broken(const frames_report& report) {
    std::uint64_t end = 0;
    double before = -1;
    for (const auto& frame : report.frames) {
        if (frame.offset != end || frame.seconds <= before || frame.bytes == 0)
            return "pictures out of order";
        end += frame.bytes;
        before = frame.seconds;
    }
    const auto count = report.frames.size();
    return count >= 1 && count <= report_bounds::frames_max ? "" : "too many pictures, or none";
}

std::string broken(const check_report& report) {
    for (const auto& text : report.texts) {
        const bool was_asked =
            std::find(asked_moments.begin(), asked_moments.end(), text.start_seconds) !=
            asked_moments.end();
        if (!was_asked || text.end_seconds != text.start_seconds) return "another moment";
    }
    const bool fits = !report.silent || !report.speech.value_or(false);
    return fits && report.texts.size() <= report_bounds::checked_texts_max ? "" : "a strange check";
}

std::string broken(const std::optional<sound_report>& report) {
    if (!report) return "";
    const bool is_sane = report->seconds >= 0 &&
                         report->seconds <= report_bounds::duration_seconds_max &&
                         report->bytes >= report_bounds::sound_head_bytes;
    return is_sane ? "" : "a strange sound";
}

std::string broken(const output_report& report) {
    return report.bytes >= 1 && report.bytes <= report_bounds::output_bytes_max ? ""
                                                                                : "a strange size";
}

/// A report is the same when it is written and read again. Documents have three decimals; times
/// with more may collide with their neighbours after rounding.
template <class Report, class Parse>
std::string broken_round_trip(const Report& report, Parse parse) {
    const auto written = to_json(report);
    const auto again = parse(json::parse(written.dump()));
    if (again && to_json(*again) != written) return "its own document is read otherwise";
    if (again || written.dump().find("seconds") != std::string::npos) return "";
    return "its own document is refused: " + again.error().detail();
}

/// One report, from the helper's bytes to the value.
template <class Parse>
std::function<reading(std::string_view)> reader_with(Parse parse) {
    return [parse](std::string_view output) -> reading {
        process::child_end end;
        end.outcome = process::child_outcome::exited;
        end.output = output;
        const auto document = document_of(end);
        if (!document) return {.violation = broken_error(document.error())};
        const auto report = parse(*document);
        if (!report) {
            const bool is_ours = report.error().code() == errc::media_failed;
            return {.violation = is_ours ? broken_error(report.error()) : "another error's code"};
        }
        auto why = broken(*report);
        if (why.empty()) why = broken_round_trip(*report, parse);
        return {.violation = std::move(why), .accepted = true};
    };
}

/// Any end of a child: the bytes are its output, and the first one selects how it ended.
reading read_any_end(std::string_view bytes) {
    using process::child_outcome;
    constexpr auto outcomes = std::to_array<child_outcome>(
        {child_outcome::exited,
         child_outcome::signalled,
         child_outcome::overdue,
         child_outcome::stopped,
         child_outcome::flooding,
         child_outcome::not_started});
    process::child_end end;
    const auto first = bytes.empty() ? 0U : static_cast<unsigned char>(bytes.front());
    end.outcome = outcomes[first % outcomes.size()];
    end.status = static_cast<int>(bytes.size() % 130);
    end.output = bytes.substr(std::min<std::size_t>(bytes.size(), 1));
    end.error_output = end.output.substr(0, process::child_error_output_bytes_max);
    const auto document = document_of(end);
    if (document) {
        const bool may_be = end.outcome == child_outcome::exited && end.status == 0;
        return {.violation = may_be ? "" : "a document of a failed run", .accepted = true};
    }
    const bool is_stop = document.error().code() == errc::cancelled;
    const bool fits = is_stop == (end.outcome == child_outcome::stopped);
    return {.violation = fits ? "" : "a stop is a stop", .accepted = true};
}

/// Decoding is the inverse of encoding.
reading read_base64(std::string_view text) {
    const auto bytes = base64_decoded(text);
    if (!bytes) return {};
    const bool is_same = base64_encoded(*bytes) == text;
    return {.violation = is_same ? "" : "another text", .accepted = true};
}

reading read_clean_text(std::string_view text) {
    if (!is_clean_text(text)) return {};
    try {
        const auto dumped = json(text).dump();  // Throws for invalid UTF-8.
        const bool is_same = json::parse(dumped) == json(text);
        return {.violation = is_same ? "" : "another text", .accepted = true};
    } catch (const json::exception&) {
        return {.violation = "no UTF-8"};
    }
}

std::vector<reader_check> report_checks() {
    const std::filesystem::path corpus{REELSD_SOURCE_DIR "/tests/fuzz/report_corpus"};
    const auto check = [](const json& document) {
        return check_report_from_json(document, asked_moments);
    };
    return {
        {"probe", lines_of(corpus / "probe.txt"), reader_with(probe_report_from_json)},
        {"analysis", lines_of(corpus / "analysis.txt"), reader_with(analysis_report_from_json)},
        {"thumbnail", lines_of(corpus / "thumbnail.txt"), reader_with(thumbnail_report_from_json)},
        {"frames", lines_of(corpus / "frames.txt"), reader_with(frames_report_from_json)},
        {"sound", lines_of(corpus / "sound.txt"), reader_with(sound_report_from_json)},
        {"check", lines_of(corpus / "check.txt"), reader_with(check)},
        {"output", lines_of(corpus / "output.txt"), reader_with(output_report_from_json)},
        {"any end", lines_of(corpus / "ends.txt"), read_any_end},
        {"base64", lines_of(corpus / "base64.txt"), read_base64},
        {"clean text", lines_of(corpus / "texts.txt"), read_clean_text},
    };
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    using namespace reelsd::fuzz;
    constexpr std::size_t outputs_usual = 500;
    return fuzz_readers(report_checks(), {}, run_from(count, values, outputs_usual));
}
