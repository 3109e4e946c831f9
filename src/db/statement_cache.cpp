#include "statement_cache.hpp"

#include <reelsd/base/invariant.hpp>

#include <fmt/format.h>

namespace reelsd::db {

std::string statement_cache::server_name(const query& what, std::uint64_t number) {
    return fmt::format("{}#{}", what.name(), number);
}

statement_cache::use statement_cache::acquire(const query& what) {
    entry& known = entries_.try_emplace(what.name(), entry{what.text(), 0}).first->second;
    // Two literals with the same text may have different addresses.
    invariant(known.text == what.text() || std::string_view{known.text} == what.text());

    const bool must_prepare = known.number == 0;
    if (must_prepare) known.number = ++last_number_;
    return {known.number, server_name(what, known.number), must_prepare};
}

void statement_cache::forget(const query& what, std::uint64_t number) {
    const auto known = entries_.find(what.name());
    if (known != entries_.end() && known->second.number == number) known->second.number = 0;
}

}  // namespace reelsd::db
