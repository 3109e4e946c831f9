#include "app/from_settings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t mebibyte = std::uint64_t{1024} * 1024;

/// Files of control groups, as the kernel shows them.
class ControlGroups : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "reelsd-groups-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        mounted_ = name;
    }
    void TearDown() override { fs::remove_all(mounted_); }

    void write(const fs::path& file, std::string_view text) const {
        fs::create_directories((mounted_ / file).parent_path());
        std::ofstream{mounted_ / file} << text << '\n';
    }

    fs::path mounted_;
};

TEST_F(ControlGroups, OfVersion2HaveTheLowestLimitOfTheirParents) {
    write("system.slice/memory.max", "4294967296");
    write("system.slice/reelsd.service/memory.max", "max");
    write("system.slice/reelsd.service/memory.high", "1073741824");
    EXPECT_EQ(
        control_group_bytes_max("0::/system.slice/reelsd.service\n", mounted_), 1024 * mebibyte);
    EXPECT_EQ(
        control_group_bytes_max("0::/system.slice/other.service\n", mounted_), 4096 * mebibyte);
}

TEST_F(ControlGroups, InAContainerAreTheOutermostOne) {
    write("memory.max", "536870912");
    EXPECT_EQ(control_group_bytes_max("0::/\n", mounted_), 512 * mebibyte);
    EXPECT_EQ(control_group_bytes_max("0::/named/by/the/host\n", mounted_), 512 * mebibyte);
}

TEST_F(ControlGroups, OfVersion1HaveTheirOwnFolder) {
    write("memory/some/group/memory.limit_in_bytes", "268435456");
    write("memory/memory.limit_in_bytes", "9223372036854771712");
    write("memory.max", "1");  // Not in the folder of version 1.
    EXPECT_EQ(
        control_group_bytes_max("5:cpu,cpuacct:/\n4:memory:/some/group\n", mounted_),
        256 * mebibyte);
}

TEST_F(ControlGroups, OfVersion1MayShareAHierarchy) {
    write("memory/memory.limit_in_bytes", "268435456");
    EXPECT_EQ(control_group_bytes_max("5:cpu,memory:/\n", mounted_), 256 * mebibyte);
    EXPECT_EQ(control_group_bytes_max("5:cpu,memory-like:/\n", mounted_), std::nullopt);
}

TEST_F(ControlGroups, OfVersion2MayCoexistWithVersion1) {
    write("unified/some/memory.max", "268435456");
    EXPECT_EQ(control_group_bytes_max("0::/some\n", mounted_), 256 * mebibyte);
}

TEST_F(ControlGroups, MayHaveNoLimit) {
    write("memory.max", "max");
    EXPECT_EQ(control_group_bytes_max("0::/\n", mounted_), std::nullopt);
    EXPECT_EQ(control_group_bytes_max("0::/elsewhere\n1:name=systemd:/\n", mounted_), std::nullopt);
    for (const auto* odd : {"", "\n", "0", "0:", "0::", "0::here", "::\n:\n"}) {
        EXPECT_EQ(control_group_bytes_max(odd, mounted_), std::nullopt) << odd;
    }
}

TEST(UsableMemory, IsAtMostTheMachines) {
    const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    EXPECT_GT(usable_memory_bytes(), 0U);
    EXPECT_LE(usable_memory_bytes(), machine);
}

TEST(UsableMemory, IsReadFromMeminfo) {
    EXPECT_EQ(total_memory_bytes("MemTotal:        2097152 kB\nMemFree:  1 kB\n"), 2048 * mebibyte);
    for (const auto* odd :
         {"",
          "MemTotal:",
          "MemTotal: many",
          "MemTotal: 99999999999999999999 kB",
          "MemTotal: 18446744073709551615 kB",
          "MemFree: 1 kB"}) {
        EXPECT_EQ(total_memory_bytes(odd), std::nullopt) << odd;
    }
}

TEST(UsableMemory, ASixteenthIsForTheCacheWithinBounds) {
    EXPECT_EQ(usual_reel_cache_bytes_max(0), 64 * mebibyte);
    EXPECT_EQ(usual_reel_cache_bytes_max(1024 * mebibyte), 64 * mebibyte);
    EXPECT_EQ(usual_reel_cache_bytes_max(4096 * mebibyte), 256 * mebibyte);
    EXPECT_EQ(usual_reel_cache_bytes_max(16'384 * mebibyte), 1024 * mebibyte);
    EXPECT_EQ(usual_reel_cache_bytes_max(1'048'576 * mebibyte), 1024 * mebibyte);
}

}  // namespace
}  // namespace reelsd::app
