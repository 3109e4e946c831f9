#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/http/server.hpp>
#include <reelsd/media/jail_report.hpp>
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/net/address_guard.hpp>
#include <reelsd/platform/request_profile.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::app {

/// All that an operator can set, decoded and checked. Source: contract section 8.
struct settings {
    http::listen_address listen;
    /// Of `/metrics` alone; nothing: `listen`, for clients on this machine.
    std::optional<http::listen_address> metrics_listen;
    bool share_port = false;  ///< With other daemons on `data_dir`.
    std::size_t connections_max = 10'000;
    std::size_t connections_per_address_max = 1000;  ///< 0: no bound.
    std::vector<http::ip_network> proxy_addresses;   ///< Not bounded so.
    bool forwarded_for = false;                      ///< They tell whom they ask for.
    std::size_t buffered_bytes_max = 67'108'864;
    std::optional<std::size_t> reel_cache_bytes_max;  ///< Nothing: as the memory allows.
    std::string database_url;                         ///< Empty: the private cluster in `data_dir`.
    std::string database_password;  ///< For a `database_url` that has none; empty: none.
    std::string data_dir;
    std::string postgres_bin_dir;  ///< Empty: found by itself.
    unsigned workers = 16;         ///< 0 serves HTTP alone.

    /// Where people reach the dashboard; empty: at `listen`. See public_origin().
    std::string public_url;
    std::string tls_certificate;  ///< Empty, as `tls_key` then is: plain HTTP.
    std::string tls_key;
    std::string platform_url;
    std::vector<std::string> resolvers;
    std::string yt_dlp_path;  ///< A name without a slash is looked up in PATH.
    platform::request_profile request_profile;
    std::vector<std::string> media_hosts;
    bool allow_private_addresses = false;
    std::vector<net::ip_network> media_networks;
    std::vector<net::ip_network> webhook_networks;
    bool dash = false;    ///< Take videos that come only as separate tracks.
    std::string ca_file;  ///< Empty: the system's.

    std::string canary_link;           ///< Empty: none.
    seconds_f platform_interval{8.0};  ///< 0: no pace.
    int platform_lookups_per_hour = 40;
    seconds_f platform_cooldown{900.0};  ///< The first one; 0: none.

    std::vector<std::string> analyzers;  ///< "auto" alone, or names in order of preference.
    model::gemini_settings gemini;
    model::openai_settings openai;
    model::remote_settings remote;
    std::string embedder;         ///< "local", "gemini" or "openai".
    std::string embedding_model;  ///< Empty: the provider's usual one.
    int embedding_dimensions = 768;
    std::string model_prices;       ///< A list that goes before the table; empty: none.
    std::string model_prices_file;  ///< Empty: the one that comes with the program.
    std::string media_helper;       ///< Empty: the one that came with the daemon.
    /// What happens where the jail of that program or the fence of yt-dlp is incomplete.
    media::jail_policy jail = media::jail_policy::require;
    std::string tessdata_dir;      ///< Holds eng.traineddata.
    std::string speech_model_dir;  ///< Holds pocketsphinx's English model.

    std::string telegram_token;  ///< Of the chat bot; empty: none.
    std::string telegram_url;    ///< Of the Bot API.

    int submissions_per_minute = 10;
    int concurrent_jobs = 3;
    int requests_per_minute = 600;
    int attempts_max = 3;

    seconds_f video_seconds_max{90.0};
    std::int64_t video_bytes_max = 104'857'600;
    seconds_f lease{60.0};
    seconds_f shutdown_drain{4.0};  ///< At most bounds::job_time_max: no attempt lasts longer.
    seconds_f retry_base{10.0};
    seconds_f webhook_retry_base{5.0};

    seconds_f results_kept{0.0};  ///< 0: for ever.
    seconds_f usage_kept{0.0};    ///< 0: for ever.

    log::level log_level = log::level::info;
    log::format log_format = log::format::text;
    std::string log_file;  ///< Of the daemon; empty: standard error.
};

/// One setting as the command line, the environment and the file name it.
struct setting_definition {
    const char* name;  ///< `video-seconds-max`: flag and file key; REELSD_VIDEO_SECONDS_MAX.
    const char* default_value;  ///< As it would be typed.
    const char* help;           ///< One line.
    const char* allowed;        ///< What a refusal says is allowed.
    /// Decodes `text` into `target`; false when it is not allowed.
    bool (*read)(std::string_view text, settings& target);
};

/// Every setting, in the order of the help text.
[[nodiscard]] std::span<const setting_definition> setting_definitions();

/// The environment variable of a setting: "REELSD_VIDEO_SECONDS_MAX".
[[nodiscard]] std::string environment_name(std::string_view setting_name);

/// An older variable that means the same setting: "GEMINI_API_KEY".
[[nodiscard]] std::optional<std::string> other_environment_name(std::string_view setting_name);

/// Whether the port speaks TLS.
[[nodiscard]] bool serves_tls(const settings& with) noexcept;

/// Where people reach the dashboard: the setting, or `listen` with the port that the daemon really
/// has.
[[nodiscard]] std::string public_origin(const settings& with, std::uint16_t port);

/// Whether its value must not be seen in messages, logs and lists of processes.
[[nodiscard]] bool is_secret(std::string_view setting_name);

/// Decodes one value; the error names the setting, the value and what is allowed.
[[nodiscard]] result<void> apply(
    const setting_definition& definition, std::string_view text, settings& target);

/// Looks at what settings mean together, once all are there. Errors: invalid_argument, which names
/// the setting that is missing to another one.
[[nodiscard]] result<void> check_together(const settings& given);

}  // namespace reelsd::app
