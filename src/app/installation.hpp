#pragma once

#include "settings.hpp"
#include <reelsd/media/media_client.hpp>

#include <filesystem>

namespace reelsd::app {

/// The files of this installation, relative to the running program `bin/reelsd`:
/// `share/reelsd/sample.mp4`, `share/reelsd/wordnet.bin`, `share/reelsd/model-prices.json`, and
/// `bin/reelsd-media` if it was built there, `libexec/reelsd/reelsd-media` if it was installed.
struct installation {
    std::filesystem::path media_helper;
    std::filesystem::path sample;
    std::filesystem::path dictionary;    ///< For the local embedder.
    std::filesystem::path model_prices;  ///< The table that is part of the program.
    /// The default configuration file: `/etc/reelsd/reelsd.conf` for a program in `/usr/bin`, else
    /// `etc/reelsd/reelsd.conf` below its prefix.
    std::filesystem::path configuration;
};

/// A helper in the settings overrides the installed one.
[[nodiscard]] installation find_installation(const settings& config);

/// The same for another program.
[[nodiscard]] installation installation_of(
    const std::filesystem::path& program, const settings& config);

/// The options of the media program: its path and the settings that concern it.
[[nodiscard]] media::media_options media_options_of(const settings& config);

}  // namespace reelsd::app
