#pragma once

#include "support/test_database.hpp"
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/pool.hpp>

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace reelsd::db {

/// A test with its own pools on an empty database.
class pool_fixture : public test::empty_database_test {
protected:
    [[nodiscard]] pool_options options() const {
        pool_options options;
        options.connection_string = connection_string();
        return options;
    }

    [[nodiscard]] std::unique_ptr<class pool> open(pool_options options) {
        auto opened = std::make_unique<class pool>(
            loop().context().get_executor(), std::move(options), log::logger::silent());
        opened->start();
        return opened;
    }

    template <class... Values>
    rows ask(const query& what, Values&&... values) {
        return run(pool().run(soon(), what, std::forward<Values>(values)...));
    }

    template <class... Values>
    std::future<rows> ask_later(class pool& from, const query& what, Values&&... values) {
        return asio::co_spawn(
            loop().context(),
            from.run(soon(), what, std::forward<Values>(values)...),
            asio::use_future);
    }

    void script(const std::string& text) {
        const auto done = run_script(connection_string(), text, soon());
        ASSERT_TRUE(done) << done.error().to_string();
    }

    /// Returns the error of the operation; empty if it succeeds.
    template <class Failure>
    std::optional<Failure> failure_of(std::future<rows> outcome) {
        loop().wait_for(outcome);
        try {
            static_cast<void>(outcome.get());
        } catch (const Failure& why) {
            return why;
        }
        return {};
    }
};

inline constexpr query echo_number{"test.echo_number", "SELECT $1::bigint AS number"};
inline constexpr query sleep_for{"test.sleep_for", "SELECT pg_sleep($1)"};

}  // namespace reelsd::db
