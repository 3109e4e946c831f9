#include "session.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/rows.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <initializer_list>
#include <span>

namespace reelsd::db {

/// A libpq result with cached column names, because PQfnumber folds the name at every call.
class result_set {
public:
    result_set(const char* query_name, result_ptr result)
        : query_{query_name}, result_{std::move(result)} {
        const int columns = PQnfields(result_.get());
        columns_.reserve(static_cast<std::size_t>(columns));
        for (int i = 0; i < columns; ++i) columns_.emplace_back(PQfname(result_.get(), i));
    }

    [[nodiscard]] std::string_view query() const noexcept { return query_; }
    [[nodiscard]] PGresult* raw() const noexcept { return result_.get(); }
    [[nodiscard]] const std::vector<std::string_view>& columns() const noexcept { return columns_; }

private:
    const char* query_;  ///< A literal, see db::query.
    result_ptr result_;
    std::vector<std::string_view> columns_;
};

rows::rows(const char* query_name, pg_result* set)
    : set_{std::make_unique<const result_set>(query_name, result_ptr{set})} {}

rows::rows() noexcept = default;
rows::rows(rows&& other) noexcept = default;
rows& rows::operator=(rows&& other) noexcept = default;
rows::~rows() = default;

std::size_t rows::size() const noexcept {
    return set_ ? static_cast<std::size_t>(PQntuples(set_->raw())) : 0;
}

std::int64_t rows::affected() const noexcept {
    if (!set_) return 0;
    // Empty for other commands.
    return parse_number<std::int64_t>(PQcmdTuples(set_->raw())).value_or(0);
}

row rows::operator[](std::size_t index) const& {
    invariant(index < size());
    return row{*set_, static_cast<int>(index)};
}

row rows::one() const& {
    if (const auto only = one_or_none()) return *only;
    const std::string_view query = set_ ? set_->query() : "?";
    throw schema_mismatch{std::string{query} + ": one row expected, none found"};
}

std::optional<row> rows::one_or_none() const& {
    if (size() > 1) {
        throw schema_mismatch{
            std::string{set_->query()} + ": at most one row expected, " + std::to_string(size()) +
            " found"};
    }
    if (empty()) return {};
    return (*this)[0];
}

cell row::at(std::string_view column) const {
    const auto& columns = set_->columns();
    const auto match = std::find(columns.begin(), columns.end(), column);
    if (match == columns.end()) {
        throw schema_mismatch{std::string{set_->query()} + ": no column " + std::string{column}};
    }
    return cell_at(static_cast<int>(match - columns.begin()));
}

cell row::only() const {
    if (set_->columns().size() == 1) return cell_at(0);
    throw schema_mismatch{std::string{set_->query()} + ": one column expected"};
}

cell row::cell_at(int column) const {
    PGresult* const raw = set_->raw();
    const auto length = static_cast<std::size_t>(PQgetlength(raw, index_, column));
    return {
        .query = set_->query(),
        .column = set_->columns()[static_cast<std::size_t>(column)],
        .bytes = {PQgetvalue(raw, index_, column), length},
        .type = PQftype(raw, column),
        .null = PQgetisnull(raw, index_, column) != 0};
}

namespace {

/// pg_type.oid of the built-in types; they never change. Source: pg_type.dat, PostgreSQL 15.
namespace oid {
constexpr std::uint32_t boolean = 16;
constexpr std::uint32_t bytea = 17;
constexpr std::uint32_t name = 19;
constexpr std::uint32_t int8 = 20;
constexpr std::uint32_t int2 = 21;
constexpr std::uint32_t int4 = 23;
constexpr std::uint32_t text = 25;
constexpr std::uint32_t json = 114;
constexpr std::uint32_t float8 = 701;
constexpr std::uint32_t text_array = 1009;
constexpr std::uint32_t varchar = 1043;
constexpr std::uint32_t timestamptz = 1184;
/// Only the schema's enums are above it. Source: FirstNormalObjectId in transam.h.
constexpr std::uint32_t first_user_type = 16384;
}  // namespace oid

[[noreturn]] void mismatch(const cell& from, std::string_view why) {
    throw schema_mismatch{
        std::string{from.query} + ": column " + std::string{from.column} + " (type " +
        std::to_string(from.type) + ") " + std::string{why}};
}

void expect(
    const cell& from, std::initializer_list<std::uint32_t> types, std::string_view expected) {
    if (from.null) mismatch(from, "is null");
    if (std::ranges::find(types, from.type) != types.end()) return;
    mismatch(from, std::string{"is not "}.append(expected));
}

/// Reads values from a cell, in the server's network byte order.
class byte_reader {
public:
    explicit byte_reader(const cell& from) : from_{from}, rest_{from.bytes} {}

    template <std::integral Number>
    [[nodiscard]] Number number() {
        std::make_unsigned_t<Number> bits = 0;
        for (const char octet : bytes(sizeof bits)) {
            bits = static_cast<decltype(bits)>(bits << 8U) | static_cast<unsigned char>(octet);
        }
        return static_cast<Number>(bits);
    }

