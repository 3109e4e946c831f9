#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/media/jail_report.hpp>
#include <reelsd/media/report.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace reelsd::media {

enum class command : std::uint8_t {
    probe,
    analyze,
    thumbnail,
    join,
    frames,
    sound,
    check,
    transcode,
    jail,
    doctor
};

/// What the program was asked for.
struct arguments {
    media::command command = command::doctor;
    std::string video;
    std::string sound;               ///< Of `join` alone.
    frame_request frames;            ///< Of `frames` alone.
    std::vector<double> at_seconds;  ///< Of `check` alone: the pictures to read, ascending.
    double seconds_max = 90;
    /// Where Debian's packages put them.
    std::string tessdata = "/usr/share/tesseract-ocr/5/tessdata";
    std::string speech_model = "/usr/share/pocketsphinx/model/en-us";
    jail_policy jail = jail_policy::require;
    /// The process to die with; 0: none.
    int parent = 0;
};

/// `invalid_argument` names what is wrong. `count` and `values` as `main` has them.
[[nodiscard]] result<arguments> read_arguments(int count, const char* const* values);

/// How to call the program, for people.
[[nodiscard]] const char* usage() noexcept;

}  // namespace reelsd::media
