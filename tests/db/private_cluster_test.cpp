// Goal: after any process was killed at any time, the next caller gets a running server or one
// clear line. Method: real servers in their own folders; other processes are cluster_owner
// (tests/support).
#include "cluster_owner_process.hpp"
#include "support/paths.hpp"
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>

namespace reelsd::db {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

class PrivateClusterTest : public ::testing::Test {
protected:
    PrivateClusterTest() {
        std::string folder = "/tmp/reelsd-test-XXXXXX";
        if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error{"mkdtemp failed"};
        root_ = folder;
        // Like /var/lib: traversable for all users.
        fs::permissions(
            root_, fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
    }
    ~PrivateClusterTest() override {
        std::error_code left_behind;
        fs::remove_all(root_, left_behind);
    }

    [[nodiscard]] fs::path data_dir() const { return root_ / "data"; }

    [[nodiscard]] cluster_options options() const {
        return {.data_dir = data_dir(), .binaries = {}, .durable = false};
    }

    [[nodiscard]] pid_t postmaster_process() const {
        std::ifstream file{data_dir() / "postgres" / "postmaster.pid"};
        pid_t process = 0;
        file >> process;
        return process;
    }

    static void expect_serves(const result<std::string>& up) {
        ASSERT_TRUE(up) << up.error().to_string();
        const auto done = run_script(*up, "SELECT 1", soon());
        EXPECT_TRUE(done) << done.error().to_string();
    }

    static void keep(const std::string& connection_string) {
        const auto done = run_script(connection_string, "CREATE TABLE kept (id bigint)", soon());
        ASSERT_TRUE(done) << done.error().to_string();
    }

    static void expect_kept(const result<std::string>& up) {
        ASSERT_TRUE(up) << up.error().to_string();
        const auto done = run_script(*up, "SELECT id FROM kept", soon());
        EXPECT_TRUE(done) << done.error().to_string();
    }

    fs::path root_;
};

TEST_F(PrivateClusterTest, StartsOnceServesPrivatelyAndStops) {
    private_cluster cluster{options(), log::logger::silent()};
    const auto up = cluster.ensure_running(soon());
    expect_serves(up);
    EXPECT_TRUE(cluster.is_owner());
    keep(*up);
    const auto process = postmaster_process();
    EXPECT_GT(process, 0);

    const auto again = cluster.ensure_running(soon());
    expect_kept(again);
    EXPECT_EQ(postmaster_process(), process);

    struct stat socket = {};
    ASSERT_EQ(::stat((data_dir() / "run").c_str(), &socket), 0);
    EXPECT_EQ(socket.st_mode & 0777U, 0700U);
    struct stat files = {};
    ASSERT_EQ(::stat((data_dir() / "postgres").c_str(), &files), 0);
    EXPECT_EQ(files.st_mode & 0777U, 0700U);
    EXPECT_NE(files.st_uid, 0U);

    cluster.stop();
    EXPECT_FALSE(cluster.is_owner());
    EXPECT_NE(::kill(process, 0), 0);
    EXPECT_FALSE(run_script(*up, "SELECT 1", soon()));
    expect_kept(cluster.ensure_running(soon()));
}

TEST_F(PrivateClusterTest, TheDefaultIsDurable) {
    private_cluster cluster{{.data_dir = data_dir(), .binaries = {}}, log::logger::silent()};
    const auto up = cluster.ensure_running(soon());
    ASSERT_TRUE(up) << up.error().to_string();
    const auto done = run_script(
        *up,
        "DO $$ BEGIN "
        "ASSERT current_setting('fsync') = 'on'; "
        "ASSERT current_setting('synchronous_commit') = 'on'; "
        "ASSERT current_setting('full_page_writes') = 'on'; "
        "ASSERT current_setting('data_checksums') = 'on'; "
        "ASSERT current_setting('listen_addresses') = ''; "
        "ASSERT current_setting('shared_preload_libraries') = 'plpgsql,dict_snowball'; "
        "ASSERT current_setting('server_encoding') = 'UTF8'; END $$",
        soon());
    EXPECT_TRUE(done) << done.error().to_string();
}

TEST_F(PrivateClusterTest, ConcurrentStartersShareOneServer) {
    std::vector<std::unique_ptr<owner_process>> others;
    for (int i = 0; i < 3; ++i) others.push_back(std::make_unique<owner_process>(data_dir()));
    private_cluster cluster{options(), log::logger::silent()};
    expect_serves(cluster.ensure_running(soon()));
    const auto process = postmaster_process();
    for (const auto& one : others) EXPECT_THAT(one->line(), HasSubstr("ready "));
    EXPECT_EQ(postmaster_process(), process);
}

TEST_F(PrivateClusterTest, AnotherProcessRestartsTheServerOfAKilledOwner) {
    owner_process owner{data_dir()};
    ASSERT_THAT(owner.line(), HasSubstr("ready "));
    private_cluster cluster{options(), log::logger::silent()};
    const auto up = cluster.ensure_running(soon());
    expect_serves(up);
    EXPECT_FALSE(cluster.is_owner());
    keep(*up);
    const auto process = postmaster_process();

    owner.end(SIGKILL);
    // Immediately: the old server is still shutting down.
    private_cluster next{options(), log::logger::silent()};
    auto back = next.ensure_running(soon());
    // The old server may have answered last; the next call must be correct.
    while (back && postmaster_process() == process) back = next.ensure_running(soon());
    expect_kept(next.ensure_running(soon()));
    EXPECT_TRUE(next.is_owner());
    expect_kept(cluster.ensure_running(soon()));
    EXPECT_FALSE(cluster.is_owner());
}

TEST_F(PrivateClusterTest, RestartsAKilledServer) {
    private_cluster cluster{options(), log::logger::silent()};
    const auto up = cluster.ensure_running(soon());
    expect_serves(up);
    keep(*up);
    const auto process = postmaster_process();
    ASSERT_EQ(::kill(process, SIGKILL), 0);
    auto back = cluster.ensure_running(soon());
    while (back && postmaster_process() == process) back = cluster.ensure_running(soon());
    expect_kept(cluster.ensure_running(soon()));
    EXPECT_TRUE(cluster.is_owner());
}

TEST_F(PrivateClusterTest, IgnoresAStalePidOfAnUnrelatedProcess) {
    {
        private_cluster cluster{options(), log::logger::silent()};
        expect_serves(cluster.ensure_running(soon()));
    }
    // This process, as if the number had been reused.
    std::ofstream{data_dir() / "postgres" / "postmaster.pid"} << ::getpid() << "\n/elsewhere\n";
    private_cluster cluster{options(), log::logger::silent()};
    expect_serves(cluster.ensure_running(soon()));
}

TEST_F(PrivateClusterTest, RepeatsAnIncompleteInitialisation) {
    // The state after a killed initdb: an unfinished folder, and no cluster.
    fs::create_directories(data_dir() / "postgres.new-0badcafe" / "base");
    std::ofstream{data_dir() / "postgres.new-0badcafe" / "PG_VERSION"} << "15\n";
    private_cluster cluster{options(), log::logger::silent()};
    expect_serves(cluster.ensure_running(soon()));
    EXPECT_FALSE(fs::exists(data_dir() / "postgres.new-0badcafe"));
}

TEST_F(PrivateClusterTest, StartsAfterAnEarlierStarterWasKilled) {
    {
        owner_process owner{data_dir()};
        // At some point of initdb.
        const auto by = soon();
        while (!fs::exists(data_dir() / "postgres.lock") && !by.passed()) std::this_thread::yield();
        owner.end(SIGKILL);
    }
    private_cluster cluster{options(), log::logger::silent()};
    auto up = cluster.ensure_running(soon());
    expect_serves(up);
}

TEST_F(PrivateClusterTest, UsesAShortSocketPathForALongFolder) {
    auto deep = options();
    deep.data_dir = root_ / std::string(120, 'd') / "data dir, 'quoted' \"twice\"";
    fs::create_directories(deep.data_dir);
    fs::permissions(
        root_ / std::string(120, 'd'),
        fs::perms::group_exec | fs::perms::others_exec,
        fs::perm_options::add);
    private_cluster cluster{deep, log::logger::silent()};
    const auto up = cluster.ensure_running(soon());
    expect_serves(up);
    EXPECT_THAT(*up, HasSubstr("host='/tmp/reelsd-"));
}

TEST_F(PrivateClusterTest, AcceptsUnusualFolderNames) {
    auto odd = options();
    odd.data_dir = root_ / "a 'b', \"c\" \\d";
    private_cluster cluster{odd, log::logger::silent()};
    expect_serves(cluster.ensure_running(soon()));
}

TEST_F(PrivateClusterTest, ReportsEachErrorInOneLine) {
    struct test_case {
        const char* name;
        cluster_options options;
        errc code;
        const char* says;
    };
    fs::create_directories(root_ / "foreign" / "postgres");
    std::ofstream{root_ / "foreign" / "postgres" / "letter.txt"} << "dear";
    fs::create_directories(root_ / "closed");
    fs::permissions(root_ / "closed", fs::perms::owner_all);
    const test_case cases[] = {
        {"no programs",
         {.data_dir = data_dir(), .binaries = "/nonexistent"},
         errc::database_unavailable,
         "/nonexistent: initdb or postgres is missing there"},
        {"the folder cannot be created",
         {.data_dir = "/proc/reelsd", .binaries = {}},
         errc::storage_failed,
         "/proc/reelsd: cannot be created"},
        {"another program's files",
         {.data_dir = root_ / "foreign", .binaries = {}},
         errc::storage_failed,
         "neither empty nor a PostgreSQL cluster"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        private_cluster cluster{expected.options, log::logger::silent()};
        const auto up = cluster.ensure_running(soon());
        ASSERT_FALSE(up);
        EXPECT_EQ(up.error().code(), expected.code);
        EXPECT_THAT(up.error().detail(), HasSubstr(expected.says));
        EXPECT_EQ(up.error().detail().find('\n'), std::string::npos);
    }
    EXPECT_TRUE(fs::exists(root_ / "foreign" / "postgres" / "letter.txt"));
}

TEST_F(PrivateClusterTest, RootStartsItsServerAsTheOwnerOfTheFolder) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const auto* const nobody = ::getpwnam("nobody");
    ASSERT_NE(nobody, nullptr);
    const auto owner = nobody->pw_uid;
    fs::create_directories(data_dir());
    ASSERT_EQ(::chown(data_dir().c_str(), owner, owner), 0);
    private_cluster cluster{options(), log::logger::silent()};
    expect_serves(cluster.ensure_running(soon()));
    for (const auto* const name : {"postgres", "postgres.log", "run"}) {
        struct stat status = {};
        ASSERT_EQ(::stat((data_dir() / name).c_str(), &status), 0) << name;
        EXPECT_EQ(status.st_uid, owner) << name;
    }
}

TEST_F(PrivateClusterTest, RootStartsItsServerForAnOwnerWithoutAName) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    constexpr uid_t unknown = 54321;
    fs::create_directories(data_dir());
    ASSERT_EQ(::chown(data_dir().c_str(), unknown, unknown), 0);
    private_cluster cluster{options(), log::logger::silent()};
    expect_serves(cluster.ensure_running(soon()));
}

TEST_F(PrivateClusterTest, NamesAFolderThatTheServerCannotEnter) {
    const auto closed = root_ / "closed";
    fs::create_directories(closed);
    fs::permissions(closed, ::geteuid() == 0 ? fs::perms::owner_all : fs::perms::none);
    private_cluster cluster{{.data_dir = closed / "data", .binaries = {}}, log::logger::silent()};
    const auto up = cluster.ensure_running(soon());
    fs::permissions(closed, fs::perms::owner_all);
    ASSERT_FALSE(up);
    EXPECT_EQ(up.error().code(), errc::storage_failed);
    EXPECT_THAT(up.error().detail(), HasSubstr(closed.native()));
}

TEST_F(PrivateClusterTest, ReportsWhyTheServerCannotStart) {
    {
        private_cluster cluster{options(), log::logger::silent()};
        expect_serves(cluster.ensure_running(soon()));
    }
    std::ofstream{data_dir() / "postgres" / "postgresql.conf", std::ios::app} << "nonsense = 1\n";
    private_cluster cluster{options(), log::logger::silent()};
    const auto up = cluster.ensure_running(soon());
    ASSERT_FALSE(up);
    EXPECT_EQ(up.error().code(), errc::database_unavailable);
    EXPECT_THAT(up.error().detail(), HasSubstr("FATAL"));
    EXPECT_THAT(up.error().detail(), HasSubstr("postgres.log"));
}

TEST_F(PrivateClusterTest, TruncatesALongLog) {
    fs::create_directories(data_dir());
    std::ofstream{data_dir() / "postgres.log"} << std::string(std::size_t{11} << 20U, 'x');
    private_cluster cluster{options(), log::logger::silent()};
    expect_serves(cluster.ensure_running(soon()));
    EXPECT_LT(fs::file_size(data_dir() / "postgres.log"), std::uintmax_t{1} << 20U);
}

TEST_F(PrivateClusterTest, WaitsForTheRecoveryOfItsServer) {
    {
        private_cluster cluster{options(), log::logger::silent()};
        const auto up = cluster.ensure_running(soon());
        ASSERT_TRUE(up) << up.error().to_string();
        keep(*up);
        ASSERT_EQ(::kill(postmaster_process(), SIGKILL), 0);
    }
    private_cluster next{options(), log::logger::silent()};
    expect_kept(next.ensure_recovered(deadline::after(0s), soon()));
    EXPECT_TRUE(next.is_owner());
}

TEST_F(PrivateClusterTest, StopEndsAWaitInProgress) {
    private_cluster holder{options(), log::logger::silent()};
    expect_serves(holder.ensure_running(soon()));
    const auto process = postmaster_process();
    ASSERT_EQ(::kill(process, SIGSTOP), 0);  // Alive, and not answering.
    private_cluster waiting{options(), log::logger::silent()};
    auto outcome =
        std::async(std::launch::async, [&waiting] { return waiting.ensure_running(soon()); });
    while (outcome.wait_for(10ms) != std::future_status::ready) waiting.stop();
    ::kill(process, SIGCONT);
    const auto up = outcome.get();
    ASSERT_FALSE(up);
    EXPECT_EQ(up.error().code(), errc::cancelled);
}

}  // namespace
}  // namespace reelsd::db
