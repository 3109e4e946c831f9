#pragma once

#include <reelsd/base/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::cli {

inline constexpr std::string_view default_server = "http://127.0.0.1:8080";

/// Server, token and trusted certificate authorities. Validated: `server` is an origin without a
/// trailing slash, `token` fits in a header.
struct connection_settings {
    std::string server;
    std::string token;
    std::string ca_file;  ///< PEM; empty: the system's.
};

/// Settings of one source. The next source supplies the missing ones.
struct settings_source {
    std::optional<std::string> server;
    std::optional<std::string> token;
    std::optional<std::string> ca_file;
};

/// `REELS_SERVER`, `REELS_TOKEN` and `REELS_CA_FILE`. An empty variable counts as not set.
[[nodiscard]] settings_source settings_from_environment();

/// Default path of the configuration file: `$XDG_CONFIG_HOME/reels/config`, else
/// `~/.config/reels/config`. Empty without a home directory.
[[nodiscard]] std::optional<std::filesystem::path> default_config_path();

/// default_config_path() if there is such a file. Errors: invalid_argument if a folder may not be
/// entered; the detail is for the user.
[[nodiscard]] result<std::optional<std::filesystem::path>> existing_config();

/// Reads `server = "..."`, `token = "..."` and `ca-file = "..."` (TOML). Errors:
/// invalid_argument if the file cannot be read or has an unknown setting; the detail is for the
/// user.
[[nodiscard]] result<settings_source> settings_from_file(const std::filesystem::path& file);

/// A warning if `file` contains a token and other users than its owner may read it; else empty.
[[nodiscard]] std::string open_token_warning(
    const settings_source& settings, const std::filesystem::path& file);

/// Flags override the environment, which overrides the file. Errors: invalid_argument if the
/// address is not an http(s) origin, the token is missing or malformed, or the certificate
/// authorities cannot be read; the detail is for the user.
[[nodiscard]] result<connection_settings> merged(
    const settings_source& flags, const settings_source& environment, const settings_source& file);

}  // namespace reelsd::cli
