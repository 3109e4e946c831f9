#pragma once

#include <reelsd/base/error_reason.hpp>
#include <reelsd/base/result.hpp>

#include <boost/system/result.hpp>

#include <string>
#include <utility>

namespace reelsd {

/// A fault of a client's request: invalid_argument, with the text for the client and the reason.
class request_error : public error {
public:
    request_error(error_reason reason, std::string text_for_client)
        : error{errc::invalid_argument, std::move(text_for_client)}, reason_{reason} {}
    /// Returned by Boost's result when it holds a value.
    request_error() : request_error{error_reason::request_malformed, "no error"} {}

    [[nodiscard]] error_reason reason() const noexcept { return reason_; }

private:
    error_reason reason_;
};

/// What a request gives, or why it is refused.
template <class T>
using input = boost::system::result<T, request_error>;

}  // namespace reelsd
