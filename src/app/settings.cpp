#include "settings.hpp"

#include "from_settings.hpp"
#include "setting_readers.hpp"
#include <reelsd/base/configuration_file.hpp>
#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace reelsd::app {
namespace {

/// Settings of the previous release's readers of text and speech. The next release refuses them.
constexpr auto dropped_settings =
    std::to_array<std::string_view>({"tessdata-dir", "speech-model-dir"});

error invalid(std::string detail) {
    return error{errc::invalid_argument, std::move(detail)};
}

/// Above the size of any secret: a connection string with every option of libpq has some hundred
/// bytes. A larger file is the wrong file.
constexpr std::size_t secret_bytes_max = 4096;

/// Up to one byte more than allowed; empty, with `errno` set, if the file cannot be read.
std::optional<std::string> read_start_of(const std::string& file) {
    const unique_fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!opened) return std::nullopt;
    struct ::stat kind = {};
    // A pipe without data yet would look like a secret that is not set.
    if (::fstat(opened.get(), &kind) != 0 || !S_ISREG(kind.st_mode)) {
        errno = S_ISDIR(kind.st_mode) ? EISDIR : EINVAL;
        return std::nullopt;
    }
    return read_at_most(opened.get(), secret_bytes_max + 1);
}

/// The value in the file that `variable` names: one line, without its end.
result<std::string> read_secret_file(std::string_view variable, const std::string& file) {
    const auto refuse = [&](std::string_view why) {
        return invalid(fmt::format("{}: {}: {}", variable, file, why));
    };
    auto text = read_start_of(file);
    if (!text) return refuse(errno_text(errno));
    if (text->size() > secret_bytes_max) {
        return refuse(fmt::format("is larger than {} bytes", secret_bytes_max));
    }
    if (text->ends_with('\n')) text->pop_back();
    if (text->ends_with('\r')) text->pop_back();
    if (text->find_first_of(std::string_view{"\n\r\0", 3}) != std::string::npos) {
        return refuse("is more than one line of text");
    }
    return std::move(*text);
}

std::optional<std::string> variable(const std::string& name) {
    const char* const text =
        std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): no threads yet
    if (text == nullptr || *text == '\0') return std::nullopt;
    return text;
}

/// The value in the environment; empty if unset. An empty variable counts as unset, and so does one
/// that names an empty file: compose files leave settings out in this way. Errors:
/// invalid_argument when two variables give the value, or when one names a file that is not valid.
result<std::optional<std::string>> value_in_environment(const setting_definition& definition) {
    auto source = environment_name(definition.name);
    auto text = variable(source);
    if (!text && !definition.other_variable.empty()) {
        source = definition.other_variable;
        text = variable(source);
    }
    if (definition.value.shown != exposure::secret) return text;
    const auto file_variable = environment_name(definition.name) + "_FILE";
    const auto file = variable(file_variable);
    if (!file) return text;
    if (text) {
        return invalid(
            fmt::format("{} and {} are both set; only one may be", source, file_variable));
    }
    const auto secret = read_secret_file(file_variable, *file);
    if (!secret) return secret.error();
    if (secret->empty()) return std::optional<std::string>{};
    return std::optional{*secret};
}

bool is_read(std::string_view variable) {
    if (variable == "REELSD_CONFIG") return true;
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            const auto name = environment_name(definition.name);
            const bool is_secret = definition.value.shown == exposure::secret;
            if (variable == name || (is_secret && variable == name + "_FILE")) return true;
        }
    }
    return false;
}

/// The installation's configuration file; empty if it does not exist.
std::string installed_configuration_file() {
    const auto file = find_installation(settings{}).configuration;
    std::error_code failure;
    return std::filesystem::exists(file, failure) ? file.string() : std::string{};
}

