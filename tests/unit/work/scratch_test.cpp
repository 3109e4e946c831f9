#include <reelsd/work/analysis/scratch.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <algorithm>
#include <barrier>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace reelsd::work {
namespace {

namespace fs = std::filesystem;

class Scratch : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "scratch-test-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        data_dir_ = name;
    }
    void TearDown() override { fs::remove_all(data_dir_); }

    [[nodiscard]] std::size_t folders() const {
        const fs::directory_iterator all{data_dir_ / "scratch"};
        return static_cast<std::size_t>(std::count_if(
            fs::begin(all), fs::end(all), [](const auto& one) { return one.is_directory(); }));
    }

    fs::path data_dir_;
    log::logger log_ = log::logger::silent();
    jobs::claimed_job job_{
        .id = {7}, .account = {1}, .url = "", .claim = 2, .attempt = 1, .created_at = {}};
};

TEST_F(Scratch, AFolderIsRemovedWithItsContents) {
    const auto space = scratch_space::open(data_dir_, "1f", log_);
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

TEST_F(Scratch, OnlyLeftoversOfDeadDaemonsAreSwept) {
    const auto living = scratch_space::open(data_dir_, "2f", log_);
    ASSERT_TRUE(living);
    const auto dead = data_dir_ / "scratch" / "daemon-dead";
    fs::create_directories(dead / "9-1");
    std::ofstream{dead / "9-1" / "video"} << "bytes";
    EXPECT_EQ(folders(), 2U);

    const auto next = scratch_space::open(data_dir_, "3f", log_);
    ASSERT_TRUE(next);
    EXPECT_FALSE(fs::exists(dead));
    EXPECT_EQ(folders(), 2U);
}

TEST_F(Scratch, ConcurrentStartsDoNotDisturbEachOther) {
    constexpr int daemons = 8;
    constexpr int rounds = 25;
    for (int round = 0; round < rounds; ++round) {
        std::barrier together{daemons};
        std::vector<std::unique_ptr<scratch_space>> spaces(daemons);
        {
            std::vector<std::jthread> starting;
            for (int number = 0; number < daemons; ++number) {
                starting.emplace_back([&, number] {
                    together.arrive_and_wait();
                    auto opened = scratch_space::open(data_dir_, fmt::format("{:x}", number), log_);
                    if (opened) spaces[static_cast<std::size_t>(number)] = *std::move(opened);
                });
            }
        }
        for (const auto& space : spaces) {
            ASSERT_TRUE(space);
            EXPECT_TRUE(space->make_folder(job_));
        }
    }
}

TEST_F(Scratch, KnowsWhichDaemonsLive) {
    const auto mine = scratch_space::open(data_dir_, "0123abc", log_);
    ASSERT_TRUE(mine);
    auto other = scratch_space::open(data_dir_, "9f", log_);
    ASSERT_TRUE(other);
    EXPECT_TRUE((*mine)->is_living("0123abc"));
    EXPECT_TRUE((*mine)->is_living("9f"));
    other->reset();
    const auto killed = data_dir_ / "scratch" / "daemon-77";
    fs::create_directories(killed);
    std::ofstream{killed / ".lock"};
    for (const auto* run : {"9f", "77", "8", "", ".", "../scratch/daemon-0123abc", "0123abc/"})
        EXPECT_FALSE((*mine)->is_living(run)) << run;
}

TEST_F(Scratch, ANameIsUsedOnce) {
    const auto first = scratch_space::open(data_dir_, "5f", log_);
    ASSERT_TRUE(first);
    const auto second = scratch_space::open(data_dir_, "5f", log_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), errc::storage_failed);
}

TEST_F(Scratch, AFileInTheWayIsAStorageError) {
    std::ofstream{data_dir_ / "scratch"} << "in the way";
    const auto space = scratch_space::open(data_dir_, "4f", log_);
    ASSERT_FALSE(space);
    EXPECT_EQ(space.error().code(), errc::storage_failed);
    EXPECT_THAT(space.error().detail(), ::testing::HasSubstr("scratch"));
}

}  // namespace
}  // namespace reelsd::work
