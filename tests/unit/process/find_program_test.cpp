// Goal: a program is found where a shell would find it. Method: a temporary folder.
#include <reelsd/process/child_run.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace reelsd::process {
namespace {

namespace fs = std::filesystem;

class FindProgram : public ::testing::Test {
protected:
    FindProgram() {
        std::string name = fs::temp_directory_path() / "reelsd-find-XXXXXX";
        folder_ = mkdtemp(name.data());
        fs::create_directories(folder_ / "one/folder");
        fs::create_directories(folder_ / "two");
        put("one/plain", 0600);
        put("two/plain", 0700);
        put("two/tool", 0700);
    }
    ~FindProgram() override { fs::remove_all(folder_); }

    void put(const char* name, mode_t mode) const {
        std::ofstream{folder_ / name} << "#!/bin/sh\n";
        chmod((folder_ / name).c_str(), mode);
    }

    [[nodiscard]] std::string folders() const {
        return (folder_ / "one").string() + "::relative:" + (folder_ / "two").string();
    }

    fs::path folder_;
};

TEST_F(FindProgram, SearchesThePath) {
    EXPECT_EQ(find_program("tool", folders()), folder_ / "two/tool");
    EXPECT_EQ(find_program("plain", folders()), folder_ / "two/plain");
    EXPECT_EQ(find_program("folder", folders()), std::nullopt);
    EXPECT_EQ(find_program("other", folders()), std::nullopt);
    EXPECT_EQ(find_program("", folders()), std::nullopt);
    EXPECT_EQ(find_program("tool", ""), std::nullopt);
}

TEST_F(FindProgram, UsesAPathAsIs) {
    const auto tool = folder_ / "two/tool";
    EXPECT_EQ(find_program(tool.string(), ""), tool);
    EXPECT_EQ(find_program((folder_ / "one/plain").string(), folders()), std::nullopt);
    EXPECT_EQ(find_program((folder_ / "one/folder").string(), folders()), std::nullopt);
    EXPECT_EQ(find_program("/nowhere/tool", folders()), std::nullopt);
    EXPECT_EQ(find_program("./tool", folders()), std::nullopt);
}

}  // namespace
}  // namespace reelsd::process
