#include "settings.hpp"

#include "text.hpp"
#include <reelsd/base/configuration_file.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <system_error>

namespace reelsd::cli {
namespace {

error invalid(std::string reason) {
    return error{errc::invalid_argument, std::move(reason)};
}

/// Removes trailing slashes. A path is allowed, because reverse proxies may add one.
result<std::string> checked_server(std::string server) {
    const auto parsed = net::url::parse(server);
    if (!parsed || server.find_first_of("?#") != std::string::npos) {
        return invalid(fmt::format(
            "the server's address must look like {}, not \"{}\"",
            default_server,
            one_line(server)));
    }
    while (server.ends_with('/')) server.pop_back();
    return server;
}

}  // namespace

settings_source settings_from_environment() {
    return {
        .server = environment_variable("REELS_SERVER"),
        .token = environment_variable("REELS_TOKEN"),
        .ca_file = environment_variable("REELS_CA_FILE")};
}

std::optional<std::filesystem::path> default_config_path() {
    if (const auto base = environment_variable("XDG_CONFIG_HOME")) {
        return std::filesystem::path{*base} / "reels" / "config";
    }
    if (const auto home = environment_variable("HOME")) {
        return std::filesystem::path{*home} / ".config" / "reels" / "config";
    }
    return std::nullopt;
}

result<std::optional<std::filesystem::path>> existing_config() {
    auto file = default_config_path();
    std::error_code failed;
    if (!file || std::filesystem::exists(*file, failed)) return file;
    if (!failed) return std::optional<std::filesystem::path>{};
    return invalid(fmt::format(
        "could not look for the configuration file {}: {}; set HOME to a folder that this user may "
        "enter, or name a file with --config",
        one_line(file->string()),
        failed.message()));
}

result<settings_source> settings_from_file(const std::filesystem::path& file) {
    using setting_field = std::optional<std::string> settings_source::*;
    static const std::map<std::string, setting_field> settings_by_name{
        {"server", &settings_source::server},
        {"token", &settings_source::token},
        {"ca-file", &settings_source::ca_file}};
    const auto values = read_configuration(file.string());
    if (!values) return values.error();
    settings_source settings;
    for (const auto& [name, value] : *values) {
        const auto setting = settings_by_name.find(name);
        if (setting == settings_by_name.end()) {
            return invalid(fmt::format(
                "{}: unknown setting \"{}\"; known settings are server, token and ca-file",
                file.string(),
                one_line(name)));
        }
        settings.*setting->second = value;
    }
    return settings;
}

std::string open_token_warning(const settings_source& settings, const std::filesystem::path& file) {
    using std::filesystem::perms;
    if (!settings.token) return {};
    std::error_code failed;
    const auto granted = std::filesystem::status(file, failed).permissions();
    if (failed || (granted & (perms::group_read | perms::others_read)) == perms::none) return {};
    const auto name = one_line(file.string());
    return fmt::format(
        "the token in {} is readable by other users of this machine; to fix that, run: "
        "chmod 600 {}",
        name,
        name);
}

result<connection_settings> merged(
    const settings_source& flags, const settings_source& environment, const settings_source& file) {
    const auto first_of = [&](auto setting) {
        for (const auto* source : {&flags, &environment, &file}) {
            // A file from Windows adds a carriage return.
            if (source->*setting) return std::optional{std::string{trimmed(*(source->*setting))}};
        }
        return std::optional<std::string>{};
    };
    auto server =
        checked_server(first_of(&settings_source::server).value_or(std::string{default_server}));
    if (!server) return server.error();
    auto token = first_of(&settings_source::token).value_or("");
    if (token.empty()) {
        return invalid(
            "no API token: set REELS_TOKEN, or token in the configuration file, or give --token "
            "(the administrator creates one with: reelsd token create)");
    }
    if (!is_visible_ascii(token))
        return invalid("the API token contains spaces or characters other than visible ASCII");
    auto ca_file = first_of(&settings_source::ca_file).value_or("");
    if (!ca_file.empty() && ::access(ca_file.c_str(), R_OK) != 0) {
        return invalid(fmt::format(
            "the certificate authorities in {} cannot be read: {}",
            one_line(ca_file),
            errno_text(errno)));
    }
    return connection_settings{
        .server = *std::move(server), .token = std::move(token), .ca_file = std::move(ca_file)};
}

}  // namespace reelsd::cli
