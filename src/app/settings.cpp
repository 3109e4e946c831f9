#include "settings.hpp"

#include "listener_settings.hpp"
#include "model_settings.hpp"
#include "retention_settings.hpp"
#include "setting_readers.hpp"
#include <reelsd/http/server.hpp>
#include <reelsd/platform/source.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace reelsd::app {
namespace {

/// libpq would take any other word for the name of a database on this machine's default socket, and
/// complain about that.
bool read_database_url(std::string_view text, std::string& target) {
    const bool is_uri = text.starts_with("postgresql://") || text.starts_with("postgres://");
    if (!is_uri && text.find('=') == std::string_view::npos) return false;
    target = text;
    return true;
}

bool read_endpoint(std::string_view text, http::listen_address& target) {
    auto address = http::parse_listen_address(text);
    if (!address) return false;
    target = std::move(*address);
    return true;
}

bool read_resolvers(std::string_view text, std::vector<std::string>& target) {
    std::vector<std::string> names;
    if (!read_list(text, names)) return false;
    const auto known = platform::known_resolvers();
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::find(known.begin(), known.end(), *name) == known.end()) return false;
        if (std::find(names.begin(), name, *name) != name) return false;
    }
    target = std::move(names);
    return true;
}

/// A number as the platform gives it to its queries and applications.
bool read_platform_id(std::string_view text, std::string& target) {
    constexpr std::size_t digits_max = 20;
    if (text.size() > digits_max) return false;
    if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
    return read_text(text, target);
}

bool read_canary(std::string_view text, std::string& target) {
    if (text == "none") {
        target.clear();
        return true;
    }
    if (!platform::parse_link(text)) return false;
    target = text;
    return true;
}

/// It stands in addresses as it is.
bool read_bot_token(std::string_view text, std::string& target) {
    constexpr std::size_t token_bytes_max = 256;
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == ':' || c == '_' || c == '-';
    });
    if (!is_plain || text.size() > token_bytes_max) return false;
    target = text;
    return true;
}

bool read_level(std::string_view text, log::level& target) {
    constexpr std::array<std::pair<std::string_view, log::level>, 4> levels{
        {{"debug", log::level::debug},
         {"info", log::level::info},
         {"warning", log::level::warning},
         {"error", log::level::error}}};
    for (const auto& [name, value] : levels) {
        if (name != text) continue;
        target = value;
        return true;
    }
    return false;
}

bool read_format(std::string_view text, log::format& target) {
    if (text != "text" && text != "json") return false;
    target = text == "json" ? log::format::json : log::format::text;
    return true;
}

bool read_jail(std::string_view text, media::jail_policy& target) {
    const auto policy = media::jail_policy_named(text);
    if (policy) target = *policy;
    return policy.has_value();
}

using sv = std::string_view;

