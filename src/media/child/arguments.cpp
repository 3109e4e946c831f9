#include "arguments.hpp"

#include <reelsd/base/parse_number.hpp>

#include <filesystem>
#include <limits>
#include <system_error>

namespace reelsd::media {
namespace {

/// Sets `number` if `text` is a number from `least` to `most`; rejects NaN.
template <class Number>
bool set_number(Number& number, std::string_view text, Number least, Number most) {
    const auto given = parse_number<Number>(text);
    if (!given || !(*given >= least && *given <= most)) return false;
    number = *given;
    return true;
}

bool set_text(std::string& set, std::string_view value) {
    set = value;
    return true;
}

bool set_policy(jail_policy& policy, std::string_view name) {
    const auto given = jail_policy_named(name);
    policy = given.value_or(policy);
    return given.has_value();
}

/// False for an unknown option or an invalid value.
bool set_option(arguments& given, std::string_view name, std::string_view value) {
    constexpr double positive_min = 0.001;
    namespace bounds = report_bounds;
    auto& [per_second, count_max, long_edge] = given.frames;
    if (name == "--video") return set_text(given.video, value);
    if (name == "--sound") return set_text(given.sound, value);
    if (name == "--text-models") return set_text(given.text_models, value);
    if (name == "--speech-models") return set_text(given.speech_models, value);
    if (name == "--seconds-max")
        return set_number(given.seconds_max, value, positive_min, bounds::duration_seconds_max);
    if (name == "--per-second")
        return set_number(per_second, value, positive_min, bounds::frames_per_second_max);
    if (name == "--count-max")
        return set_number(count_max, value, std::size_t{1}, bounds::frames_max);
    if (name == "--long-edge")
        return set_number(
            long_edge, value, bounds::frame_side_pixels_min, bounds::frame_side_pixels_max);
    if (name == "--at") return set_moments(given.at_seconds, value);
    if (name == "--stills-max")
        return set_number(given.stills_max, value, std::size_t{1}, bounds::stills_max);
    if (name == "--jail") return set_policy(given.jail, value);
    if (name == "--parent")
        return set_number(given.parent, value, 1, std::numeric_limits<int>::max());
    return false;
}

error wrong(std::string_view what, std::string_view value) {
    return error{errc::invalid_argument, std::string{what} + ": " + std::string{value}};
}

}  // namespace

bool set_moments(std::vector<double>& moments, std::string_view text) {
    moments.clear();
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = text.find(',');
        double moment = 0;
        const double least = moments.empty() ? 0 : moments.back();
        if (moments.size() == report_bounds::stills_max ||
            !set_number(moment, text.substr(0, end), least, report_bounds::duration_seconds_max)) {
            return false;
        }
        moments.push_back(moment);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return true;
}

std::string installed_models(std::string_view folder) {
    std::error_code failure;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
    // Built: bin/reelsd-media; installed: libexec/reelsd/reelsd-media.
    auto prefix = program.parent_path().parent_path();
    if (prefix.filename() == "libexec") prefix = prefix.parent_path();
    return prefix / "share" / "reelsd" / folder;
}

result<arguments> read_arguments(int count, const char* const* values) {
    if (count < 2) return error{errc::invalid_argument, "no command"};
    const auto named = enum_from<enum command>(values[1]);
    if (!named) return wrong("unknown command", values[1]);
    arguments given;
    given.command = *named;
    for (int at = 2; at < count; at += 2) {
        if (at + 1 == count) return wrong("no value for", values[at]);
        if (!set_option(given, values[at], values[at + 1]))
            return wrong(
                std::string{values[at]} + " is unknown or takes no such value", values[at + 1]);
    }
    const bool reads_video = given.command != command::doctor && given.command != command::jail;
    if (reads_video && given.video.empty()) {
        return error{errc::invalid_argument, "no --video"};
    }
    if (given.command == command::join && given.sound.empty()) {
        return error{errc::invalid_argument, "no --sound"};
    }
    if (given.command == command::stills && given.at_seconds.empty()) {
        return error{errc::invalid_argument, "no --at"};
    }
    if (given.command == command::check &&
        given.at_seconds.size() > report_bounds::checked_moments_max) {
        return error{errc::invalid_argument, "--at has too many moments"};
    }
    return given;
}

const char* usage() noexcept {
    return "usage: reelsd-media probe     --video FILE [--seconds-max N]\n"
           "       reelsd-media analyze   --video FILE [--seconds-max N] [--text-models DIR] "
           "[--speech-models DIR] [--stills-max N]\n"
           "       reelsd-media thumbnail --video FILE [--seconds-max N]\n"
           "       reelsd-media join      --video FILE --sound FILE [--seconds-max N] 3<>OUTPUT\n"
           "       reelsd-media frames    --video FILE [--seconds-max N] [--per-second N] "
           "[--count-max N] [--long-edge PIXELS] 3<>OUTPUT\n"
           "       reelsd-media stills    --video FILE [--seconds-max N] --at SECONDS,...\n"
           "       reelsd-media sound     --video FILE [--seconds-max N] 3<>OUTPUT\n"
           "       reelsd-media check     --video FILE [--seconds-max N] [--at SECONDS,...] "
           "[--text-models DIR]\n"
           "       reelsd-media listen    --video FILE [--seconds-max N] [--speech-models DIR]\n"
           "       reelsd-media transcode --video FILE [--seconds-max N] 3<>OUTPUT\n"
           "       reelsd-media jail\n"
           "       reelsd-media doctor    [--text-models DIR] [--speech-models DIR]\n"
           "       reelsd-media fence     [--read PATH]... [--write DIR]... [--connect PORT]... "
           "-- PROGRAM [ARGUMENT]...\n"
           "Each takes [--jail require|best-effort]; the default is require.\n"
           "Writes one JSON document, {\"ok\": ...} or {\"error\": {\"code\": ..., \"detail\": "
           "...}}.\n"
           "With --stills-max, analyze then reads SECONDS,... from standard input to its end, and "
           "writes the stills\n"
           "of these moments as a second document.\n";
}

}  // namespace reelsd::media
