#include "installation.hpp"

#include <system_error>

namespace reelsd::app {

installation installation_of(const std::filesystem::path& program, const settings& config) {
    const auto folder = program.parent_path();
    const auto prefix = folder.parent_path();
    const auto share = prefix / "share" / "reelsd";
    // What belongs to /usr has its configuration outside of it (FHS 3.0, 4.1).
    const auto outside = prefix == "/usr" ? prefix.root_path() : prefix;
    auto helper = folder / "reelsd-media";
    std::error_code unknown;
    // Nobody is to call it by hand, so that an installed one is not where commands are looked up.
    const auto installed = prefix / "libexec" / "reelsd" / "reelsd-media";
    if (std::filesystem::exists(installed, unknown)) helper = installed;
    if (!config.media_helper.empty()) helper = config.media_helper;
    return {
        .media_helper = helper,
        .sample = share / "sample.mp4",
        .dictionary = share / "wordnet.bin",
        .model_prices = share / "model-prices.json",
        .configuration = outside / "etc" / "reelsd" / "reelsd.conf"};
}

installation find_installation(const settings& config) {
    std::error_code failure;
    auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
    // Without /proc the relative names still say in a message what was looked for.
    if (failure) program = "bin/reelsd";
    return installation_of(program, config);
}

}  // namespace reelsd::app
