#include "app/installation.hpp"

#include "app/settings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

/// A prefix with the helper in `helper_folder`.
class Installation : public testing::Test {
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
    settings with_;
};

// Goal: a program that was built and one that was installed find their own helper, from their place
// alone. Method: trees as both leave them.
TEST_F(Installation, FindsTheHelperWhereItWasBuilt) {
    put_helper_into("bin");

    const auto found = installation_of(prefix_ / "bin" / "reelsd", with_);

    EXPECT_EQ(found.media_helper, prefix_ / "bin" / "reelsd-media");
}

TEST_F(Installation, FindsTheHelperWhereItWasInstalled) {
    put_helper_into("libexec/reelsd");

    const auto found = installation_of(prefix_ / "bin" / "reelsd", with_);

    EXPECT_EQ(found.media_helper, prefix_ / "libexec" / "reelsd" / "reelsd-media");
}

TEST_F(Installation, TakesTheHelperThatTheSettingNames) {
    put_helper_into("libexec/reelsd");
    with_.media_helper = "/elsewhere/reelsd-media";

    EXPECT_EQ(
        installation_of(prefix_ / "bin" / "reelsd", with_).media_helper, "/elsewhere/reelsd-media");
}

TEST_F(Installation, FindsItsFilesFromItsOwnPlace) {
    const auto found = installation_of(prefix_ / "bin" / "reelsd", with_);

    EXPECT_EQ(found.sample, prefix_ / "share" / "reelsd" / "sample.mp4");
    EXPECT_EQ(found.dictionary, prefix_ / "share" / "reelsd" / "wordnet.bin");
    EXPECT_EQ(found.model_prices, prefix_ / "share" / "reelsd" / "model-prices.json");
    EXPECT_EQ(found.configuration, prefix_ / "etc" / "reelsd" / "reelsd.conf");
}

TEST_F(Installation, ConfiguresWhatBelongsToUsrOutsideOfIt) {
    EXPECT_EQ(installation_of("/usr/bin/reelsd", with_).configuration, "/etc/reelsd/reelsd.conf");
}

}  // namespace
}  // namespace reelsd::app
