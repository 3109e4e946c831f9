// Goal: each server of a connection string is tried separately, and all other strings are left to
// libpq.
#include "db/session.hpp"

#include <gtest/gtest.h>

namespace reelsd::db {
namespace {

using hosts = std::vector<connection_host>;

const hosts unchanged{{}};

hosts list_of(std::initializer_list<connection_host> servers) {
    return servers;
}

TEST(ConnectionHosts, LeavesOneServerToLibpq) {
    EXPECT_EQ(hosts_of(""), unchanged);
    EXPECT_EQ(hosts_of("reels"), unchanged);
    EXPECT_EQ(hosts_of("dbname=reels"), unchanged);
    EXPECT_EQ(hosts_of("host=db1 port=5433 dbname=reels"), unchanged);
    EXPECT_EQ(hosts_of("postgresql://reelsd@db1:5433/reels"), unchanged);
    EXPECT_EQ(hosts_of("host=/run/postgresql"), unchanged);
}

TEST(ConnectionHosts, PairsServersAndPorts) {
    const auto expected = list_of({{"db1", "", "5433"}, {"db2", "", "5434"}});
    EXPECT_EQ(hosts_of("host=db1,db2 port=5433,5434 dbname=reels"), expected);
    EXPECT_EQ(
        hosts_of("postgresql://reelsd@db1:5433,db2:5434/reels?target_session_attrs=read-write"),
        expected);
}

TEST(ConnectionHosts, AppliesOnePortToAllServers) {
    EXPECT_EQ(
        hosts_of("host=db1,db2 port=5433"), list_of({{"db1", "", "5433"}, {"db2", "", "5433"}}));
    EXPECT_EQ(hosts_of("host=db1,db2"), list_of({{"db1", "", ""}, {"db2", "", ""}}));
}

TEST(ConnectionHosts, AcceptsAddressesWithAndWithoutNames) {
    EXPECT_EQ(
        hosts_of("host=db1,db2 hostaddr=192.0.2.1,192.0.2.2"),
        list_of({{"db1", "192.0.2.1", ""}, {"db2", "192.0.2.2", ""}}));
    EXPECT_EQ(
        hosts_of("hostaddr=192.0.2.1,192.0.2.2"),
        list_of({{"", "192.0.2.1", ""}, {"", "192.0.2.2", ""}}));
}

TEST(ConnectionHosts, LeavesMismatchedListsToLibpq) {
    EXPECT_EQ(hosts_of("host=db1,db2 port=1,2,3"), unchanged);
    EXPECT_EQ(hosts_of("host=db1,db2 hostaddr=192.0.2.1"), unchanged);
    EXPECT_EQ(hosts_of("host=db1, port=5433"), unchanged);
    EXPECT_EQ(hosts_of("host=,db2"), unchanged);
    EXPECT_EQ(hosts_of("host=db1,db2 port=5433,"), unchanged);
    EXPECT_EQ(hosts_of("host=db1,db2 target_session_attrs=prefer-standby"), unchanged);
    EXPECT_EQ(hosts_of("host=db1,db2 nonsense=1"), unchanged);
}

TEST(ConnectionHosts, SelectWritableOnlyWithAnotherServerAndReadWrite) {
    EXPECT_TRUE(selects_writable("host=db1,db2 target_session_attrs=read-write"));
    EXPECT_TRUE(selects_writable("postgresql://db1,db2/reels?target_session_attrs=read-write"));
    EXPECT_TRUE(selects_writable("hostaddr=192.0.2.1,192.0.2.2 target_session_attrs=read-write"));
    EXPECT_FALSE(selects_writable("host=db1 target_session_attrs=read-write"));
    EXPECT_FALSE(selects_writable("host=db1,db2"));
    EXPECT_FALSE(selects_writable("host=db1,db2 target_session_attrs=primary"));
    EXPECT_FALSE(selects_writable("reels"));
}

}  // namespace
}  // namespace reelsd::db
