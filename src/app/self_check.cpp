#include "commands.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <chrono>
#include <stop_token>

namespace reelsd::app {
namespace {

/// A daemon that is well answers in milliseconds; /readyz waits for its database for 2 s. Whoever
/// runs this program gives it some 10 s.
constexpr std::chrono::seconds health_time_max{5};

/// Where the daemon listens, seen from its own machine: not where people reach it.
std::string own_origin(const settings& with) {
    auto own = with;
    own.public_url.clear();
    const auto origin = public_origin(own, own.listen.port);
    // As what may be asked is compared: without the port that is the scheme's own.
    const auto parsed = net::url::parse(origin);
    return parsed ? parsed->origin() : origin;
}

}  // namespace

result<void> execute(
    const healthcheck_command& /*unused*/, const settings& with, const log::logger& /*unused*/) {
    if (with.listen.port == 0) {
        return error{
            errc::invalid_argument,
            "listen has port 0: the log alone knows which one the daemon has taken"};
    }
    const auto origin = own_origin(with);
    const net::http_client client{
        {.policy = {.host_suffixes = {}, .allow_private = false, .trusted_origins = {origin}},
         .ca_file = {},
         .any_certificate = true}};
    const auto answer = client.send(
        {.url = origin + "/readyz"}, deadline::after(health_time_max), std::stop_token{});
    if (!answer) {
        const auto& why = answer.error();
        return error{why.code(), fmt::format("{} does not answer: {}", origin, why.detail())};
    }
    if (answer->status() == 200) return {};
    return error{
        errc::database_unavailable,
        fmt::format("{} is not ready: {} {}", origin, answer->status(), answer->body)};
}

}  // namespace reelsd::app
