#pragma once

#include <reelsd/base/error.hpp>

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <stdexcept>

namespace reelsd {

/// A value or an error that the caller handles. Exceptions are for a failing environment (a lost
/// database), aborts for broken invariants. There is no chaining: `if (!r) return r.error();`.
template <class T>
using result = boost::system::result<T, error>;

/// Makes `result<T>::value()` throw when it holds an error. Found by argument-dependent look-up.
[[noreturn]] inline void throw_exception_from_error(
    const error& why, const boost::source_location& /*where*/) {
    throw std::runtime_error{why.to_string()};
}

}  // namespace reelsd
