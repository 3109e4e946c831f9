// Goal: each SQLSTATE has one meaning. Method: pure functions, tables.
#include "db/session.hpp"
#include <reelsd/db/errors.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace reelsd::db {
namespace {

using namespace std::chrono_literals;

TEST(ErrcOf, MapsEachState) {
    struct test_case {
        const char* state;
        errc code;
    };
    constexpr test_case cases[] = {
        {"08006", errc::database_unavailable},  // connection failure
        {"0A000", errc::internal},              // feature not supported
        {"21000", errc::internal},              // cardinality violation
        {"22001", errc::invalid_argument},      // string too long
        {"22021", errc::invalid_argument},      // not in the encoding's repertoire
        {"22P05", errc::invalid_argument},      // untranslatable character
        {"23502", errc::internal},              // not null
        {"23503", errc::conflict},              // foreign key
        {"23505", errc::conflict},              // unique
        {"23514", errc::conflict},              // check
        {"25006", errc::database_unavailable},  // read only
        {"25P02", errc::internal},              // in a failed transaction
        {"28P01", errc::internal},              // wrong password
        {"40001", errc::database_unavailable},  // serialization
        {"40P01", errc::database_unavailable},  // deadlock
        {"42501", errc::internal},              // privilege
        {"42601", errc::internal},              // syntax
        {"42P01", errc::internal},              // no such table
        {"53100", errc::storage_failed},        // disk full
        {"53200", errc::database_unavailable},  // out of memory
        {"53300", errc::database_unavailable},  // too many connections
        {"54000", errc::invalid_argument},      // program limit
        {"55P03", errc::database_unavailable},  // lock not available
        {"57014", errc::database_unavailable},  // canceled
        {"57P01", errc::database_unavailable},  // shutting down
        {"57P02", errc::database_unavailable},  // a neighbour crashed
        {"57P03", errc::database_unavailable},  // starting up
        {"58030", errc::storage_failed},        // input or output
        {"P0001", errc::internal},              // raised by a function
        {"XX000", errc::internal},
        {"XX001", errc::storage_failed},  // data corrupted
        {"", errc::internal},
        {"5", errc::internal},
        {"99999", errc::internal},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.state);
        EXPECT_EQ(errc_of(expected.state), expected.code);
    }
}

TEST(OutageOf, DistinguishesTransientErrors) {
    struct test_case {
        const char* state;
        outage reason;
        bool may_have_run;
    };
    constexpr test_case cases[] = {
        {"08006", outage::connection_lost, true},
        {"25006", outage::read_only, false},
        {"40001", outage::contention, false},
        {"40P01", outage::contention, false},
        {"53300", outage::server_unready, false},
        {"55P03", outage::contention, false},
        {"57014", outage::statement_timeout, false},
        {"57P01", outage::server_unready, false},
        {"57P03", outage::server_unready, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.state);
        EXPECT_EQ(outage_of(expected.state), expected.reason);
        const unavailable thrown{expected.reason, "x"};
        EXPECT_EQ(thrown.may_have_run(), expected.may_have_run);
        EXPECT_EQ(thrown.code(), errc::database_unavailable);
    }
}

TEST(FailureOf, ReturnsTheExceptionOfTheErrorCode) {
    const server_error busy{"53300", "sorry, too many clients already"};
    EXPECT_THROW(std::rethrow_exception(failure_of("jobs.get", busy)), unavailable);

    const server_error twice{"23505", "duplicate key"};
    try {
        std::rethrow_exception(failure_of("jobs.add", twice));
    } catch (const refused& why) {
        EXPECT_EQ(why.sqlstate(), "23505");
        EXPECT_EQ(why.code(), errc::conflict);
        EXPECT_STREQ(why.what(), "23505: jobs.add: duplicate key");
    }
}

TEST(Backoff, DoublesUpToASecondAndResets) {
    backoff waits;
    for (const auto expected : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
        EXPECT_EQ(waits.next(), expected);
    }
    waits.reset();
    EXPECT_EQ(waits.next(), 100ms);
}

}  // namespace
}  // namespace reelsd::db
