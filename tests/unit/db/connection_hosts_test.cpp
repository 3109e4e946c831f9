// Goal: of a connection string with several servers each is tried by itself, and nothing else that
// libpq takes is taken apart.
#include "db/connection_string.hpp"

#include <gtest/gtest.h>

namespace reelsd::db {
namespace {

using hosts = std::vector<connection_host>;

const hosts as_it_says{{}};

hosts made(std::initializer_list<connection_host> list) {
    return list;
}

TEST(ConnectionHosts, OneServerIsLeftToLibpq) {
    EXPECT_EQ(hosts_of(""), as_it_says);
    EXPECT_EQ(hosts_of("reels"), as_it_says);
    EXPECT_EQ(hosts_of("dbname=reels"), as_it_says);
    EXPECT_EQ(hosts_of("host=db1 port=5433 dbname=reels"), as_it_says);
    EXPECT_EQ(hosts_of("postgresql://reelsd@db1:5433/reels"), as_it_says);
    EXPECT_EQ(hosts_of("host=/run/postgresql"), as_it_says);
}

TEST(ConnectionHosts, EachServerHasItsPort) {
    const auto expected = made({{"db1", "", "5433"}, {"db2", "", "5434"}});
    EXPECT_EQ(hosts_of("host=db1,db2 port=5433,5434 dbname=reels"), expected);
    EXPECT_EQ(
        hosts_of("postgresql://reelsd@db1:5433,db2:5434/reels?target_session_attrs=read-write"),
        expected);
}

TEST(ConnectionHosts, OnePortIsThatOfAll) {
    EXPECT_EQ(hosts_of("host=db1,db2 port=5433"), made({{"db1", "", "5433"}, {"db2", "", "5433"}}));
    EXPECT_EQ(hosts_of("host=db1,db2"), made({{"db1", "", ""}, {"db2", "", ""}}));
}

TEST(ConnectionHosts, AddressesStandBesideNamesOrAlone) {
    EXPECT_EQ(
        hosts_of("host=db1,db2 hostaddr=192.0.2.1,192.0.2.2"),
        made({{"db1", "192.0.2.1", ""}, {"db2", "192.0.2.2", ""}}));
    EXPECT_EQ(
        hosts_of("hostaddr=192.0.2.1,192.0.2.2"),
        made({{"", "192.0.2.1", ""}, {"", "192.0.2.2", ""}}));
}

TEST(ConnectionHosts, WhatDoesNotFitIsLeftToLibpq) {
    EXPECT_EQ(hosts_of("host=db1,db2 port=1,2,3"), as_it_says);
    EXPECT_EQ(hosts_of("host=db1,db2 hostaddr=192.0.2.1"), as_it_says);
    EXPECT_EQ(hosts_of("host=db1, port=5433"), as_it_says);
    EXPECT_EQ(hosts_of("host=,db2"), as_it_says);
    EXPECT_EQ(hosts_of("host=db1,db2 port=5433,"), as_it_says);
    EXPECT_EQ(hosts_of("host=db1,db2 target_session_attrs=prefer-standby"), as_it_says);
    EXPECT_EQ(hosts_of("host=db1,db2 nonsense=1"), as_it_says);
}

}  // namespace
}  // namespace reelsd::db
