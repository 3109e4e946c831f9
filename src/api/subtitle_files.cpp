#include "subtitle_files.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

namespace reelsd::api {
namespace {

/// "01:02:03,456" with a comma for `point`.
std::string timestamp(std::chrono::milliseconds moment, char point) {
    const std::chrono::hh_mm_ss time{moment};
    return fmt::format(
        "{:02}:{:02}:{:02}{}{:03}",
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count(),
        point,
        time.subseconds().count());
}

void append_timing(std::string& file, const subtitle_cue& cue, char point) {
    file += fmt::format("{} --> {}\n", timestamp(cue.begin, point), timestamp(cue.end, point));
}

/// Replaces what players would interpret, because SubRip has no escapes: the arrow of a timing
/// line, and the brackets of tags (`<i>`) and of style overrides (`{\an8}`).
std::string without_markup(std::string_view line) {
    constexpr std::string_view arrow = "-->";
    std::string text;
    while (!line.empty()) {
        if (line.starts_with(arrow)) {
            text += "→";
            line.remove_prefix(arrow.size());
            continue;
        }
        switch (line.front()) {
            case '<': text += "‹"; break;
            case '>': text += "›"; break;
            case '{': text += '('; break;
            case '}': text += ')'; break;
            default: text += line.front();
        }
        line.remove_prefix(1);
    }
    return text;
}

void append_escaped(std::string& file, std::string_view line) {
    for (const char c : line) {
        switch (c) {
            case '&': file += "&amp;"; break;
            case '<': file += "&lt;"; break;
            case '>': file += "&gt;"; break;
            default: file += c;
        }
    }
}

}  // namespace

std::string subrip_text(const std::vector<subtitle_cue>& cues) {
    std::string file;
    std::size_t number = 0;
    for (const auto& cue : cues) {
        if (number > 0) file += '\n';
        file += fmt::format("{}\n", ++number);
        append_timing(file, cue, ',');
        for (const auto& line : cue.lines) file.append(without_markup(line)).append("\n");
    }
    return file;
}

std::string webvtt_text(const std::vector<subtitle_cue>& cues) {
    std::string file = "WEBVTT\n";
    for (const auto& cue : cues) {
        file += '\n';
        append_timing(file, cue, '.');
        for (const auto& line : cue.lines) {
            append_escaped(file, line);
            file += '\n';
        }
    }
    return file;
}

}  // namespace reelsd::api
