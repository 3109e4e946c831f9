#include <reelsd/pipeline/scratch.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <filesystem>
#include <fstream>
#include <string>

namespace reelsd::pipeline {
namespace {

namespace fs = std::filesystem;

class Scratch : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "scratch-test-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        data_dir_ = name;
    }
    void TearDown() override { fs::remove_all(data_dir_); }

    [[nodiscard]] std::size_t folders() const {
        const fs::directory_iterator all{data_dir_ / "scratch"};
        return static_cast<std::size_t>(std::distance(fs::begin(all), fs::end(all)));
    }

    fs::path data_dir_;
    log::logger log_ = log::logger::silent();
    jobs::claimed_job job_{
        .id = {7}, .account = {1}, .url = "", .claim = 2, .attempt = 1, .created_at = {}};
};

TEST_F(Scratch, AFolderGoesWithEverythingInIt) {
    const auto space = scratch_space::open(data_dir_, log_);
    ASSERT_TRUE(space) << space.error().to_string();
    fs::path path;
    {
        const auto folder = (*space)->make_folder(job_);
        ASSERT_TRUE(folder) << folder.error().to_string();
        path = folder->path();
        std::ofstream{path / "video"} << "bytes";
        EXPECT_TRUE(fs::exists(path / "video"));
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(Scratch, LeftoversOfADeadDaemonAreSweptAndALivingOnesAreNot) {
    const auto living = scratch_space::open(data_dir_, log_);
    ASSERT_TRUE(living);
    const auto dead = data_dir_ / "scratch" / "daemon-dead";
    fs::create_directories(dead / "9-1");
    std::ofstream{dead / "9-1" / "video"} << "bytes";
    EXPECT_EQ(folders(), 2U);

    const auto next = scratch_space::open(data_dir_, log_);
    ASSERT_TRUE(next);
    EXPECT_FALSE(fs::exists(dead));
    EXPECT_EQ(folders(), 2U);
}

TEST_F(Scratch, AFileInTheWayIsAStorageError) {
    std::ofstream{data_dir_ / "scratch"} << "in the way";
    const auto space = scratch_space::open(data_dir_, log_);
    ASSERT_FALSE(space);
    EXPECT_EQ(space.error().code(), errc::storage_failed);
    EXPECT_THAT(space.error().detail(), testing::HasSubstr("scratch"));
}

}  // namespace
}  // namespace reelsd::pipeline
