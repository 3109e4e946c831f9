#include "app/from_settings.hpp"
#include "app/settings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

/// A prefix with the helper in `helper_folder`.
class Installation : public ::testing::Test {
protected:
    Installation() {
        auto pattern = (fs::temp_directory_path() / "reelsd-installation-XXXXXX").string();
        prefix_ = ::mkdtemp(pattern.data());
    }
    ~Installation() override { fs::remove_all(prefix_); }

    Installation(const Installation&) = delete;
    Installation& operator=(const Installation&) = delete;

    void put_helper_into(const fs::path& folder) const {
        fs::create_directories(prefix_ / folder);
        std::ofstream{prefix_ / folder / "reelsd-media"} << "a program\n";
    }

    fs::path prefix_;
    settings config_;
};

// Goal: a built and an installed program find their own helper by their own path. Method: folders
// as both create them.
TEST_F(Installation, FindsTheHelperWhereItWasBuilt) {
    put_helper_into("bin");

    const auto files = installation_of(prefix_ / "bin" / "reelsd", config_);

    EXPECT_EQ(files.media_helper, prefix_ / "bin" / "reelsd-media");
}

TEST_F(Installation, FindsTheHelperWhereItWasInstalled) {
    put_helper_into("libexec/reelsd");

    const auto files = installation_of(prefix_ / "bin" / "reelsd", config_);

    EXPECT_EQ(files.media_helper, prefix_ / "libexec" / "reelsd" / "reelsd-media");
}

TEST_F(Installation, UsesTheHelperOfTheSettings) {
    put_helper_into("libexec/reelsd");
    config_.media_helper = "/elsewhere/reelsd-media";

    EXPECT_EQ(
        installation_of(prefix_ / "bin" / "reelsd", config_).media_helper,
        "/elsewhere/reelsd-media");
}

TEST_F(Installation, FindsItsFilesByItsOwnPath) {
    const auto files = installation_of(prefix_ / "bin" / "reelsd", config_);

    EXPECT_EQ(files.sample, prefix_ / "share" / "reelsd" / "sample.mp4");
    EXPECT_EQ(files.dictionary, prefix_ / "share" / "reelsd" / "wordnet.bin");
    EXPECT_EQ(files.model_prices, prefix_ / "share" / "reelsd" / "model-prices.json");
    EXPECT_EQ(files.configuration, prefix_ / "etc" / "reelsd" / "reelsd.conf");
}

TEST_F(Installation, ConfiguresProgramsBelowUsrInEtc) {
    EXPECT_EQ(installation_of("/usr/bin/reelsd", config_).configuration, "/etc/reelsd/reelsd.conf");
}

}  // namespace
}  // namespace reelsd::app
