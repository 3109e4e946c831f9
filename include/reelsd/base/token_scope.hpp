#pragma once

#include <reelsd/base/enum_names.hpp>

#include <cstdint>

namespace reelsd {

/// What an API token may do, as in SQL, JSON and on the command line; see api::is_within().
BOOST_DEFINE_FIXED_ENUM_CLASS(token_scope, std::uint8_t, all, read, submit)

}  // namespace reelsd
