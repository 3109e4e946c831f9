#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/ids.hpp>

#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

struct pg_result;

namespace reelsd::db {

/// One value of a result, in the server's binary form.
struct cell {
    std::string_view query;
    std::string_view column;
    std::string_view bytes;
    std::uint32_t type;  ///< pg_type.oid.
    bool null;
};

/// Decodes a cell. Throws schema_mismatch when the column has another type, when the value is null
/// (except for an optional), or when the bytes are malformed. Statements must cast all other types
/// (numeric, xid, date) to one of these.
void decode(const cell& from, std::int64_t& into);  ///< smallint, integer, bigint
void decode(const cell& from, std::int32_t& into);  ///< smallint, integer
void decode(const cell& from, bool& into);          ///< boolean
void decode(const cell& from, double& into);        ///< double precision
/// text, varchar, name, json and enums; the result points into the rows
void decode(const cell& from, std::string_view& into);
void decode(const cell& from, std::string& into);             ///< as for a std::string_view
void decode(const cell& from, time_point& into);              ///< timestamptz; not infinity, not BC
void decode(const cell& from, std::vector<std::byte>& into);  ///< bytea
void decode(const cell& from, std::vector<std::string>& into);  ///< text[]
void decode(const cell& from, seconds_f& into);                 ///< double precision
/// Throws schema_mismatch for a text that is no enumerator.
[[noreturn]] void throw_unknown_name(const cell& from);

template <class Tag>
void decode(const cell& from, strong_id<Tag>& into) {
    decode(from, into.value);
}

template <class Value>
void decode(const cell& from, std::optional<Value>& into) {
    if (from.null) {
        into.reset();
    } else {
        decode(from, into.emplace());
    }
}

template <described_enum Enum>
void decode(const cell& from, Enum& into) {
    std::string_view name;
    decode(from, name);
    const auto value = enum_from<Enum>(name);
    if (!value) throw_unknown_name(from);
    into = *value;
}

/// A struct whose members are listed by BOOST_DESCRIBE_STRUCT, each with the name of its column.
template <class Record>
concept described_record = boost::describe::has_describe_members<Record>::value;

/// A view of one row, valid while its `rows` exist (they may be moved).
class row {
public:
    /// Returns the column's value. Throws schema_mismatch; see decode().
    template <class Value>
    [[nodiscard]] Value as(std::string_view column) const {
        Value value{};
        decode(at(column), value);
        return value;
    }

    [[nodiscard]] bool is_null(std::string_view column) const { return at(column).null; }

    /// Returns the listed members of a described record, and of the records in it, from the columns
    /// of their names; otherwise the value of the only column.
    template <class Record>
    [[nodiscard]] Record to() const {
        Record record{};
        if constexpr (described_record<Record>) {
            fill(record);
        } else {
            decode(only(), record);
        }
        return record;
    }

private:
    friend class rows;
    row(const class result_set& set, int index) noexcept : set_{&set}, index_{index} {}

    [[nodiscard]] cell at(std::string_view column) const;
    [[nodiscard]] cell only() const;
    [[nodiscard]] cell cell_at(int column) const;

    template <class Record>
    void fill(Record& record) const {
        using members = boost::describe::describe_members<Record, boost::describe::mod_public>;
        boost::mp11::mp_for_each<members>([&](auto member) {
            auto& value = record.*member.pointer;
            if constexpr (described_record<std::decay_t<decltype(value)>>) {
                fill(value);
            } else {
                decode(at(member.name), value);
            }
        });
    }

    const class result_set* set_;
    int index_;
};

/// The result of one statement; owns its memory. Immutable: any thread may read it, one at a time.
class rows {
public:
    /// Takes ownership of `set`, a libpq result. Only `src/db` and its tests create rows.
    rows(const char* query_name, pg_result* set);
    rows() noexcept;  ///< No rows.
    rows(rows&& other) noexcept;
    rows& operator=(rows&& other) noexcept;
    ~rows();

    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    /// Number of rows that an INSERT, UPDATE, DELETE, MERGE or SELECT changed or returned.
    [[nodiscard]] std::int64_t affected() const noexcept;

    /// Aborts unless `index` is below size().
    [[nodiscard]] row operator[](std::size_t index) const&;
    row operator[](std::size_t index) && = delete;  ///< The row would outlive its rows.

    /// Returns the only row; throws schema_mismatch when there are none or several.
    [[nodiscard]] row one() const&;
    row one() && = delete;
    /// Returns the only row, or nothing; throws schema_mismatch when there are several.
    [[nodiscard]] std::optional<row> one_or_none() const&;
    std::optional<row> one_or_none() && = delete;

    /// Returns `decode_row(row)` for each row, in order. The values must own their data if they
    /// outlive the rows.
    template <class Function>
    [[nodiscard]] auto map(Function decode_row) const {
        std::vector<std::decay_t<std::invoke_result_t<Function&, row>>> values;
        values.reserve(size());
        for (const row next : *this) values.push_back(std::invoke(decode_row, next));
        return values;
    }

    /// Returns `decode_row(row)` for the only row, or nothing; throws schema_mismatch when there
    /// are several.
    template <class Function>
    [[nodiscard]] auto map_one(Function decode_row) const {
        using value = std::decay_t<std::invoke_result_t<Function&, row>>;
        const auto only = one_or_none();
        return only ? std::optional<value>{std::invoke(decode_row, *only)} : std::nullopt;
    }

    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = row;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = row;

        row operator*() const { return (*rows_)[index_]; }
        iterator& operator++() {
            ++index_;
            return *this;
        }
        friend bool operator==(const iterator&, const iterator&) = default;

    private:
        friend class rows;
        iterator(const rows& parent, std::size_t index) noexcept : rows_{&parent}, index_{index} {}

        const rows* rows_;
        std::size_t index_;
    };

    [[nodiscard]] iterator begin() const noexcept { return {*this, 0}; }
    [[nodiscard]] iterator end() const noexcept { return {*this, size()}; }

private:
    std::unique_ptr<const class result_set> set_;
};

}  // namespace reelsd::db
