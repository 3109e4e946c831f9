#pragma once

#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/jail_report.hpp>
#include <reelsd/media/report.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media {

BOOST_DEFINE_FIXED_ENUM_CLASS(
    command, std::uint8_t, probe, analyze, thumbnail, join, frames, stills, sound, check, listen,
    transcode, jail, doctor)

/// A folder of networks that are installed with this program: "text-models", "speech-models".
[[nodiscard]] std::string installed_models(std::string_view folder);

/// The program's command and options.
struct arguments {
    media::command command = command::doctor;
    std::string video;
    std::string sound;     ///< For `join`.
    frame_request frames;  ///< For `frames`.
    /// For `check` and `stills`: times of the pictures, ascending.
    std::vector<double> at_seconds;
    /// For `analyze`: the most stills that are made when standard input asks for them.
    std::size_t stills_max = 0;
    double seconds_max = 90;
    std::string text_models = installed_models("text-models");
    std::string speech_models = installed_models("speech-models");
    jail_policy jail = jail_policy::require;
    /// The process to die with; 0 for none.
    int parent = 0;
};

/// `invalid_argument` names the fault. `count` and `values` are those of `main`.
[[nodiscard]] result<arguments> read_arguments(int count, const char* const* values);

/// Sets `moments` from "3.5,7.25": ascending, at most `report_bounds::stills_max`. False for any
/// other text.
[[nodiscard]] bool set_moments(std::vector<double>& moments, std::string_view text);

[[nodiscard]] const char* usage() noexcept;

}  // namespace reelsd::media
