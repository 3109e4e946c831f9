#include "installation.hpp"

#include <system_error>

namespace reelsd::app {

installation find_installation(const settings& with) {
    std::error_code failure;
    auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
    // Without /proc the relative names still say in a message what was looked for.
    if (failure) program = "bin/reelsd";
    const auto folder = program.parent_path();
    return {
        .media_helper = with.media_helper.empty() ? folder / "reelsd-media"
                                                  : std::filesystem::path{with.media_helper},
        .sample = folder.parent_path() / "share" / "reelsd" / "sample.mp4",
        .dictionary = folder.parent_path() / "share" / "reelsd" / "wordnet.bin",
        .model_prices = folder.parent_path() / "share" / "reelsd" / "model-prices.json"};
}

}  // namespace reelsd::app
