#pragma once

#include "settings.hpp"

#include <filesystem>

namespace reelsd::app {

/// Where this installation's files are, seen from the program that runs, `bin/reelsd`:
/// `share/reelsd/sample.mp4`, `share/reelsd/wordnet.bin`, `share/reelsd/model-prices.json`, and
/// `bin/reelsd-media` where it was built, `libexec/reelsd/reelsd-media` where it was installed.
struct installation {
    std::filesystem::path media_helper;
    std::filesystem::path sample;
    std::filesystem::path dictionary;    ///< Of the local embedder.
    std::filesystem::path model_prices;  ///< The table that comes with the program.
    /// Settings, where no other file is named: `/etc/reelsd/reelsd.conf` of a program in
    /// `/usr/bin`, else `etc/reelsd/reelsd.conf` below its prefix. One that was only built has
    /// none.
    std::filesystem::path configuration;
};

/// The helper that the settings name wins over the one that came with the program.
[[nodiscard]] installation find_installation(const settings& config);

/// The same for a program in another place.
[[nodiscard]] installation installation_of(
    const std::filesystem::path& program, const settings& config);

}  // namespace reelsd::app