    [[nodiscard]] std::string_view bytes(std::size_t count) {
        if (rest_.size() < count) mismatch(from_, "ends too early");
        const auto taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }

    void expect_end() const {
        if (!rest_.empty()) mismatch(from_, "has bytes after its value");
    }

private:
    const cell& from_;
    std::string_view rest_;
};

template <std::integral Number>
Number number_from(const cell& from) {
    byte_reader reader{from};
    const auto number = reader.number<Number>();
    reader.expect_end();
    return number;
}

/// Returns the elements of a one-dimensional array of text. Nulls and nested arrays are mismatches,
/// because no column contains them. Source: array_send() in arrayfuncs.c.
std::vector<std::string> text_elements(const cell& from) {
    byte_reader reader{from};
    const auto dimensions = reader.number<std::uint32_t>();
    static_cast<void>(reader.number<std::uint32_t>());  // Whether there may be nulls.
    const auto type = reader.number<std::uint32_t>();
    if (type != oid::text || dimensions > 1) mismatch(from, "is not a one-dimensional array");
    std::vector<std::string> elements;
    if (dimensions == 1) {
        auto count = reader.number<std::uint32_t>();
        if (reader.number<std::int32_t>() != 1)
            mismatch(from, "contains an array with a lower bound other than 1");
        // Reserves no memory: a malformed count may be any number.
        for (; count > 0; --count) {
            const auto length = reader.number<std::int32_t>();
            if (length < 0) mismatch(from, "contains a null in an array");
            elements.emplace_back(reader.bytes(static_cast<std::size_t>(length)));
        }
    }
    reader.expect_end();
    return elements;
}

/// Microseconds between 1970-01-01 and PostgreSQL's epoch, 2000-01-01.
constexpr std::chrono::microseconds postgres_epoch =
    std::chrono::sys_days{std::chrono::year{2000} / 1 / 1}.time_since_epoch();
constexpr time_point first_time{
    std::chrono::sys_days{std::chrono::year{1} / 1 / 1}.time_since_epoch()};
constexpr time_point end_of_time{
    std::chrono::sys_days{std::chrono::year{10000} / 1 / 1}.time_since_epoch()};

}  // namespace

void decode(const cell& from, std::int64_t& into) {
    expect(from, {oid::int2, oid::int4, oid::int8}, "an integer");
    if (from.type == oid::int8) {
        into = number_from<std::int64_t>(from);
    } else {
        into = from.type == oid::int4 ? number_from<std::int32_t>(from)
                                      : number_from<std::int16_t>(from);
    }
}

void decode(const cell& from, std::int32_t& into) {
    expect(from, {oid::int2, oid::int4}, "an integer of 32 bits");
    into =
        from.type == oid::int4 ? number_from<std::int32_t>(from) : number_from<std::int16_t>(from);
}

void decode(const cell& from, bool& into) {
    expect(from, {oid::boolean}, "a boolean");
    const auto truth = number_from<std::uint8_t>(from);
    if (truth > 1) mismatch(from, "is not a boolean");
    into = truth == 1;
}

void decode(const cell& from, double& into) {
    expect(from, {oid::float8}, "a double precision number");
    into = std::bit_cast<double>(number_from<std::uint64_t>(from));
}

void decode(const cell& from, std::string_view& into) {
    if (from.null) mismatch(from, "is null");
    // Other types have a binary form: their columns need a cast in the statement.
    if (from.type < oid::first_user_type) {
        expect(from, {oid::text, oid::varchar, oid::name, oid::json}, "text");
    }
    into = from.bytes;
}

void decode(const cell& from, std::string& into) {
    std::string_view text;
    decode(from, text);
    into = text;
}

void decode(const cell& from, time_point& into) {
    expect(from, {oid::timestamptz}, "a timestamptz");
    // Compared before the sum, which would overflow for infinity.
    const std::chrono::microseconds since{number_from<std::int64_t>(from)};
    if (since < first_time.time_since_epoch() - postgres_epoch ||
        since >= end_of_time.time_since_epoch() - postgres_epoch) {
        mismatch(from, "is not a time in the years 1 to 9999");
    }
    into = time_point{since + postgres_epoch};
}

void decode(const cell& from, seconds_f& into) {
    double seconds = 0;
    decode(from, seconds);
    into = seconds_f{seconds};
}

void throw_unknown_name(const cell& from) {
    mismatch(from, "has the unknown name " + std::string{from.bytes});
}

void decode(const cell& from, std::vector<std::byte>& into) {
    expect(from, {oid::bytea}, "bytea");
    const auto octets = std::as_bytes(std::span{from.bytes});
    into.assign(octets.begin(), octets.end());
}

void decode(const cell& from, std::vector<std::string>& into) {
    expect(from, {oid::text_array}, "an array of text");
    into = text_elements(from);
}

}  // namespace reelsd::db
