#include "session_host.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

namespace reelsd::http {

session_host::session_host(const router& known_routes, log::logger lines, server_options wanted)
    : routes{known_routes},
      log{std::move(lines)},
      options{std::move(wanted)},
      buffered{options.buffered_bytes_max},
      keep_alive_hint{fmt::format(
          "timeout={}",
          std::chrono::duration_cast<std::chrono::seconds>(options.idle_time_max).count())},
      random{std::random_device{}()} {}

std::string session_host::new_request_id() {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::size_t size = 16;
    auto number = random();
    std::string id(size, digits.front());
    for (char& digit : id) {
        digit = digits[number % digits.size()];
        number /= digits.size();
    }
    return id;
}

}  // namespace reelsd::http
