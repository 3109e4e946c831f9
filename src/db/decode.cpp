#include "time_text.hpp"
#include <reelsd/db/errors.hpp>
#include <reelsd/db/rows.hpp>

#include <charconv>
#include <initializer_list>
#include <span>

namespace reelsd::db {
namespace {

/// pg_type.oid of the types that are built in; they never change. Source: pg_type.dat,
/// PostgreSQL 15.
namespace oid {
constexpr std::uint32_t boolean = 16;
constexpr std::uint32_t bytea = 17;
constexpr std::uint32_t int8 = 20;
constexpr std::uint32_t int2 = 21;
constexpr std::uint32_t int4 = 23;
constexpr std::uint32_t float4 = 700;
constexpr std::uint32_t float8 = 701;
constexpr std::uint32_t int2_array = 1005;
constexpr std::uint32_t int4_array = 1007;
constexpr std::uint32_t text_array = 1009;
constexpr std::uint32_t varchar_array = 1015;
constexpr std::uint32_t int8_array = 1016;
constexpr std::uint32_t float4_array = 1021;
constexpr std::uint32_t float8_array = 1022;
constexpr std::uint32_t timestamptz = 1184;
constexpr std::uint32_t numeric = 1700;
}  // namespace oid

[[noreturn]] void mismatch(const cell& from, std::string_view why) {
    throw schema_mismatch{
        std::string{from.query} + ": column " + std::string{from.column} + " (type " +
        std::to_string(from.type) + ") " + std::string{why}};
}

void expect(const cell& from, std::initializer_list<std::uint32_t> types, std::string_view wanted) {
    if (from.null) mismatch(from, "is null");
    for (const auto type : types) {
        if (from.type == type) return;
    }
    mismatch(from, std::string{"is not "}.append(wanted));
}

template <class Number>
Number number_from(const cell& from, std::string_view text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc{} || stop != end) mismatch(from, "holds no such number");
    return number;
}

/// Splits the text form of a one-dimensional array: {1,2}, {"a \"b\"",c}. Nulls and nested arrays
/// are mismatches: no column of ours has them.
class array_reader {
public:
    explicit array_reader(const cell& from) : from_{from}, rest_{from.text} {
        if (rest_.size() < 2 || rest_.front() != '{' || rest_.back() != '}') malformed();
        rest_ = rest_.substr(1, rest_.size() - 2);
    }

    [[nodiscard]] std::vector<std::string> elements() {
        std::vector<std::string> all;
        while (!rest_.empty()) {
            all.push_back(rest_.front() == '"' ? quoted() : plain());
            if (rest_.empty()) break;
            if (rest_.front() != ',' || rest_.size() == 1) malformed();
            rest_.remove_prefix(1);
        }
        return all;
    }

private:
    [[noreturn]] void malformed() const { mismatch(from_, "holds no one-dimensional array"); }

    std::string plain() {
        const auto length = std::min(rest_.find_first_of(",{}\""), rest_.size());
        std::string element{rest_.substr(0, length)};
        if (element.empty() || element == "NULL") malformed();
        rest_.remove_prefix(length);
        return element;
    }

    std::string quoted() {
        std::string element;
        std::size_t at = 1;
        for (; at < rest_.size() && rest_[at] != '"'; ++at) {
            if (rest_[at] == '\\') ++at;
            if (at == rest_.size()) malformed();
            element.push_back(rest_[at]);
        }
        if (at >= rest_.size()) malformed();
        rest_.remove_prefix(at + 1);
        return element;
    }

    const cell& from_;
    std::string_view rest_;
};

template <class Number>
std::vector<Number> numbers_from(const cell& from) {
    std::vector<Number> numbers;
    for (const auto& element : array_reader{from}.elements()) {
        numbers.push_back(number_from<Number>(from, element));
    }
    return numbers;
}

std::byte nibble(const cell& from, char digit) {
    if (digit >= '0' && digit <= '9') return static_cast<std::byte>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<std::byte>(digit - 'a' + 10);
    mismatch(from, "holds no bytes in hexadecimal form");
}

}  // namespace

void decode(const cell& from, std::int64_t& into) {
    expect(from, {oid::int2, oid::int4, oid::int8}, "an integer");
    into = number_from<std::int64_t>(from, from.text);
}

void decode(const cell& from, std::int32_t& into) {
    expect(from, {oid::int2, oid::int4}, "an integer of 32 bits");
    into = number_from<std::int32_t>(from, from.text);
}

void decode(const cell& from, bool& into) {
    expect(from, {oid::boolean}, "a boolean");
    if (from.text != "t" && from.text != "f") mismatch(from, "holds no truth value");
    into = from.text == "t";
}

void decode(const cell& from, double& into) {
    expect(from, {oid::float4, oid::float8, oid::numeric}, "a number");
    into = number_from<double>(from, from.text);
}

void decode(const cell& from, std::string_view& into) {
    if (from.null) mismatch(from, "is null");
    if (from.type == oid::bytea) mismatch(from, "is bytes, not text");
    into = from.text;
}

void decode(const cell& from, std::string& into) {
    std::string_view text;
    decode(from, text);
    into = text;
}

void decode(const cell& from, time_point& into) {
    expect(from, {oid::timestamptz}, "a timestamptz");
    const auto when = timestamp_from_text(from.text);
    if (!when) mismatch(from, "holds no time of the years 1 to 9999");
    into = *when;
}

void decode(const cell& from, std::vector<std::byte>& into) {
    expect(from, {oid::bytea}, "bytea");
    if (!from.text.starts_with("\\x") || from.text.size() % 2 != 0) {
        mismatch(from, "holds no bytes in hexadecimal form");
    }
    const auto digits = from.text.substr(2);
    into.resize(digits.size() / 2);
    for (std::size_t i = 0; i < into.size(); ++i) {
        into[i] = (nibble(from, digits[2 * i]) << 4) | nibble(from, digits[2 * i + 1]);
    }
}

void decode(const cell& from, std::vector<std::int64_t>& into) {
    expect(from, {oid::int2_array, oid::int4_array, oid::int8_array}, "an array of integers");
    into = numbers_from<std::int64_t>(from);
}

void decode(const cell& from, std::vector<double>& into) {
    expect(from, {oid::float4_array, oid::float8_array}, "an array of numbers");
    into = numbers_from<double>(from);
}

void decode(const cell& from, std::vector<std::string>& into) {
    expect(from, {oid::text_array, oid::varchar_array}, "an array of text");
    into = array_reader{from}.elements();
}

}  // namespace reelsd::db