constexpr auto house_definitions = std::to_array<setting_definition>({
    {"listen",
     "127.0.0.1:8080",
     "address and port to serve on; port 0 takes a free one",
     "ADDRESS:PORT, for example 127.0.0.1:8080 or [::1]:8080",
     [](sv text, settings& s) { return read_endpoint(text, s.listen); }},
    {"public-url",
     "",
     "where people reach the dashboard, for links; with https, cookies are kept to it",
     "an origin such as https://reels.example.com",
     [](sv text, settings& s) { return read_origin(text, s.public_url); }},
    {"tls-certificate",
     "",
     "certificate to serve HTTPS with, the rest of its chain behind it; with tls-key",
     "a PEM file",
     [](sv text, settings& s) { return read_text(text, s.tls_certificate); }},
    {"tls-key",
     "",
     "the certificate's private key; both files are read again on SIGHUP",
     "a PEM file",
     [](sv text, settings& s) { return read_text(text, s.tls_key); }},
    {"database-url",
     "",
     "PostgreSQL 15 or later, as libpq takes it; without it a private cluster runs in data-dir",
     "postgresql://USER@HOST/NAME or host=HOST dbname=NAME, as libpq takes it",
     [](sv text, settings& s) { return read_database_url(text, s.database_url); }},
    {"database-password",
     "",
     "password for database-url, where it has none",
     "up to 512 printable characters",
     [](sv text, settings& s) { return read_field(text, s.database_password); }},
    {"data-dir",
     "./reelsd-data",
     "private cluster and scratch files",
     "a directory",
     [](sv text, settings& s) { return read_text(text, s.data_dir); }},
    {"workers",
     "16",
     "worker threads; 0 serves HTTP alone",
     "a whole number from 0 to 256",
     [](sv text, settings& s) { return read_integer(text, 0U, 256U, s.workers); }},
    {"platform-url",
     "https://www.instagram.com",
     "origin that the resolvers ask",
     "an origin such as https://www.instagram.com",
     [](sv text, settings& s) { return read_origin(text, s.platform_url); }},
    {"resolvers",
     "page,graphql,embed,yt-dlp",
     "how links are resolved, in this order; yt-dlp is left out where it is not installed",
     "a list of: page, graphql, embed, yt-dlp, each once",
     [](sv text, settings& s) { return read_resolvers(text, s.resolvers); }},
    {"yt-dlp-path",
     "yt-dlp",
     "the program yt-dlp; a name is looked up in PATH",
     "a file or a name",
     [](sv text, settings& s) { return read_text(text, s.yt_dlp_path); }},
    {"graphql-root-doc-id",
     "27128499623469141",
     "document id of the platform's query by short code",
     "up to 20 digits",
     [](sv text, settings& s) { return read_platform_id(text, s.request_profile.root_doc_id); }},
    {"graphql-root-query",
     "PolarisPostRootQuery",
     "name of that query",
     "up to 512 printable characters",
     [](sv text, settings& s) { return read_field(text, s.request_profile.root_query_name); }},
    {"graphql-logged-out-doc-id",
     "27130156389949648",
     "document id of the platform's query for people who are not logged in",
     "up to 20 digits",
     [](sv text, settings& s) {
         return read_platform_id(text, s.request_profile.logged_out_doc_id);
     }},
    {"graphql-logged-out-query",
     "PolarisLoggedOutDesktopWWWPostRootContentQuery",
     "name of that query",
     "up to 512 printable characters",
     [](sv text, settings& s) {
         return read_field(text, s.request_profile.logged_out_query_name);
     }},
    {"instagram-app-id",
     "936619743392459",
     "the platform's own web application, as its queries name it",
     "up to 20 digits",
     [](sv text, settings& s) { return read_platform_id(text, s.request_profile.app_id); }},
    {"browser-user-agent",
     "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
     "Chrome/156.0.0.0 Safari/537.36",
     "agent that asks for pages and videos",
     "up to 512 printable characters",
     [](sv text, settings& s) { return read_field(text, s.request_profile.browser_user_agent); }},
    {"graphql-user-agent",
     "Mozilla/5.0",
     "agent that asks queries",
     "up to 512 printable characters",
     [](sv text, settings& s) { return read_field(text, s.request_profile.query_user_agent); }},
    {"media-hosts",
     "cdninstagram.com,fbcdn.net",
     "hosts that media may be downloaded from, with their subdomains; addresses count exactly",
     "a list of host names and addresses",
     [](sv text, settings& s) { return read_list(text, s.media_hosts); }},
    {"allow-private-addresses",
     "false",
     "media hosts may be private addresses and use plain http and any port (for tests)",
     "true or false",
     [](sv text, settings& s) { return read_flag(text, s.allow_private_addresses); }},
    {"media-networks",
     "none",
     "networks that media hosts may resolve to although they are not public, as 198.18.0.0/15",
     "a list of addresses and networks such as 198.18.0.0/15, or none",
     [](sv text, settings& s) { return read_networks(text, s.media_networks); }},
    {"webhook-networks",
     "none",
     "private networks that webhooks may reach, also by plain http and on any port",
     "a list of addresses and networks such as 10.0.0.0/8, or none",
     [](sv text, settings& s) { return read_networks(text, s.webhook_networks); }},
    {"dash",
     "false",
     "put videos together that are served only as separate files of picture and sound",
     "true or false",
     [](sv text, settings& s) { return read_flag(text, s.dash); }},
    {"ca-file",
     "",
     "certificate authorities for outbound TLS; without it the system's",
     "a file",
     [](sv text, settings& s) { return read_text(text, s.ca_file); }},
    {"canary-link",
     "https://www.instagram.com/p/aye83DjauH/",
     "a post that is there: what `reelsd doctor` tries each resolver with; none: nothing",
     "the link of a post, or none",
     [](sv text, settings& s) { return read_canary(text, s.canary_link); }},
    {"platform-interval-seconds",
     "8",
     "between two look-ups at the platform, half to one and a half times; 0: no pace",
     "seconds from 0 to 3600",
     [](sv text, settings& s) { return read_seconds(text, 0, 3600, s.platform_interval); }},
    {"platform-lookups-per-hour",
     "40",
     "look-ups an hour by each resolver, over all daemons; counts while there is an interval",
     "a whole number from 1 to 3600",
     [](sv text, settings& s) { return read_integer(text, 1, 3600, s.platform_lookups_per_hour); }},
    {"platform-cooldown-seconds",
     "900",
     "for which a resolver is left alone when the platform asks for it; doubled each time; 0: not",
     "seconds from 0 to 43200",
     [](sv text, settings& s) { return read_seconds(text, 0, 43'200, s.platform_cooldown); }},
    {"media-helper",
     "",
     "the program reelsd-media; without it the one that came with reelsd",
     "a file",
     [](sv text, settings& s) { return read_text(text, s.media_helper); }},
    {"jail",
     "require",
     "best-effort decodes videos and runs yt-dlp also where the kernel lacks a part of their jail",
     "require or best-effort",
     [](sv text, settings& s) { return read_jail(text, s.jail); }},
    {"tessdata-dir",
     "/usr/share/tesseract-ocr/5/tessdata",
     "Tesseract's language files",
     "a directory",
     [](sv text, settings& s) { return read_text(text, s.tessdata_dir); }},
    {"speech-model-dir",
     "/usr/share/pocketsphinx/model/en-us",
     "pocketsphinx's English model",
     "a directory",
     [](sv text, settings& s) { return read_text(text, s.speech_model_dir); }},
    {"postgres-bin-dir",
     "",
     "where initdb and postgres are; without it they are looked for",
     "a directory",
     [](sv text, settings& s) { return read_text(text, s.postgres_bin_dir); }},
    {"telegram-token",
     "",
     "token of the Telegram bot that takes links in chats; without it there is none",
     "a token as Telegram's @BotFather gives it: letters, digits, :, _ and -",
     [](sv text, settings& s) { return read_bot_token(text, s.telegram_token); }},
    {"telegram-url",
     "https://api.telegram.org",
     "where the Bot API is",
     "an address such as https://api.telegram.org",
     [](sv text, settings& s) { return read_base_address(text, s.telegram_url); }},
    {"submissions-per-minute",
     "10",
     "links an account may submit a minute, unless it has its own limit",
     "a whole number from 1 to 1000000",
     [](sv text, settings& s) {
         return read_integer(text, 1, 1'000'000, s.submissions_per_minute);
     }},
    {"concurrent-jobs",
     "3",
     "jobs of an account that may be pending or processing, unless it has its own limit",
     "a whole number from 1 to 1000000",
     [](sv text, settings& s) { return read_integer(text, 1, 1'000'000, s.concurrent_jobs); }},
    {"requests-per-minute",
     "600",
     "other requests an account may make a minute, unless it has its own limit",
     "a whole number from 1 to 10000000",
     [](sv text, settings& s) { return read_integer(text, 1, 10'000'000, s.requests_per_minute); }},
    {"video-seconds-max",
     "90",
     "longest video that is analysed",
     "seconds from 1 to 3600",
     [](sv text, settings& s) { return read_seconds(text, 1, 3600, s.video_seconds_max); }},
    {"video-bytes-max",
     "104857600",
     "largest video that is downloaded",
     "bytes from 1024 to 4294967296",
     [](sv text, settings& s) {
         return read_integer<std::int64_t>(text, 1024, 4'294'967'296, s.video_bytes_max);
     }},
    {"lease-seconds",
     "60",
     "a worker silent for so long has lost its job",
     "seconds from 1 to 3600",
     [](sv text, settings& s) { return read_seconds(text, 1, 3600, s.lease); }},
    {"shutdown-drain-seconds",
     "4",
     "after SIGTERM, how long running jobs may take to finish before they are handed back",
     "seconds from 0 to 600",
     [](sv text, settings& s) { return read_seconds(text, 0, 600, s.shutdown_drain); }},
    {"attempts-max",
     "3",
     "attempts at one job in all",
     "a whole number from 1 to 20",
     [](sv text, settings& s) { return read_integer(text, 1, 20, s.attempts_max); }},
    {"retry-base-seconds",
     "10",
     "wait before the second attempt; doubled each time",
     "seconds from 0 to 3600",
     [](sv text, settings& s) { return read_seconds(text, 0, 3600, s.retry_base); }},
    {"webhook-retry-base-seconds",
     "5",
     "wait before a webhook's second try; the later ones grow from it",
     "seconds from 0.05 to 3600",
     [](sv text, settings& s) { return read_seconds(text, 0.05, 3600, s.webhook_retry_base); }},
    {"log-level",
     "info",
     "least severe line that is written",
     "debug, info, warning or error",
     [](sv text, settings& s) { return read_level(text, s.log_level); }},
    {"log-format",
     "text",
     "text for people, json for machines",
     "text or json",
     [](sv text, settings& s) { return read_format(text, s.log_format); }},
    {"log-file",
     "",
     "where the daemon's log goes instead of standard error; opened again on SIGHUP",
     "a file",
     [](sv text, settings& s) { return read_text(text, s.log_file); }},
});

}  // namespace

std::span<const setting_definition> setting_definitions() {
    static const auto all = [] {
        const auto listener = listener_setting_definitions();
        const auto retention = retention_setting_definitions();
        const auto models = model_setting_definitions();
        std::vector<setting_definition> joined{house_definitions.begin(), house_definitions.end()};
        joined.insert(joined.end(), listener.begin(), listener.end());
        joined.insert(joined.end(), retention.begin(), retention.end());
        joined.insert(joined.end(), models.begin(), models.end());
        return joined;
    }();
    return all;
}

bool serves_tls(const settings& with) noexcept {
    return !with.tls_certificate.empty();
}

std::string public_origin(const settings& with, std::uint16_t port) {
    if (!with.public_url.empty()) return with.public_url;
    auto host = with.listen.host;
    // Nobody can open "all addresses".
    if (host == "0.0.0.0") host = "127.0.0.1";
    if (host == "::") host = "::1";
    const auto* const scheme = serves_tls(with) ? "https" : "http";
    const bool is_v6 = host.find(':') != std::string::npos;
    return is_v6 ? fmt::format("{}://[{}]:{}", scheme, host, port)
                 : fmt::format("{}://{}:{}", scheme, host, port);
}

result<void> apply(const setting_definition& definition, std::string_view text, settings& target) {
    if (definition.read(text, target)) return {};
    return error{
        errc::invalid_argument,
        fmt::format(
            "{}: {} is not allowed; allowed: {}",
            definition.name,
            is_secret(definition.name) ? "this value" : fmt::format("\"{}\"", text),
            definition.allowed)};
}

result<void> check_together(const settings& given) {
    if (given.database_url.empty() && !given.database_password.empty()) {
        return error{
            errc::invalid_argument, "database-password is for database-url, which is not set"};
    }
    if (given.tls_certificate.empty() == given.tls_key.empty()) return {};
    const auto* const missing = given.tls_key.empty() ? "tls-key" : "tls-certificate";
    return error{
        errc::invalid_argument,
        fmt::format("tls-certificate and tls-key go together: {} is not set", missing)};
}

}  // namespace reelsd::app
