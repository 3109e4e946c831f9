#include "commands.hpp"

#include "analyzers.hpp"
#include "database.hpp"
#include "setting_table.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/vector_store.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <chrono>
#include <stop_token>

// Commands that consist of one step.
namespace reelsd::app {
namespace {

using namespace std::chrono_literals;

/// A healthy daemon answers in milliseconds; /readyz waits up to 2 s for its database. Container
/// engines allow this program about 10 s.
constexpr auto healthcheck_time_max = 5s;
/// Short, because a user is waiting.
constexpr auto embedder_time_max = 10s;

/// Addresses that the daemon binds, as opposed to the public address.
std::string local_origin(settings config) {
    config.public_url.clear();
    const auto origin = public_origin(config, config.listen.port);
    // In the form of trusted origins: without the scheme's default port.
    const auto parsed = net::url::parse(origin);
    return parsed ? parsed->origin() : origin;
}

std::string_view name_of(value_type type) {
    switch (type) {
        case value_type::text: return "text";
        case value_type::number: return "number";
        case value_type::flag: return "flag";
    }
    return {};
}

json to_json(const setting_definition& definition, std::string_view group) {
    return {
        {"name", definition.name},
        {"group", group},
        {"variable", environment_name(definition.name)},
        {"other_variable", definition.other_variable},
        {"type", name_of(definition.value.type)},
        {"default", definition.default_value},
        {"allowed", accepted_values(definition.value)},
        {"secret", definition.shown == exposure::secret},
        {"help", definition.help}};
}

boost::asio::awaitable<result<void>> make_active(db::pool& pool, std::string name) {
    jobs::vector_store vectors{pool};
    co_await vectors.make_active(name, deadline::after(embedder_time_max));
    fmt::print("{}\n", name);
    co_return result<void>{};
}

}  // namespace

result<void> execute(
    const migrate_command& /*unused*/, const settings& config, const log::logger& log) {
    const auto store = database::open(config, log);
    if (!store) return store.error();
    const auto applied = (*store)->migrate(log);
    if (!applied) return applied.error();
    fmt::print("{} migrations applied, the schema is up to date\n", *applied);
    return {};
}

result<void> execute(
    const healthcheck_command& /*unused*/, const settings& config, const log::logger& /*unused*/) {
    if (config.listen.port == 0) {
        return error{errc::invalid_argument, "listen has port 0: only the log has the actual port"};
    }
    const auto origin = local_origin(config);
    const net::http_client client{
        {.policy = {.host_suffixes = {}, .allow_private = false, .trusted_origins = {origin}},
         .ca_file = {},
         .any_certificate = true}};
    const auto answer = client.send(
        {.url = origin + "/readyz"}, deadline::after(healthcheck_time_max), std::stop_token{});
    if (!answer) {
        const auto& why = answer.error();
        return error{why.code(), fmt::format("{} does not answer: {}", origin, why.detail())};
    }
    if (answer->status() == 200) return {};
    return error{
        errc::database_unavailable,
        fmt::format("{} is not ready: {} {}", origin, answer->status(), answer->body)};
}

result<void> execute(
    const settings_command& /*unused*/, const settings& /*unused*/, const log::logger& /*unused*/) {
    auto list = json::array();
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            list.push_back(to_json(definition, group.title));
        }
    }
    fmt::print("{}\n", list.dump(2));
    return {};
}

result<void> execute(
    const use_embedder_command& /*unused*/, const settings& config, const log::logger& log) {
    const auto embedder = make_dense_embedder(config);
    if (!embedder) return embedder.error();
    if (!*embedder) {
        return error{
            errc::invalid_argument, "embedder is local, which makes no vectors; set another one"};
    }
    const std::string name{(*embedder)->name()};
    return with_database(config, log, [&name](db::pool& pool) { return make_active(pool, name); });
}

}  // namespace reelsd::app
