#pragma once

#include <boost/asio/awaitable.hpp>

namespace reelsd {

using boost::asio::awaitable;

}  // namespace reelsd
