#pragma once

#include <libpq-fe.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::db {

struct result_deleter {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using result_ptr = std::unique_ptr<PGresult, result_deleter>;

/// A libpq result with cached column names, because PQfnumber copies and folds the name at every
/// call.
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

}  // namespace reelsd::db
