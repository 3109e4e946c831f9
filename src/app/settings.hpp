#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/http/server.hpp>
#include <reelsd/media/jail_report.hpp>
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/net/address_guard.hpp>
#include <reelsd/net/proxy.hpp>
#include <reelsd/net/s3_store.hpp>
#include <reelsd/platform/source.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::app {

/// Where an S3-compatible store keeps media.
struct media_bucket {
    std::string name;
    std::string prefix;  ///< Without slashes at its ends; may be empty.
};

/// All that an operator can set, decoded and checked. Defaults are in the table of settings
/// (setting_table.cpp).
struct settings {
    std::set<std::string_view> given;  ///< Names of the settings that the operator has set.
    http::listen_address listen;
    /// For `/metrics` alone. Without it `listen` serves them, to loopback clients.
    std::optional<http::listen_address> metrics_listen;
    bool share_port = false;  ///< Shares the port with other daemons on `data_dir`.
    std::size_t connections_max = 0;
    std::size_t connections_per_address_max = 0;  ///< 0: no bound.
    std::vector<ip_network> proxy_addresses;      ///< The limit per address does not apply.
    bool forwarded_for = false;                   ///< X-Forwarded-For of these proxies is trusted.
    std::size_t buffered_bytes_max = 0;
    std::optional<std::size_t> reel_cache_bytes_max;  ///< Without it, a share of the memory.
    std::string database_url;                         ///< Empty: the private cluster in `data_dir`.
    std::string database_password;                    ///< For a `database_url` without one.
    std::string data_dir;
    std::string secret_key_file;   ///< Empty: `secret-key` in `data_dir`, created when needed.
    std::string postgres_bin_dir;  ///< Empty: searched for.
    unsigned workers = 0;          ///< 0 serves HTTP only.

    /// Where people reach the dashboard; empty: at `listen`. See public_origin().
    std::string public_url;
    std::string tls_certificate;  ///< Empty, as `tls_key` is then: plain HTTP.
    std::string tls_key;
    std::string platform_url;
    std::optional<std::vector<std::string>> resolvers;  ///< Without it, see resolvers_of().
    std::string platform_cookies_file;                  ///< Empty: no session.
    std::string yt_dlp_path;  ///< A name without a slash is looked up in PATH.
    platform::request_profile request_profile;
    std::vector<std::string> media_hosts;
    bool allow_private_addresses = false;
    std::vector<ip_network> media_networks;
    std::vector<ip_network> webhook_networks;
    std::vector<net::proxy> platform_proxies;              ///< Used in turn; empty: none.
    std::optional<std::vector<net::proxy>> media_proxies;  ///< Without it, `platform_proxies`.
    std::optional<net::proxy> model_proxy;
    std::optional<net::proxy> telegram_proxy;
    std::optional<net::proxy> webhook_proxy;
    std::string outgoing_address;  ///< An address or an interface; empty: the system chooses.
    bool dash = false;             ///< Joins videos that are served as separate tracks.
    std::string ca_file;           ///< Empty: the system's.

    std::string canary_link;        ///< Empty: none.
    seconds_f platform_interval{};  ///< 0: no pacing.
    int platform_lookups_per_hour = 0;
    seconds_f platform_cooldown{};  ///< The first one; 0: none.
    seconds_f session_interval{};   ///< 0: no pacing.
    int session_lookups_per_hour = 0;

    std::vector<std::string> analyzers;  ///< "auto" alone, or names in order of preference.
    model::gemini_settings gemini;
    model::openai_settings openai;
    std::string transcriber;  ///< "local" or "openai".
    model::speech_settings speech;
    model::remote_settings remote;
    std::string embedder;         ///< "local", "gemini" or "openai".
    std::string embedding_model;  ///< Empty: the provider's default.
    int embedding_dimensions = 0;
    std::string model_prices;       ///< Overrides the table.
    std::string model_prices_file;  ///< Empty: the installed one.
    std::string media_helper;       ///< Empty: the installed one.
    /// Applies where the sandbox of that program or of yt-dlp is incomplete.
    media::jail_policy jail = media::jail_policy::require;
    std::string text_models_dir;    ///< Empty: the installed one.
    std::string speech_models_dir;  ///< Empty: the installed one.

    std::string telegram_token;  ///< Empty: no bot.
    std::string telegram_url;    ///< Base address of the Bot API.

    int submissions_per_minute = 0;
    int concurrent_jobs = 0;
    int requests_per_minute = 0;
    int attempts_max = 0;

