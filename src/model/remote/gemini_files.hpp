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

/// A file that the provider keeps for a while.
struct uploaded_file {
    std::string name;  ///< "files/abc": to ask for it and to remove it.
    std::string uri;   ///< For the question.
};

using upload_result = boost::system::result<uploaded_file, call_failure>;

/// Gemini's Files API. Source: model-api.md A3. Blocking; safe from any thread.
class gemini_files {
public:
    /// The first two outlive it.
    gemini_files(const gemini_settings& settings, const net::http_client& http, log::logger log);

    /// Uploads and waits until it may be used. Whatever fails is tried again as it deserves; what
    /// was uploaded in vain is removed. `mime_type` as "video/mp4".
    [[nodiscard]] upload_result upload(
        const std::filesystem::path& file, std::string_view mime_type, const deadline& by,
        const std::stop_token& stop) const;

    /// Also while everything else is being stopped: it takes a few seconds at most. What cannot be
    /// removed is logged; the provider drops it after two days.
    void remove(const uploaded_file& file) const noexcept;

    /// Removes what runs of this owner that are over have left behind, and what any other has left
    /// an hour ago.
    void sweep(const run_check& is_living, const deadline& by, const std::stop_token& stop) const;

private:
    struct upload_place;
    /// Whether a file that is listed is to go.
    using choice = std::function<bool(const json& file)>;

    [[nodiscard]] upload_result upload_once(
        const std::filesystem::path& file, std::string_view mime_type, const deadline& by,
        const std::stop_token& stop) const;
    [[nodiscard]] boost::system::result<upload_place, call_failure> start(
        std::uint64_t bytes, std::string_view mime_type, const deadline& by,
        const std::stop_token& stop) const;
    [[nodiscard]] upload_result send_bytes(
        const upload_place& place, const std::filesystem::path& file, std::uint64_t bytes,
        const deadline& by, const std::stop_token& stop) const;
    [[nodiscard]] boost::system::result<bool, call_failure> look_at(
        uploaded_file& file, const deadline& by, const std::stop_token& stop) const;
    [[nodiscard]] json list_page(
        const std::string& page, const deadline& by, const std::stop_token& stop) const;
    [[nodiscard]] boost::system::result<void, call_failure> wait_until_active(
        uploaded_file& file, const deadline& by, const std::stop_token& stop) const;
    /// Names of those of the provider's files that are chosen.
    [[nodiscard]] std::vector<uploaded_file> find_files(
        const choice& is_wanted, const deadline& by, const std::stop_token& stop) const;
    /// What an upload without an answer may have left.
    void remove_lost(const upload_place& place) const;
    [[nodiscard]] std::string reason_of(const result<net::http_response>& answer) const;
    [[nodiscard]] net::http_request request(net::http_method method, std::string path) const;

    const gemini_settings& settings_;
    const net::http_client& http_;
    log::logger log_;
    std::string run_name_;  ///< Begins the display names of what this process uploads.
};

}  // namespace reelsd::model
