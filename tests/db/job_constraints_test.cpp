#include "support/test_database.hpp"
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>

namespace reelsd {
namespace {

class JobConstraints : public test::database_test {
protected:
    /// Whether the schema accepts this row. `columns` and `values` are SQL.
    [[nodiscard]] bool accepts(const std::string& columns, const std::string& values) const {
        const auto outcome = db::run_script(
            connection_string(),
            "INSERT INTO account (email) VALUES ('a@b.c') ON CONFLICT DO NOTHING;"
            "INSERT INTO job (account_id, url, " +
                columns + ") SELECT id, 'x', " + values + " FROM account LIMIT 1;",
            soon());
        return outcome.has_value();
    }
};

// Goal: the schema refuses inconsistent rows of a faulty program.
TEST_F(JobConstraints, RefuseInconsistentRows) {
    struct test_case {
        const char* what;
        const char* columns;
        const char* values;
        bool accepted;
    };
    constexpr test_case cases[] = {
        {"pending", "status", "'pending'", true},
        {"processing under a lease",
         "status, lease_until, worker, started_at",
         "'processing', now(), 'w', now()",
         true},
        {"processing without a lease",
         "status, worker, started_at",
         "'processing', 'w', now()",
         false},
        {"processing without a worker",
         "status, lease_until, started_at",
         "'processing', now(), now()",
         false},
        {"processing never started",
         "status, lease_until, worker",
         "'processing', now(), 'w'",
         false},
        {"done",
         "status, result, code, author, summary, analyzed_at, finished_at, started_at",
         "'done', '{}', '', '', '', now(), now(), now()",
         true},
        {"done without the fields of lists",
         "status, result, analyzed_at, finished_at, started_at",
         "'done', '{}', now(), now(), now()",
         false},
        {"done without a result",
         "status, code, author, summary, analyzed_at, finished_at, started_at",
         "'done', '', '', '', now(), now(), now()",
         false},
        {"done but never finished",
         "status, result, code, author, summary, analyzed_at, started_at",
         "'done', '{}', '', '', '', now(), now()",
         false},
        {"done with a lease",
         "status, result, code, author, summary, analyzed_at, finished_at, started_at, lease_until",
         "'done', '{}', '', '', '', now(), now(), now(), now()",
         false},
        {"error",
         "status, error_code, error, finished_at",
         "'error', 'internal', 'x', now()",
         true},
        {"error without a code", "status, error, finished_at", "'error', 'x', now()", false},
        {"error without a text",
         "status, error_code, finished_at",
         "'error', 'internal', now()",
         false},
        {"error with an unknown code",
         "status, error_code, error, finished_at",
         "'error', 'magic', 'x', now()",
         false},
        {"pending with a result", "status, result", "'pending', '{}'", false},
        {"more attempts than claims", "attempt, claim", "2, 1", false},
        {"a negative number of attempts", "attempt", "-1", false},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(accepts(expected.columns, expected.values), expected.accepted) << expected.what;
    }
}

}  // namespace
}  // namespace reelsd
