#pragma once

#include <reelsd/app/settings.hpp>

#include <filesystem>

namespace reelsd::app {

/// Where this installation's files are, seen from the program that runs: `bin/reelsd`,
/// `bin/reelsd-media`, `share/reelsd/sample.mp4`, `share/reelsd/wordnet.bin`,
/// `share/reelsd/model-prices.json`.
struct installation {
    std::filesystem::path media_helper;
    std::filesystem::path sample;
    std::filesystem::path dictionary;    ///< Of the local embedder.
    std::filesystem::path model_prices;  ///< The table that comes with the program.
};

/// The helper that the settings name wins over the one beside the program.
[[nodiscard]] installation find_installation(const settings& with);

}  // namespace reelsd::app