    seconds_f video_seconds_max{};
    std::int64_t video_bytes_max = 0;
    seconds_f lease{};
    seconds_f shutdown_drain{};  ///< At most bounds::job_time_max: no attempt lasts longer.
    seconds_f retry_base{};
    seconds_f webhook_retry_base{};

    seconds_f results_kept{};  ///< 0: forever.
    seconds_f usage_kept{};    ///< 0: forever.

    bool frames = true;                  ///< Results have pictures of their key moments.
    seconds_f videos_kept{};             ///< 0: not kept.
    std::int64_t videos_bytes_max = 0;   ///< Of all accounts together.
    std::optional<media_bucket> bucket;  ///< Empty: the database stores media.
    std::string s3_endpoint;             ///< An origin.
    net::s3_credentials s3;

    log::level log_level = log::level::info;
    log::format log_format = log::format::text;
    std::string log_file;  ///< Only for the daemon; empty: standard error.
};

[[nodiscard]] bool serves_tls(const settings& config) noexcept;

/// Where people reach the dashboard: `public-url`, or `listen` with the port in use.
[[nodiscard]] std::string public_origin(const settings& config, std::uint16_t port);

/// Checks settings that depend on each other. Errors: invalid_argument; names the missing setting.
[[nodiscard]] result<void> check_together(const settings& config);

/// Texts of settings by name.
using given_values = std::map<std::string, std::string>;

/// Decodes all settings. `flags` override the environment, which overrides the configuration file,
/// which overrides the defaults. `config_file` empty: the installation's file, if it exists.
/// Errors: invalid_argument for a value or a key that is not allowed, and for a file that cannot be
/// read. The detail names the source and never contains a secret.
[[nodiscard]] result<settings> read_settings(
    const given_values& flags, const std::string& config_file);

/// Names of the variables that begin with REELSD_, are not empty and belong to no setting.
/// `environment` is a list of "NAME=VALUE" that ends with a null pointer.
[[nodiscard]] std::vector<std::string> unknown_variables(const char* const* environment);

// The table of all settings. The command line, the environment variables, the configuration file,
// `reelsd --help` and the pages that scripts/setting-pages writes are derived from it.

BOOST_DEFINE_FIXED_ENUM_CLASS(value_type, std::uint8_t, text, number, flag)

/// Inclusive.
struct value_range {
    double least;
    double most;
};

/// A secret is not shown in messages, logs and the process list, and can be read from a file whose
/// path is in an environment variable.
enum class exposure : std::uint8_t { open, secret };

/// Decodes the text of a value, and describes the accepted texts.
struct value_reader {
    std::string_view accepted;  ///< "a whole number", without the range.
    value_type type;            ///< In the configuration file, texts are quoted.
    std::optional<value_range> range;
    /// Stores the value in `target`. False, and no change, if the text is not accepted.
    bool (*read)(std::string_view text, const value_reader& by, settings& target);
    std::string_view default_value = {};  ///< As text; empty: not set.
    exposure shown = exposure::open;

    [[nodiscard]] constexpr value_reader by_default(std::string_view text) const {
        return {accepted, type, range, read, text, shown};
    }
    [[nodiscard]] constexpr value_reader secret() const {
        return {accepted, type, range, read, default_value, exposure::secret};
    }
};

struct setting_definition {
    std::string_view name;  ///< `data-dir`: flag and file key; REELSD_DATA_DIR.
    value_reader value;
    std::string_view help;                 ///< One or two sentences.
    std::string_view other_variable = {};  ///< Used if the first is not set: "GEMINI_API_KEY".
};

struct setting_group {
    std::string_view title;
    std::span<const setting_definition> settings;
};

/// In the order of the help text and the documents.
[[nodiscard]] std::span<const setting_group> setting_groups();

/// Null when no setting has this name.
[[nodiscard]] const setting_definition* find_setting(std::string_view name);

/// "a whole number from 0 to 256".
[[nodiscard]] std::string accepted_values(const value_reader& value);

/// The environment variable of a setting: "REELSD_DATA_DIR".
[[nodiscard]] std::string environment_name(std::string_view setting_name);

/// Decodes one value. Errors: invalid_argument, which names the setting, the value unless it is a
/// secret, and the allowed values.
[[nodiscard]] result<void> apply(
    const setting_definition& definition, std::string_view text, settings& target);

}  // namespace reelsd::app
