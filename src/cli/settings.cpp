#include "settings.hpp"

#include "text.hpp"
#include <reelsd/net/url.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace reelsd::cli {
namespace {

std::optional<std::string> environment_setting(const char* name) {
    // Read before any thread is started, and never written.
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string{value};
}

error bad(std::string why) {
    return error{errc::invalid_argument, std::move(why)};
}

/// What may stand in a header without changing its shape.
bool is_visible_ascii(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

/// Without closing slashes. A path before the API's own is allowed: reverse proxies add one.
result<std::string> checked_server(std::string server) {
    const auto parsed = net::url::parse(server);
    if (!parsed || server.find_first_of("?#") != std::string::npos) {
        return bad(fmt::format(
            "the server's address must look like {}, not \"{}\"",
            default_server,
            printable(server, line_breaks::to_blank)));
    }
    while (server.ends_with('/')) server.pop_back();
    return server;
}

}  // namespace

settings_source settings_from_environment() {
    return {
        .server = environment_setting("REELS_SERVER"),
        .token = environment_setting("REELS_TOKEN"),
        .ca_file = environment_setting("REELS_CA_FILE")};
}

std::optional<std::filesystem::path> default_config_path() {
    if (const auto base = environment_setting("XDG_CONFIG_HOME")) {
        return std::filesystem::path{*base} / "reels" / "config";
    }
    if (const auto home = environment_setting("HOME")) {
        return std::filesystem::path{*home} / ".config" / "reels" / "config";
    }
    return std::nullopt;
}

result<settings_source> settings_from_file(const std::filesystem::path& file) {
    // CLI11 would let the file win over the environment if its options read both, so only its
    // parser is used here and merged() decides.
    settings_source settings;
    try {
        for (const auto& item : CLI::ConfigTOML{}.from_file(file.string())) {
            // CLI11 marks where a section begins and ends by items of these names.
            if (item.name == "++" || item.name == "--") continue;
            const auto name = item.fullname();
            const auto value = item.inputs.empty() ? std::string{} : item.inputs.front();
            if (name == "server") {
                settings.server = value;
            } else if (name == "token") {
                settings.token = value;
            } else if (name == "ca-file") {
                settings.ca_file = value;
            } else {
                return bad(fmt::format(
                    "{}: unknown setting \"{}\"; known settings are server, token and ca-file",
                    file.string(),
                    printable(name, line_breaks::to_blank)));
            }
        }
    } catch (const CLI::Error& why) {  // The parser's way of saying that the file is no good.
        return bad(fmt::format("{}: {}", file.string(), why.what()));
    }
    return settings;
}

std::string open_token_warning(const settings_source& read, const std::filesystem::path& file) {
    using std::filesystem::perms;
    if (!read.token) return {};
    std::error_code failed;
    const auto granted = std::filesystem::status(file, failed).permissions();
    if (failed || (granted & (perms::group_read | perms::others_read)) == perms::none) return {};
    const auto name = printable(file.string(), line_breaks::to_blank);
    return fmt::format(
        "the token in {} is readable by other users of this machine; correct that with: "
        "chmod 600 {}",
        name,
        name);
}

result<connection_settings> merged(
    const settings_source& flags, const settings_source& environment, const settings_source& file) {
    const auto first_of = [&](std::optional<std::string> settings_source::*setting) {
        for (const auto* source : {&flags, &environment, &file}) {
            if (source->*setting) return source->*setting;
        }
        return std::optional<std::string>{};
    };
    auto server =
        checked_server(first_of(&settings_source::server).value_or(std::string{default_server}));
    if (!server) return server.error();
    auto token = first_of(&settings_source::token).value_or("");
    if (token.empty()) {
        return bad(
            "no API token: set REELS_TOKEN, or token in the configuration file, or give --token "
            "(the administrator creates one with: reelsd token create)");
    }
    if (!is_visible_ascii(token))
        return bad("the API token contains blanks or characters other than visible ASCII");
    return connection_settings{
        .server = *std::move(server),
        .token = std::move(token),
        .ca_file = first_of(&settings_source::ca_file).value_or("")};
}

}  // namespace reelsd::cli
