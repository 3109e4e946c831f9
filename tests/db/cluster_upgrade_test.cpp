// Goal: a newer PostgreSQL takes over the private cluster with all rows, and a kill or a failure at
// any step leaves a whole cluster. Method: two installations that are in fact the same version,
// which pg_upgrade accepts; `scripts/test-releases` runs the same with two versions.
#include "cluster_owner_process.hpp"
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace reelsd::db {
namespace {

namespace fs = std::filesystem;

int installed_version() {
    int newest = 0;
    for (const auto& entry : fs::directory_iterator{"/usr/lib/postgresql"}) {
        newest = std::max(newest, std::stoi(entry.path().filename().native()));
    }
    return newest;
}

class ClusterUpgradeTest : public ::testing::Test {
protected:
    ClusterUpgradeTest() {
        std::string folder = "/tmp/reelsd-test-XXXXXX";
        if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error{"mkdtemp failed"};
        root_ = folder;
        fs::permissions(
            root_, fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
        install(old_version_);
        private_cluster cluster{options(), log::logger::silent()};
        const auto up = cluster.ensure_running(soon());
        if (!up) throw std::runtime_error{up.error().to_string()};
        run(*up, "CREATE TABLE kept AS SELECT id FROM generate_series(1, 1000) id");
    }
    ~ClusterUpgradeTest() override {
        std::error_code left_behind;
        fs::remove_all(root_, left_behind);
    }

    [[nodiscard]] cluster_options options() const {
        return {
            .data_dir = root_ / "data",
            .binaries = {},
            .installations = root_ / "installations",
            .durable = false,
            .upgrades = true};
    }

    [[nodiscard]] fs::path kept() const {
        return root_ / "data" / fmt::format("postgres-{}", old_version_);
    }

    void install(int version) const {
        fs::create_directories(root_ / "installations");
        fs::create_directory_symlink(
            fmt::format("/usr/lib/postgresql/{}", old_version_),
            root_ / "installations" / std::to_string(version));
    }

    /// A newer version with a pg_upgrade of the test.
    void install_newer_with(const std::string& pg_upgrade) const {
        const auto binaries = root_ / "installations" / std::to_string(old_version_ + 1) / "bin";
        fs::create_directories(binaries);
        const auto real = fmt::format("/usr/lib/postgresql/{}/bin", old_version_);
        for (const auto& entry : fs::directory_iterator{real}) {
            if (entry.path().filename() == "pg_upgrade") continue;
            fs::create_symlink(entry.path(), binaries / entry.path().filename());
        }
        std::ofstream{binaries / "pg_upgrade"} << pg_upgrade;
        fs::permissions(binaries / "pg_upgrade", fs::perms{0755});
    }

    static void run(const std::string& connection_string, const std::string& sql) {
        const auto done = run_script(connection_string, sql, soon());
        ASSERT_TRUE(done) << done.error().to_string();
    }

    static void expect_rows(const result<std::string>& up) {
        ASSERT_TRUE(up) << up.error().to_string();
        run(*up, "DO $$ BEGIN ASSERT (SELECT count(*) FROM kept) = 1000; END $$");
    }

    /// Whether the data directory has an unfinished cluster that contains `file`.
    [[nodiscard]] bool unfinished_has(const char* file) const {
        std::error_code gone;
        for (const auto& entry : fs::directory_iterator{root_ / "data", gone}) {
            const bool unfinished = entry.path().filename().native().starts_with("postgres.new-");
            if (unfinished && fs::exists(entry.path() / file, gone)) return true;
        }
        return false;
    }

    const int old_version_ = installed_version();
    fs::path root_;
};

TEST_F(ClusterUpgradeTest, ANewerVersionTakesOverAllRowsAndTheOldOneIsKept) {
    install(old_version_ + 1);
    private_cluster cluster{options(), log::logger::silent()};
    const auto up = cluster.ensure_running(soon());
    expect_rows(up);
    run(*up,
        "DO $$ BEGIN "
        "ASSERT EXISTS (SELECT FROM pg_stats WHERE tablename = 'kept'); "
        "ASSERT current_setting('server_encoding') = 'UTF8'; END $$");
    EXPECT_TRUE(fs::exists(kept() / "PG_VERSION"));
    EXPECT_FALSE(unfinished_has("."));
    // The kept cluster is whole.
    cluster.stop();
    fs::remove_all(root_ / "data" / "postgres");
    fs::rename(kept(), root_ / "data" / "postgres");
    fs::remove(root_ / "installations" / std::to_string(old_version_ + 1));
    private_cluster old{options(), log::logger::silent()};
    expect_rows(old.ensure_running(soon()));
}

TEST_F(ClusterUpgradeTest, AFailureKeepsTheOldVersion) {
    install_newer_with("#!/bin/sh\necho 'the disks differ'; echo 'Failure, exiting'; exit 1\n");
    std::string log;
    private_cluster cluster{options(), log::logger::silent()};
    expect_rows(cluster.ensure_running(soon()));
    EXPECT_FALSE(fs::exists(kept()));
    EXPECT_FALSE(unfinished_has("."));
}

TEST_F(ClusterUpgradeTest, AKeptClusterIsNeverReplaced) {
    install(old_version_ + 1);
    fs::create_directory(kept());
    std::ofstream{kept() / "PG_VERSION"} << old_version_ << '\n';
    private_cluster cluster{options(), log::logger::silent()};
    expect_rows(cluster.ensure_running(soon()));
    EXPECT_TRUE(fs::exists(kept() / "PG_VERSION"));
}

TEST_F(ClusterUpgradeTest, OnlyTheFirstStartUpgrades) {
    private_cluster cluster{options(), log::logger::silent()};
    expect_rows(cluster.ensure_running(soon()));
    install(old_version_ + 1);
    expect_rows(cluster.restart(soon()));
    EXPECT_FALSE(fs::exists(kept()));
}

TEST_F(ClusterUpgradeTest, AnUpgradeMustBeAllowed) {
    install(old_version_ + 1);
    auto without = options();
    without.upgrades = false;
    private_cluster cluster{without, log::logger::silent()};
    expect_rows(cluster.ensure_running(soon()));
    EXPECT_FALSE(fs::exists(kept()));
}

TEST_F(ClusterUpgradeTest, AKillAtAnyStepLeavesAWholeCluster) {
    install(old_version_ + 1);
    const auto data = root_ / "data";
    const std::pair<const char*, std::function<bool()>> steps[] = {
        {"the new cluster is being created", [this] { return unfinished_has("."); }},
        {"pg_upgrade has begun", [this] { return unfinished_has("pg_upgrade_output.d"); }},
        {"pg_upgrade runs the new server", [this] { return unfinished_has("postmaster.pid"); }},
        {"the new cluster is complete", [this] { return fs::exists(kept()); }},
    };
    for (const auto& [step, reached] : steps) {
        SCOPED_TRACE(step);
        fs::remove_all(kept());
        {
            owner_process owner{data, root_ / "installations"};
            const auto by = soon();
            while (!reached() && !by.passed()) std::this_thread::yield();
            ASSERT_TRUE(reached());
            owner.end(SIGKILL);
        }
        private_cluster next{options(), log::logger::silent()};
        expect_rows(next.ensure_running(soon()));
    }
}

}  // namespace
}  // namespace reelsd::db
