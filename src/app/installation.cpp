#include "installation.hpp"

#include <system_error>

namespace reelsd::app {

installation installation_of(const std::filesystem::path& program, const settings& config) {
    const auto folder = program.parent_path();
    const auto prefix = folder.parent_path();
    const auto share = prefix / "share" / "reelsd";
    // Programs below /usr are configured in /etc (FHS 3.0, 4.1).
    const auto outside = prefix == "/usr" ? prefix.root_path() : prefix;
    auto helper = folder / "reelsd-media";
    std::error_code unknown;
    // The installed one is not in PATH, because users do not run it.
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
    // Without /proc, relative paths still name the missing files in messages.
    if (failure) program = "bin/reelsd";
    return installation_of(program, config);
}

media::media_options media_options_of(const settings& config) {
    media::media_options options;
    options.helper = find_installation(config).media_helper;
    options.seconds_max = config.video_seconds_max.count();
    options.text_models = config.text_models_dir;
    options.speech_model = config.speech_model_dir;
    options.jail = config.jail;
    return options;
}

}  // namespace reelsd::app
