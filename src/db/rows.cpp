#include "result_set.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/rows.hpp>

#include <algorithm>
#include <charconv>

namespace reelsd::db {

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
    const std::string_view text = PQcmdTuples(set_->raw());
    std::int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);  // Empty for other commands: 0.
    return count;
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
    const auto number = static_cast<int>(match - columns.begin());
    PGresult* const raw = set_->raw();
    const auto length = static_cast<std::size_t>(PQgetlength(raw, index_, number));
    return {
        .query = set_->query(),
        .column = *match,
        .bytes = {PQgetvalue(raw, index_, number), length},
        .type = PQftype(raw, number),
        .null = PQgetisnull(raw, index_, number) != 0};
}

}  // namespace reelsd::db
