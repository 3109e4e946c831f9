#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/pool.hpp>

#include <boost/describe/class.hpp>  // For the records of the stores.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace reelsd::db {

/// Base of the classes that read and write tables: a cheap value around the pool, which outlives
/// it. Each operation throws like pool::run(). Thread: the loop's.
class store {
public:
    explicit store(db::pool& pool) noexcept : pool_{&pool} {}

protected:
    /// Runs one statement within `by`.
    template <class... Values>
    [[nodiscard]] awaitable<rows> run(deadline by, const query& what, Values&&... values) const {
        return pool_->run(by, what, std::forward<Values>(values)...);
    }
    /// The same, for the statement's rows. See row::to().
    template <class Record, class... Values>
    [[nodiscard]] awaitable<std::vector<Record>> read_all(
        deadline by, const query& what, Values&&... values) const {
        return all_of<Record>(run(by, what, std::forward<Values>(values)...));
    }
    /// For a statement that returns one row.
    template <class Record, class... Values>
    [[nodiscard]] awaitable<Record> read_one(
        deadline by, const query& what, Values&&... values) const {
        return one_of<Record>(run(by, what, std::forward<Values>(values)...));
    }
    /// For a statement that returns a row or none.
    template <class Record, class... Values>
    [[nodiscard]] awaitable<std::optional<Record>> read_optional(
        deadline by, const query& what, Values&&... values) const {
        return one_or_none_of<Record>(run(by, what, std::forward<Values>(values)...));
    }
    /// Number of rows that the statement changed.
    template <class... Values>
    [[nodiscard]] awaitable<std::int64_t> affected(
        deadline by, const query& what, Values&&... values) const {
        return affected_by(run(by, what, std::forward<Values>(values)...));
    }
    /// Whether the statement changed or returned a row.
    template <class... Values>
    [[nodiscard]] awaitable<bool> changed(
        deadline by, const query& what, Values&&... values) const {
        return changed_by(run(by, what, std::forward<Values>(values)...));
    }
    /// For a statement whose rows do not matter.
    template <class... Values>
    [[nodiscard]] awaitable<void> execute(
        deadline by, const query& what, Values&&... values) const {
        return end_of(run(by, what, std::forward<Values>(values)...));
    }

    [[nodiscard]] db::pool& pool() const noexcept { return *pool_; }

private:
    template <class Record>
    static awaitable<std::vector<Record>> all_of(awaitable<rows> statement) {
        const auto found = co_await std::move(statement);
        co_return found.map(&row::to<Record>);
    }
    template <class Record>
    static awaitable<Record> one_of(awaitable<rows> statement) {
        const auto found = co_await std::move(statement);
        co_return found.one().template to<Record>();
    }
    template <class Record>
    static awaitable<std::optional<Record>> one_or_none_of(awaitable<rows> statement) {
        const auto found = co_await std::move(statement);
        co_return found.map_one(&row::to<Record>);
    }
    static awaitable<std::int64_t> affected_by(awaitable<rows> statement) {
        const auto written = co_await std::move(statement);
        co_return written.affected();
    }
    static awaitable<bool> changed_by(awaitable<rows> statement) {
        const auto written = co_await std::move(statement);
        co_return written.affected() > 0;
    }
    static awaitable<void> end_of(awaitable<rows> statement) {
        static_cast<void>(co_await std::move(statement));
    }

    db::pool* pool_;
};

/// Cuts a page to `items_max` items. Returns whether it had more: then there is a next page.
template <class Item>
[[nodiscard]] bool cut_page(std::vector<Item>& items, int items_max) {
    if (items.size() <= static_cast<std::size_t>(items_max)) return false;
    items.resize(static_cast<std::size_t>(items_max));
    return true;
}

}  // namespace reelsd::db
