// Goal: the private cluster's paths and the arguments of its programs. Method: pure, tables.
#include "db/cluster_layout.hpp"
#include "db/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace reelsd::db {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(SocketFolder, IsInTheDataDirectoryIfItsPathFits) {
    // "/run" and "/.s.PGSQL.5432" are 18 characters.
    const std::string longest = "/" + std::string(socket_path_bytes_max - 19, 'd');
    EXPECT_EQ(socket_folder_for(longest, 1000), longest + "/run");
    EXPECT_THAT(socket_folder_for(longest + "d", 1000).native(), HasSubstr("/tmp/reelsd-1000-"));
    EXPECT_THAT(socket_folder_for("/a,b", 1000).native(), HasSubstr("/tmp/reelsd-1000-"));
}

TEST(SocketFolder, IsEqualInAllProcessesAndUniqueToTheFolder) {
    const std::filesystem::path folder = "/" + std::string(120, 'a');
    const std::filesystem::path other_folder = "/" + std::string(120, 'b');
    EXPECT_EQ(socket_folder_for(folder, 7), socket_folder_for(folder, 7));
    EXPECT_NE(socket_folder_for(folder, 7), socket_folder_for(other_folder, 7));
    EXPECT_NE(socket_folder_for(folder, 7), socket_folder_for(folder, 8));
}

TEST(ChooseInstallation, MatchesTheClusterOrIsTheNewest) {
    const std::array installations{
        installation{13, "/13"}, installation{17, "/17"}, installation{15, "/15"}};
    EXPECT_EQ(choose_installation(installations, {})->major, 17);
    EXPECT_EQ(choose_installation(installations, 15)->major, 15);
    EXPECT_FALSE(choose_installation(installations, 16));
    EXPECT_FALSE(choose_installation(std::span{installations}.first(1), {}));
    EXPECT_FALSE(choose_installation({}, {}));
}

TEST(PostmasterIn, ReadsTheFirstLine) {
    EXPECT_EQ(postmaster_in("4711\n/data\n1779\n"), 4711);
    EXPECT_EQ(postmaster_in("4711"), 4711);
    for (const char* const text : {"", "\n", "x\n", "-4\n", "0\n", "99999999999\n"}) {
        EXPECT_EQ(postmaster_in(text), std::nullopt) << text;
    }
}

TEST(ConnectionStringFor, QuotesAnyFolderName) {
    EXPECT_EQ(
        connection_string_for(R"(/a 'b' \c)", "d"),
        R"(host='/a \'b\' \\c' port=5432 user=reelsd dbname='d')");
}

TEST(CauseIn, IsTheFirstFatalLine) {
    EXPECT_EQ(
        cause_in("2026 [1] LOG:  starting\n2026 [1] FATAL:  could not write: No space left\n"
                 "2026 [1] FATAL:  second\n"),
        "FATAL:  could not write: No space left");
    EXPECT_EQ(cause_in("initdb: error: no"), "error: no");
    EXPECT_EQ(cause_in("all is well\n"), "");
    EXPECT_EQ(
        cause_in("checking\nThe cluster differs\n\nFailure, exiting\n"), "The cluster differs");
    EXPECT_EQ(cause_in(""), "");
    EXPECT_EQ(cause_in("FATAL: " + std::string(1000, 'x')).size(), 300U);
}

TEST(CauseIn, SkipsRepliesToEarlyClients) {
    const std::string reply = "2026 [3] FATAL:  the database system is starting up\n";
    EXPECT_EQ(cause_in(reply), "");
    EXPECT_EQ(cause_in(reply + "2026 [1] FATAL:  could not read\n"), "FATAL:  could not read");
}

TEST(CauseIn, PrefersAFullDisk) {
    EXPECT_EQ(
        cause_in("2026 [1] FATAL:  the startup process failed\n"
                 "2026 [2] PANIC:  could not write: No space left on device\n"),
        "PANIC:  could not write: No space left on device");
    EXPECT_EQ(
        cause_in("LOG:  could not create: No space left on device\nFATAL:  stopping\n"),
        "LOG:  could not create: No space left on device");
}

TEST(ServerArguments, KeepTheServerPrivateAndDurable) {
    const auto arguments =
        server_arguments({.cluster = "/c", .socket_folder = "/s, \"x\"", .durable = true});
    EXPECT_THAT(arguments, Contains("listen_addresses="));
    EXPECT_THAT(arguments, Contains("unix_socket_permissions=0700"));
    EXPECT_THAT(arguments, Contains(R"(unix_socket_directories="/s, ""x""")"));
    for (const char* const setting : {"fsync=on", "synchronous_commit=on", "full_page_writes=on"}) {
        EXPECT_THAT(arguments, Contains(setting));
    }
    EXPECT_THAT(
        initdb_arguments({.cluster = "/c", .socket_folder = "/s", .durable = true}, "C.UTF-8"),
        ::testing::AllOf(
            Contains("--encoding=UTF8"),
            Contains("--locale=C.UTF-8"),
            Contains("--auth-host=reject")));
}

TEST(SessionSettings, FixTheOutputFormats) {
    const auto text = session_settings(
        {.statement_timeout = std::chrono::seconds{5}, .lock_timeout = std::chrono::seconds{3}});
    for (const char* const setting :
         {"statement_timeout = 5000",
          "lock_timeout = 3000",
          "timezone = 'UTC'",
          "datestyle = 'ISO, YMD'",
          "client_min_messages = warning",
          "default_transaction_isolation = 'read committed'"}) {
        EXPECT_THAT(text, HasSubstr(setting));
    }
}

TEST(SessionSettings, DisableSequentialScansForPools) {
    for (const char* const setting : {"enable_seqscan = off", "jit = off"}) {
        EXPECT_THAT(session_settings({.finds_rows_by_index = true}), HasSubstr(setting));
        EXPECT_THAT(session_settings({}), ::testing::Not(HasSubstr(setting)));
    }
}

}  // namespace
}  // namespace reelsd::db
