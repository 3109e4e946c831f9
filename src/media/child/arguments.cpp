#include "arguments.hpp"

#include <reelsd/media/report.hpp>

#include <charconv>
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
    if (name == "probe") return command::probe;
    if (name == "analyze") return command::analyze;
    if (name == "thumbnail") return command::thumbnail;
    if (name == "join") return command::join;
    if (name == "doctor") return command::doctor;
    return std::nullopt;
}

result<void> set_option(arguments& given, std::string_view name, std::string_view value) {
    if (name == "--video") {
        given.video = value;
    } else if (name == "--sound") {
        given.sound = value;
    } else if (name == "--tessdata") {
        given.tessdata = value;
    } else if (name == "--speech-model") {
        given.speech_model = value;
    } else if (name == "--seconds-max") {
        const auto seconds = number_in<double>(value);
        const double most = report_bounds::duration_seconds_max;
        if (!seconds || !(*seconds > 0 && *seconds <= most)) return wrong("no duration", value);
        given.seconds_max = *seconds;
    } else if (name == "--parent") {
        const auto process = number_in<int>(value);
        if (!process || *process <= 0) return wrong("no process", value);
        given.parent = *process;
    } else {
        return wrong("unknown option", name);
    }
    return {};
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
    if (given.command != command::doctor && given.video.empty()) {
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
           "       reelsd-media doctor    [--tessdata DIR] [--speech-model DIR]\n"
           "Writes one JSON document, {\"ok\": ...} or {\"error\": {\"code\": ..., \"detail\": "
           "...}}.\n";
}

}  // namespace reelsd::media
