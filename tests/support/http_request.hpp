#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/http/request.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::testing {

/// A request for tests of routers and handlers; `target` is well-formed. Throws otherwise.
inline http::request make_request(
    http::verb method, std::string target, std::string body = {},
    std::initializer_list<std::pair<std::string_view, std::string_view>> headers = {}) {
    http::request request;
    request.method = method;
    request.method_text = http::name_of(method);
    request.target = http::request_target::parse(std::move(target)).value();
    request.body = std::move(body);
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    request.id = "test";
    request.remote = "127.0.0.1";
    return request;
}

}  // namespace reelsd::testing
