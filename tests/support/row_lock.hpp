#pragma once

#include "test_database.hpp"
#include <reelsd/base/ids.hpp>

#include <string>

namespace reelsd::test {

/// A transaction of another session that has locked a job's row, as an operator's in psql does. It
/// ends with release(), with this object, or after 10 s without a statement.
class row_lock {
public:
    row_lock(test_loop& loop, const std::string& connection_string, job_id job)
        : loop_{loop},
          pool_{loop.context().get_executor(), options(connection_string), log::logger::silent()} {
        static constexpr db::query begin{"test.begin", "BEGIN"};
        static constexpr db::query lock{
            "test.lock_row", "SELECT id FROM job WHERE id = $1 FOR UPDATE"};
        pool_.start();
        loop_.run(pool_.run(by(), begin));
        loop_.run(pool_.run(by(), lock, job));
    }

    void release() {
        static constexpr db::query end{"test.rollback", "ROLLBACK"};
        loop_.run(pool_.run(by(), end));
    }

private:
    static db::pool_options options(const std::string& connection_string) {
        db::pool_options options;
        options.connection_string = connection_string;
        options.connections = 1;
        return options;
    }
    static deadline by() { return deadline::after(patience); }

    test_loop& loop_;
    db::pool pool_;
};

}  // namespace reelsd::test
