#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/address_guard.hpp>
#include <reelsd/net/proxy.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/downloader.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/operator_session.hpp>
#include <reelsd/platform/post.hpp>
#include <reelsd/platform/resolver.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace reelsd::platform {

/// Request parameters that the platform changes every few months. All are settings, so that an
/// operator can follow a change without a release. As observed in November 2026.
struct request_profile {
    /// For pages: that of a current desktop Chrome. Other user agents get an empty page.
    std::string browser_user_agent =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        "Chrome/156.0.0.0 Safari/537.36";
    /// For queries: they refuse Chrome's user agent unless the TLS handshake is Chrome's as well.
    std::string query_user_agent = "Mozilla/5.0";
    /// X-IG-App-ID: the platform's own web application.
    std::string app_id = "936619743392459";
    /// The query with the most data, by short code.
    std::string root_doc_id = "27128499623469141";
    std::string root_query_name = "PolarisPostRootQuery";
    /// The query of the page for visitors who are not logged in, by media id.
    std::string logged_out_doc_id = "27130156389949648";
    std::string logged_out_query_name = "PolarisLoggedOutDesktopWWWPostRootContentQuery";

    friend bool operator==(const request_profile&, const request_profile&) = default;
};

/// The settings that concern the platform (docs/operate/configuration.md).
struct source_settings {
    /// REELSD_PLATFORM_URL: an origin, without path.
    std::string platform_url = "https://www.instagram.com";
    /// REELSD_RESOLVERS, of known_resolvers().
    std::vector<std::string> resolvers = {"page", "graphql", "embed", "yt-dlp"};
    /// REELSD_YT_DLP_PATH; a name without a slash is looked up in PATH.
    std::string yt_dlp_path = "yt-dlp";
    /// The program reelsd-media, as an absolute path, which runs yt-dlp inside a sandbox.
    std::filesystem::path sandbox = {};
    /// REELSD_PLATFORM_COOKIES_FILE; empty: no session.
    std::filesystem::path cookies_file = {};
    /// REELSD_JAIL.
    std::string jail = "require";
    request_profile profile = {};
    /// REELSD_MEDIA_HOSTS: names with their subdomains, and exact addresses.
    std::vector<std::string> media_hosts = {"cdninstagram.com", "fbcdn.net"};
    /// REELSD_ALLOW_PRIVATE_ADDRESSES: for `media_hosts`.
    bool allow_private_addresses = false;
    /// REELSD_MEDIA_NETWORKS: for `media_hosts` and the platform itself.
    std::vector<ip_network> media_networks = {};
    /// REELSD_PLATFORM_PROXY: used in rotation for look-ups. Empty: none.
    std::vector<net::proxy> platform_proxies = {};
    /// REELSD_MEDIA_PROXY: used in rotation for downloads. Empty: none.
    std::vector<net::proxy> media_proxies = {};
    /// REELSD_OUTGOING_ADDRESS, for look-ups and downloads; empty: the system chooses.
    std::string outgoing_address = {};
    /// REELSD_DASH: accept a video that is served only as separate files of picture and sound.
    bool takes_tracks = false;
    /// REELSD_CA_FILE; empty: the system's.
    std::string ca_file = {};
    std::uint64_t video_bytes_max = std::uint64_t{100} * 1024 * 1024;
    /// The sample video of the test link.
    std::filesystem::path sample_path = {};
    /// Called with the outcome of each look-up; may be empty.
    resolution_observer on_resolution = {};
    /// Called with each answer to a resolver; may be empty.
    answer_observer on_answer = {};
};

/// Turns a link into a post and its file, for jobs. Blocking; safe from any thread. If download()
/// returns stale_media, resolve() and download() again; if it does so twice, fail with
/// stale_media::if_fresh. Errors of a link with is_test() are final, even those of a transient
/// kind.
class source {
public:
    /// errc::invalid_argument for a platform_url that is not an origin, an unknown or repeated
    /// resolver or none; also when yt-dlp is the only one and is not installed, when session is
    /// named without cookies_file, and for a cookies_file as session::open(). The detail names the
    /// setting. If there are other resolvers, a yt-dlp that is not installed is omitted.
    [[nodiscard]] static result<std::unique_ptr<source>> create(
        source_settings settings, const log::logger& log);

    virtual ~source() = default;

    /// The operator's session; null without one. Lives as long as this.
    [[nodiscard]] virtual session* platform_session() const noexcept { return nullptr; }

    /// The link of the post that a share link leads to; any other link unchanged. Look-ups obey the
    /// rate limit of the resolver "share". Errors as expand_share_link() and rate_limiter::ask().
    [[nodiscard]] virtual boost::system::result<link, unresolved> expand(
        const link& reel, rate_limiter& pace, deadline by, std::stop_token stop) const = 0;

    /// Expands a share link first. Concurrent look-ups of one post share the result. Errors as
    /// resolver_chain::resolve(), and for test links link::test_error().
    [[nodiscard]] virtual chain_resolution resolve(
        const link& reel, rate_limiter& pace, deadline by, std::stop_token stop,
        const lookup_options& options = {}) const = 0;

    /// Errors as downloader::download().
    [[nodiscard]] virtual result<download_outcome> download(
        const post& subject, const std::filesystem::path& target, deadline by,
        std::stop_token stop) const = 0;
};

/// Targets that look-ups may connect to. `platform` is the URL of `platform_url`.
[[nodiscard]] net::address_policy lookup_policy(
    const source_settings& settings, const net::url& platform);

/// The session that the settings describe. `platform` is the URL of `platform_url`.
[[nodiscard]] session_settings session_settings_of(
    const source_settings& settings, const net::url& platform);

/// The resolver's name for look-ups of share links, in rate limits, logs and metrics.
inline constexpr std::string_view share_resolver_name = "share";

/// The names that source_settings::resolvers may hold.
[[nodiscard]] std::vector<std::string> known_resolvers();

/// The names for rate limits and metrics, in the order of use: each resolver with each proxy, as
/// routed_name() forms them. A session uses only the first proxy, because the platform suspects
/// accounts that change their address.
[[nodiscard]] std::vector<std::string> routed_resolvers(const source_settings& settings);

/// Whether a name of rate limits belongs to one of `routed`. The database also has those of earlier
/// settings, and those of look-ups of share links, whose answers do not depend on the posts.
[[nodiscard]] bool is_in_use(std::string_view routed_name, const std::vector<std::string>& routed);

}  // namespace reelsd::platform
