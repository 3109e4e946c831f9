#include "arguments.hpp"

#include <reelsd/media/report.hpp>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace reelsd::media {
namespace {

error wrong(std::string_view what, std::string_view value) {
    return error{errc::invalid_argument, std::string{what} + ": " + std::string{value}};
}

/// The whole of `text` as a number.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number value{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<command> command_named(std::string_view name) {
    static constexpr auto commands = std::to_array<std::pair<std::string_view, command>>({
        {"probe", command::probe},
        {"analyze", command::analyze},
        {"thumbnail", command::thumbnail},
        {"join", command::join},
        {"frames", command::frames},
        {"sound", command::sound},
        {"check", command::check},
        {"transcode", command::transcode},
        {"jail", command::jail},
        {"doctor", command::doctor},
    });
    for (const auto& [known, meant] : commands) {
        if (name == known) return meant;
    }
    return std::nullopt;
}

/// Sets `number` when `text` is one from `least` to `most`; written so that a NaN is none.
template <class Number>
bool set_number(Number& number, std::string_view text, Number least, Number most) {
    const auto given = number_in<Number>(text);
    if (!given || !(*given >= least && *given <= most)) return false;
    number = *given;
    return true;
}

/// "3.5,7.25": ascending, at most `report_bounds::checked_moments_max`.
bool set_moments(std::vector<double>& moments, std::string_view text) {
    moments.clear();
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = text.find(',');
        double moment = 0;
        const double least = moments.empty() ? 0 : moments.back();
        if (moments.size() == report_bounds::checked_moments_max ||
            !set_number(moment, text.substr(0, end), least, report_bounds::duration_seconds_max)) {
            return false;
        }
        moments.push_back(moment);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return true;
}

bool set_text(std::string& set, std::string_view value) {
    set = value;
    return true;
}

/// An option, and what takes its value: false when it is none.
struct option {
    std::string_view name;
    bool (*set)(arguments& given, std::string_view value);
};

/// The least of what is over 0: a thousandth.
constexpr double positive_min = 0.001;

constexpr auto options = std::to_array<option>({
    {"--video",
     [](arguments& given, std::string_view value) { return set_text(given.video, value); }},
    {"--sound",
     [](arguments& given, std::string_view value) { return set_text(given.sound, value); }},
    {"--tessdata",
     [](arguments& given, std::string_view value) { return set_text(given.tessdata, value); }},
    {"--speech-model",
     [](arguments& given, std::string_view value) { return set_text(given.speech_model, value); }},
    {"--seconds-max",
     [](arguments& given, std::string_view value) {
         return set_number(
             given.seconds_max, value, positive_min, report_bounds::duration_seconds_max);
     }},
    {"--per-second",
     [](arguments& given, std::string_view value) {
         return set_number(
             given.frames.per_second, value, positive_min, report_bounds::frames_per_second_max);
     }},
    {"--count-max",
     [](arguments& given, std::string_view value) {
         return set_number(
             given.frames.count_max, value, std::size_t{1}, report_bounds::frames_max);
     }},
    {"--long-edge",
     [](arguments& given, std::string_view value) {
         return set_number(
             given.frames.long_edge,
             value,
             report_bounds::frame_side_pixels_min,
             report_bounds::frame_side_pixels_max);
     }},
    {"--at",
     [](arguments& given, std::string_view value) { return set_moments(given.at_seconds, value); }},
    {"--jail",
     [](arguments& given, std::string_view value) {
         const auto policy = jail_policy_named(value);
         if (policy) given.jail = *policy;
         return policy.has_value();
     }},
    {"--parent",
     [](arguments& given, std::string_view value) {
         return set_number(given.parent, value, 1, std::numeric_limits<int>::max());
     }},
});

result<void> set_option(arguments& given, std::string_view name, std::string_view value) {
    for (const auto& one : options) {
        if (one.name != name) continue;
        if (one.set(given, value)) return {};
        return wrong(std::string{name} + " takes no such value", value);
    }
    return wrong("unknown option", name);
}

}  // namespace

result<arguments> read_arguments(int count, const char* const* values) {
    if (count < 2) return error{errc::invalid_argument, "no command"};
    const auto asked = command_named(values[1]);
    if (!asked) return wrong("unknown command", values[1]);
    arguments given;
    given.command = *asked;
    for (int at = 2; at < count; at += 2) {
        if (at + 1 == count) return wrong("no value for", values[at]);
        const auto set = set_option(given, values[at], values[at + 1]);
        if (!set) return set.error();
    }
    const bool reads_video = given.command != command::doctor && given.command != command::jail;
    if (reads_video && given.video.empty()) {
        return error{errc::invalid_argument, "no --video"};
    }
    if (given.command == command::join && given.sound.empty()) {
        return error{errc::invalid_argument, "no --sound"};
    }
    return given;
}

const char* usage() noexcept {
    return "usage: reelsd-media probe     --video FILE [--seconds-max N]\n"
           "       reelsd-media analyze   --video FILE [--seconds-max N] [--tessdata DIR] "
           "[--speech-model DIR]\n"
           "       reelsd-media thumbnail --video FILE [--seconds-max N]\n"
           "       reelsd-media join      --video FILE --sound FILE [--seconds-max N] 0<>MADE\n"
           "       reelsd-media frames    --video FILE [--seconds-max N] [--per-second N] "
           "[--count-max N] [--long-edge PIXELS] 0<>MADE\n"
           "       reelsd-media sound     --video FILE [--seconds-max N] 0<>MADE\n"
           "       reelsd-media check     --video FILE [--seconds-max N] [--at SECONDS,...] "
           "[--tessdata DIR]\n"
           "       reelsd-media transcode --video FILE [--seconds-max N] 0<>MADE\n"
           "       reelsd-media jail\n"
           "       reelsd-media doctor    [--tessdata DIR] [--speech-model DIR]\n"
           "       reelsd-media fence     [--read PATH]... [--write DIR]... [--connect PORT]... "
           "-- PROGRAM [ARGUMENT]...\n"
           "Each takes [--jail require|best-effort]; the default is require.\n"
           "Writes one JSON document, {\"ok\": ...} or {\"error\": {\"code\": ..., \"detail\": "
           "...}}.\n";
}

}  // namespace reelsd::media