result<given_values> read_configuration_file(const std::string& file) {
    if (file.empty()) return given_values{};
    auto values = read_configuration(file);
    if (!values) {
        const bool is_forbidden = ::access(file.c_str(), R_OK) != 0 && errno == EACCES;
        const auto* const remedy = is_forbidden
                                       ? "; run this as root, or as the service's user, whose "
                                         "group must be allowed to read it"
                                       : "";
        return invalid(fmt::format("config: {}{}", values.error().detail(), remedy));
    }
    for (const auto& [key, text] : *values) {
        if (std::ranges::find(dropped_settings, key) != dropped_settings.end()) {
            fmt::print(stderr, "reelsd: warning: {}: \"{}\" has no effect; remove it\n", file, key);
        } else if (find_setting(key) == nullptr) {
            return invalid(fmt::format("{}: \"{}\" is not a setting", file, key));
        }
    }
    return values;
}

/// The operator's value; empty when none is given.
result<std::optional<std::string>> value_of(
    const setting_definition& definition, const given_values& flags, const given_values& file) {
    const std::string name{definition.name};
    if (const auto flag = flags.find(name); flag != flags.end()) return std::optional{flag->second};
    auto given = value_in_environment(definition);
    if (!given || *given) return given;
    const auto key = file.find(name);
    // As an empty variable, an empty value leaves the default.
    if (key != file.end() && !key->second.empty()) return std::optional{key->second};
    return given;
}

}  // namespace

bool serves_tls(const settings& config) noexcept {
    return !config.tls_certificate.empty();
}

std::string public_origin(const settings& config, std::uint16_t port) {
    if (!config.public_url.empty()) return config.public_url;
    auto host = config.listen.host;
    // Browsers cannot open the wildcard addresses.
    if (host == "0.0.0.0") host = "127.0.0.1";
    if (host == "::") host = "::1";
    const auto* const scheme = serves_tls(config) ? "https" : "http";
    return fmt::format("{}://{}", scheme, http::text_of({.host = host, .port = port}));
}

result<void> check_together(const settings& config) {
    if (config.database_url.empty() && !config.database_password.empty()) {
        return invalid("database-password is for database-url, which is not set");
    }
    if (config.bucket) {
        const std::pair<const char*, const std::string*> needed[] = {
            {"s3-endpoint", &config.s3_endpoint},
            {"s3-access-key", &config.s3.access_key},
            {"s3-secret-key", &config.s3.secret_key}};
        for (const auto& [name, value] : needed) {
            if (value->empty()) return invalid(fmt::format("media-store needs {}", name));
        }
    }
    if (config.embedder == "gemini" && !is_gemini_model(config.embedding_model)) {
        return invalid(fmt::format(
            "embedding-model: \"{}\" is not a model of Gemini, and the embedder is gemini",
            config.embedding_model));
    }
    if (config.tls_certificate.empty() == config.tls_key.empty()) return {};
    const auto* const missing = config.tls_key.empty() ? "tls-key" : "tls-certificate";
    return invalid(fmt::format("tls-certificate and tls-key go together: {} is not set", missing));
}

std::vector<std::string> unknown_variables(const char* const* environment) {
    std::vector<std::string> names;
    for (; *environment != nullptr; ++environment) {
        const std::string_view entry{*environment};
        const auto name = entry.substr(0, entry.find('='));
        const bool is_empty = name.size() + 1 >= entry.size();
        if (entry.starts_with("REELSD_") && !is_empty && !is_read(name)) names.emplace_back(name);
    }
    return names;
}

result<settings> read_settings(const given_values& flags, const std::string& config_file) {
    const auto file =
        read_configuration_file(config_file.empty() ? installed_configuration_file() : config_file);
    if (!file) return file.error();
    settings config;
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            const auto given = value_of(definition, flags, *file);
            if (!given) return given.error();
            if (*given) config.given.insert(definition.name);
            const auto text = given->value_or(std::string{definition.value.default_value});
            if (text.empty() && !*given) continue;
            const auto applied = apply(definition, text, config);
            if (!applied) return applied.error();
        }
    }
    if (const auto together = check_together(config); !together) return together.error();
    return config;
}

}  // namespace reelsd::app
