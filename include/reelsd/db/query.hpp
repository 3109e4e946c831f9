#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/ids.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::db {

/// Whether a full pool still accepts a statement.
enum class priority : std::uint8_t {
    usual,
    /// Protects accepted work and its costs from loss: see pool_options::in_flight_reserve.
    essential,
};

/// One SQL statement and its name. Both are literals: the sets of prepared statements and metric
/// names are closed at compile time, and no client text can become SQL.
/// The name is unique in the program and consists of [a-z0-9_.]; prepared statements, errors and
/// metrics use it.
class query {
public:
    template <std::size_t NameSize, std::size_t TextSize>
    // NOLINTBEGIN(modernize-avoid-c-arrays): the type of a literal
    consteval query(
        const char (&name)[NameSize], const char (&text)[TextSize],
        priority urgency = priority::usual)
        // NOLINTEND(modernize-avoid-c-arrays)
        : name_{name}, text_{text}, priority_{urgency} {
        // PostgreSQL cuts names at 63 characters, and statement_cache appends a number.
        static_assert(NameSize > 1 && NameSize <= 49, "a query has a name of 1-48 characters");
        static_assert(TextSize > 1, "a query has a text");
        for (std::size_t i = 0; i + 1 < NameSize; ++i) {
            const char c = name[i];
            const bool plain =
                (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
            if (!plain) throw "a query's name is made of [a-z0-9_.]";  // Does not compile.
        }
    }

    [[nodiscard]] constexpr const char* name() const noexcept { return name_; }
    [[nodiscard]] constexpr const char* text() const noexcept { return text_; }
    [[nodiscard]] constexpr bool is_essential() const noexcept {
        return priority_ == priority::essential;
    }

private:
    const char* name_;
    const char* text_;
    priority priority_;
};

class essential_query : public query {
public:
    template <std::size_t NameSize, std::size_t TextSize>
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): the type of a literal
    consteval essential_query(const char (&name)[NameSize], const char (&text)[TextSize])
        : query{name, text, priority::essential} {}
};

namespace detail {

/// Each of its values fits in a `bigint`.
template <class Integer>
concept short_unsigned = std::unsigned_integral<Integer> && !std::same_as<Integer, bool> &&
                         sizeof(Integer) < sizeof(std::int64_t);

template <class Value>
concept not_a_byte = !std::same_as<Value, std::byte>;

}  // namespace detail

/// JSON text for `json` and `jsonb` columns.
struct json_text {
    std::string text;
};

/// One parameter value of a statement, ready to send. Converts from numbers, bool, text, json_text,
/// time_point, seconds, bytes, strong ids, described enums (by name), optionals of these (empty is
/// NULL), and vectors of these (one-dimensional arrays). The client never declares types to the
/// server; the statement's text determines them. Where the context is ambiguous, write a cast
/// (`$1::timestamptz`).
class parameter {
public:
    // NOLINTBEGIN(google-explicit-constructor): values convert where a query is run
    parameter(std::nullptr_t) noexcept {}  // NULL
    parameter(std::nullopt_t) noexcept {}  // NULL
    template <std::same_as<bool> Bool>
    parameter(Bool truth) : value_{truth ? "true" : "false"} {}
    template <std::signed_integral Integer>
    parameter(Integer number) : parameter{from_integer(number)} {}
    template <detail::short_unsigned Integer>
    parameter(Integer number) : parameter{from_integer(number)} {}
    parameter(double number);
    parameter(std::string text) : value_{std::move(text)} {}
    parameter(std::string_view text) : value_{text} {}
    parameter(const char* text) : value_{text} {}
    parameter(json_text document) : value_{std::move(document.text)} {}
    parameter(time_point when);
    parameter(seconds_f time) : parameter{time.count()} {}
    template <described_enum Enum>
    parameter(Enum value) : parameter{reelsd::name_of(value)} {}
    /// A bytea; vectors and arrays of std::byte convert.
    parameter(std::span<const std::byte> octets);
    template <std::size_t Size>
    parameter(const std::array<std::uint8_t, Size>& octets)
        : parameter{std::as_bytes(std::span{octets})} {}
    template <class Tag>
    parameter(strong_id<Tag> id) : parameter{from_integer(id.value)} {}
    template <class Value>
    parameter(const std::optional<Value>& value)
        : parameter{value ? parameter{*value} : parameter{nullptr}} {}
    template <detail::not_a_byte Value>
    parameter(const std::vector<Value>& values) : parameter{array_of(values, std::identity{})} {}
    // NOLINTEND(google-explicit-constructor)

    /// An array of a member, or of another projection, of each item.
    template <class Item, class Projection>
    [[nodiscard]] static parameter array_of(const std::vector<Item>& items, Projection projection) {
        parameter array{"{"};
        for (const auto& item : items) {
            array.append_element(parameter{std::invoke(projection, item)});
        }
        array.value_->push_back('}');
        return array;
    }

    [[nodiscard]] bool is_null() const noexcept { return !value_; }
    /// True only for bytes; other values are sent as text.
    [[nodiscard]] bool is_binary() const noexcept { return binary_; }
    /// The bytes to send; empty for NULL.
    [[nodiscard]] std::string_view value() const noexcept {
        return value_ ? std::string_view{*value_} : std::string_view{};
    }
    /// NUL-terminated; null for NULL. Valid until this object is moved or destroyed.
    [[nodiscard]] const char* data() const noexcept { return value_ ? value_->c_str() : nullptr; }
    /// False for text with a NUL character, where libpq would cut it, and for a time outside the
    /// years 1 to 9999. Running a query with such a value throws db::refused.
    [[nodiscard]] bool sendable() const noexcept;

private:
    [[nodiscard]] static parameter from_integer(std::int64_t number);
    void append_element(const parameter& element);

    std::optional<std::string> value_;
    bool binary_ = false;
    bool out_of_range_ = false;
};

/// Returns a member of each item, as an array parameter: `column(jobs, &job::id)`.
template <class Item, class Projection>
[[nodiscard]] parameter column(const std::vector<Item>& items, Projection projection) {
    return parameter::array_of(items, projection);
}

}  // namespace reelsd::db
