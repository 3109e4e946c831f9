#pragma once

#include "settings.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_queue.hpp>
#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/domain/jobs/transition.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/net/s3_store.hpp>
#include <reelsd/platform/operator_session.hpp>
#include <reelsd/platform/source.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::async {
class offload_pool;
}

// What the settings and the machine determine: files, options, objects and memory.
namespace reelsd::app {

/// The files of this installation, relative to the running program `bin/reelsd`:
/// `share/reelsd/sample.mp4`, `share/reelsd/wordnet.bin`, `share/reelsd/model-prices.json`, and
/// `bin/reelsd-media` if it was built there, `libexec/reelsd/reelsd-media` if it was installed.
struct installation {
    std::filesystem::path media_helper;
    std::filesystem::path sample;
    std::filesystem::path dictionary;    ///< For the local embedder.
    std::filesystem::path model_prices;  ///< The table that is part of the program.
    /// The default configuration file: `/etc/reelsd/reelsd.conf` for a program in `/usr/bin`, else
    /// `etc/reelsd/reelsd.conf` below its prefix.
    std::filesystem::path configuration;
};

/// A helper in the settings overrides the installed one.
[[nodiscard]] installation find_installation(const settings& config);

/// The same for another program.
[[nodiscard]] installation installation_of(
    const std::filesystem::path& program, const settings& config);

[[nodiscard]] media::media_options media_options_of(const settings& config);

/// The resolvers to use, in order: the setting, or its default, which includes any session.
[[nodiscard]] std::vector<std::string> resolvers_of(const settings& config);

/// The platform's settings, without observers.
[[nodiscard]] platform::source_settings source_settings_of(const settings& config);

/// The platform's host. The rate limit is per host, like the platform's own limits.
[[nodiscard]] std::string platform_host(const settings& config);

/// The rate limit of each resolver at the platform.
[[nodiscard]] pacing::pace pace_of(const settings& config);

[[nodiscard]] jobs::retry_policy retry_policy_of(const settings& config);

/// The line of jobs that wait for the platform; nullopt if there is no rate limit.
[[nodiscard]] std::optional<jobs::platform_line> platform_line_of(const settings& config);

/// Whether a resolver can run on this machine: yt-dlp is a separate program.
[[nodiscard]] bool is_installed(std::string_view resolver, const settings& config);

/// The names, for rate limits, of the resolvers that this daemon can try, in order: each with each
/// proxy. A job that got a permit for any other resolver could not use it.
[[nodiscard]] std::vector<std::string> resolvers_in_use(const settings& config);

/// The resolver under which the session's refusals are stored.
[[nodiscard]] pacing::paced_resolver session_resolver_of(const settings& config);

/// The refusals that all daemons on one database share. For worker threads, not the loop's.
class shared_session_record final : public platform::session_record {
public:
    /// The loop runs, and the store's pool lives, for as long as a worker may call.
    shared_session_record(
        boost::asio::any_io_executor loop, pacing::refused_session_store store,
        pacing::paced_resolver resolver)
        : loop_{std::move(loop)}, store_{store}, resolver_{std::move(resolver)} {}

    [[nodiscard]] result<std::optional<std::string>> refusal_of(
        const std::string& fingerprint, deadline by) override;
    [[nodiscard]] result<platform::refusal_news> refuse(
        const std::string& fingerprint, std::string_view reason, deadline by) override;

private:
    boost::asio::any_io_executor loop_;
    pacing::refused_session_store store_;
    pacing::paced_resolver resolver_;
};

/// The S3-compatible store of the settings; null when the database stores media. Connects when it
/// is used.
[[nodiscard]] std::unique_ptr<net::s3_store> open_media_store(const settings& config);

/// One request to the store. A client that waits longer for a part of a video has given up.
inline constexpr std::chrono::seconds object_time_max{10};

/// Reads a part of an object on one of `threads`. Errors: those of s3_store::get(); not_found when
/// `store` is null. The objects outlive the call.
[[nodiscard]] awaitable<result<std::vector<std::byte>>> read_object(
    const net::s3_store* store, async::offload_pool& threads, jobs::object_range part);

/// Whether the store accepts, returns and deletes an object. Errors: those of s3_store.
[[nodiscard]] result<void> check_media_store(const net::s3_store& store, deadline by);

/// Bytes of memory that this process may use: the machine's, or less if a control group limits it,
/// as in containers and systemd units. Limits that are invisible in the container are not known.
[[nodiscard]] std::uint64_t usable_memory_bytes();

/// `MemTotal` in the text of `/proc/meminfo`, where LXC containers show their own limit. Source:
/// proc(5).
[[nodiscard]] std::optional<std::uint64_t> total_memory_bytes(std::string_view meminfo);

/// The lowest limit of a process's control groups and their parents; empty if there is none.
/// `membership` is the text of `/proc/self/cgroup`, `mounted` the folder of the groups
/// (`/sys/fs/cgroup`): `memory.max` and `memory.high` of version 2, there or under `unified`,
/// `memory.limit_in_bytes` of version 1 under `memory`. Source: cgroups(7).
[[nodiscard]] std::optional<std::uint64_t> control_group_bytes_max(
    std::string_view membership, const std::filesystem::path& mounted);

/// Default of `reel-cache-bytes-max`: a sixteenth of the memory, which leaves enough for a database
/// and local analyses, within 64 MiB and 1 GiB.
[[nodiscard]] std::size_t usual_reel_cache_bytes_max(std::uint64_t usable_bytes) noexcept;

}  // namespace reelsd::app
