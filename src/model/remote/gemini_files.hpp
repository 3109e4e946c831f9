#pragma once

#include "call_failure.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/net/http_client.hpp>

#include <boost/system/result.hpp>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// A file that the provider stores for two days.
struct uploaded_file {
    std::string name;  ///< "files/abc"
    std::string uri;   ///< For the request.
};

using upload_result = boost::system::result<uploaded_file, call_failure>;

/// Gemini's Files API. Source: ai.google.dev/api/files. Blocking; thread-safe.
class gemini_files {
public:
    /// `settings` and `http` outlive it.
    gemini_files(const gemini_settings& settings, const net::http_client& http, log::logger log);

    /// Uploads a file and waits until it is usable. Retries failures by after_failed_try(), and
    /// removes unusable uploads. `mime_type` as "video/mp4".
    [[nodiscard]] upload_result upload(
        const std::filesystem::path& file, std::string_view mime_type, const deadline& by,
        const std::stop_token& stop) const;

    /// Works even during a stop, for a few seconds at most. Logs a failure.
    void remove(const uploaded_file& file) const noexcept;

    /// Removes files of ended runs of this owner, and of other owners after an hour.
    void sweep(const run_check& is_living, const deadline& by, const std::stop_token& stop) const;

private:
    struct upload_target {
        std::string url;
        std::string display_name;
    };
    using file_filter = std::function<bool(const json& file)>;

    [[nodiscard]] upload_result upload_once(
        const std::filesystem::path& file, std::string_view mime_type, const deadline& by,
        const std::stop_token& stop) const;
    [[nodiscard]] boost::system::result<upload_target, call_failure> start(
        std::uint64_t bytes, std::string_view mime_type, const deadline& by,
        const std::stop_token& stop) const;
    [[nodiscard]] upload_result send_bytes(
        const upload_target& target, const std::filesystem::path& file, std::uint64_t bytes,
        const deadline& by, const std::stop_token& stop) const;
    /// Whether it is usable now: no as well for server faults and timeouts.
    [[nodiscard]] boost::system::result<bool, call_failure> is_active(
        uploaded_file& file, const deadline& by, const std::stop_token& stop) const;
    [[nodiscard]] boost::system::result<void, call_failure> wait_until_active(
        uploaded_file& file, const deadline& by, const std::stop_token& stop) const;
    [[nodiscard]] std::vector<uploaded_file> find_files(
        const file_filter& filter, const deadline& by, const std::stop_token& stop) const;
    /// Removes the file of an upload without a response.
    void remove_lost(const upload_target& target) const;
    [[nodiscard]] std::string reason_of(const result<net::http_response>& response) const;
    [[nodiscard]] net::http_request request(net::http_method method, std::string path) const;

    const gemini_settings& settings_;
    const net::http_client& http_;
    log::logger log_;
    std::string run_name_;  ///< Prefix of the display names of this process's uploads.
};

}  // namespace reelsd::model
