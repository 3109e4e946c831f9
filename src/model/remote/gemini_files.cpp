#include "gemini_files.hpp"

#include "../json_members.hpp"
#include "gemini_api.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

namespace reelsd::model {
namespace {

using namespace std::chrono_literals;

constexpr auto upload_time_max = 120s;
constexpr auto poll_time_max = 180s;
constexpr auto short_time_max = 30s;
constexpr auto remove_time_max = 4s;
constexpr int removals_max = 3;
constexpr seconds_f remove_pause{0.5};
/// Of one request; a multiple of the provider's granularity (8 MiB).
constexpr std::uint64_t chunk_bytes = std::uint64_t{24} * 1024 * 1024;
/// A file that never becomes active is uploaded once more.
constexpr int uploads_max = 2;
constexpr std::array<seconds_f, 5> poll_pauses{
    seconds_f{1.0}, seconds_f{2.0}, seconds_f{3.0}, seconds_f{5.0}, seconds_f{5.0}};
constexpr int pages_max = 20;
/// Older than any job.
constexpr auto leftover_age = 1h;

call_failure failure_in(const net::http_response& response) {
    return gemini_failure(response, gemini_target::file);
}

/// Of an upload session: if the session has ended, a new one may succeed.
call_failure upload_failure_in(const net::http_response& response) {
    auto why = failure_in(response);
    if (response.head.headers.find("X-Goog-Upload-Status") == "final")
        why.kind = failure_kind::transient;
    return why;
}

call_failure unreadable(const char* what) {
    return {.kind = failure_kind::transient, .detail = what};
}

/// "files/abc-123", which is safe in a URL.
bool is_file_name(std::string_view name) {
    constexpr std::string_view folder = "files/";
    if (!name.starts_with(folder) || name.size() == folder.size() || name.size() > 200)
        return false;
    return std::ranges::all_of(name.substr(folder.size()), [](char byte) {
        return is_alphanumeric(byte) || byte == '-' || byte == '_';
    });
}

/// The file that a body describes, with a valid name at least.
std::optional<json> file_in(const std::string& body) {
    auto document = parse_foreign_json(body);
    json file = document.contains("file") ? document["file"] : document;
    if (!is_file_name(text_in(file, "name"))) return std::nullopt;
    return file;
}

/// Waits before a retry by after_failed_try(); false if there is none. The caller must not retry
/// after the last try: retries would multiply.
bool pause_before_retry(
    call_failure& why, int tries, const deadline& by, const std::stop_token& stop) {
    const auto next = after_failed_try(why, tries, random_between(0.0, 1.0));
    if (std::holds_alternative<give_up>(next)) why.should_retry = false;
    const auto* again = std::get_if<try_again>(&next);
    return again != nullptr && sleep_within(again->pause, by, stop);
}

/// Retries by after_failed_try(). A status other than 200 is a failure. Not about a file: a 403 or
/// 404 concerns the key or the address.
boost::system::result<net::http_response, call_failure> send_with_retries(
    const net::http_client& http, const net::http_request& request, std::chrono::seconds time_max,
    const deadline& by, const std::stop_token& stop) {
    for (int tries = 1;; ++tries) {
        auto response = http.send(request, by.at_most(time_max), stop);
        if (response && response->status() == 200) return *std::move(response);
        auto why = response ? gemini_failure(*response) : failure_from(response.error());
        if (!pause_before_retry(why, tries, by, stop)) return why;
    }
}

/// Whether a status about a file is permanent: neither a server fault nor a rate limit.
bool is_final_refusal(int status) {
    return status >= 400 && status < 500 && status != 408 && status != 429;
}

/// The run in the display name of a file, if it is of that owner.
std::optional<std::string> run_in(std::string_view name, const std::string& owner) {
    if (!name.starts_with(owner + '-')) return std::nullopt;
    name.remove_prefix(owner.size() + 1);
    return std::string{name.substr(0, name.find('-'))};
}

}  // namespace

std::string gemini_files::reason_of(const result<net::http_response>& response) const {
    if (!response) return response.error().to_string();
    return without_secret(failure_in(*response).detail, settings_.key);
}

gemini_files::gemini_files(
    const gemini_settings& settings, const net::http_client& http, log::logger log)
    : settings_{settings},
      http_{http},
      log_{std::move(log)},
      run_name_{fmt::format("{}-{}", settings.upload_owner, settings.upload_run)} {}

net::http_request gemini_files::request(net::http_method method, std::string path) const {
    return {
        .method = method,
        .url = settings_.url + std::move(path),
        .headers = {{.name = "x-goog-api-key", .value = settings_.key}}};
}

boost::system::result<gemini_files::upload_target, call_failure> gemini_files::start(
    std::uint64_t bytes, std::string_view mime_type, const deadline& by,
    const std::stop_token& stop) const {
    auto begin = request(net::http_method::post, "/upload/v1beta/files");
    const auto add = [&begin](std::string name, std::string value) {
        begin.headers.push_back({.name = std::move(name), .value = std::move(value)});
    };
    add("X-Goog-Upload-Protocol", "resumable");
    add("X-Goog-Upload-Command", "start");
    add("X-Goog-Upload-Header-Content-Length", std::to_string(bytes));
    add("X-Goog-Upload-Header-Content-Type", std::string{mime_type});
    add("Content-Type", "application/json");
    const auto suffix = static_cast<std::uint32_t>(random_bits());
    const auto display_name = fmt::format("{}-{:08x}", run_name_, suffix);
    begin.body = json{{"file", {{"displayName", display_name}}}}.dump();
    const auto response = send_with_retries(http_, begin, short_time_max, by, stop);
    if (!response) return response.error();
    const auto url = net::url::parse(response->head.headers.find("X-Goog-Upload-URL").value_or(""));
    if (!url) return unreadable("no upload address was given");
    // Uploads use the operator's gateway, not the address behind it.
    const auto& text = url->text();
    const auto path = text.find('/', url->scheme().size() + std::string_view{"://"}.size());
    if (path == std::string::npos) return unreadable("the upload address has no path");
    return upload_target{.url = settings_.url + text.substr(path), .display_name = display_name};
}

upload_result gemini_files::send_bytes(
    const upload_target& target, const std::filesystem::path& file, std::uint64_t bytes,
    const deadline& by, const std::stop_token& stop) const {
    for (std::uint64_t offset = 0;;) {
        const auto count = std::min(chunk_bytes, bytes - offset);
        const bool is_last = offset + count == bytes;
        net::http_request chunk{.method = net::http_method::post, .url = target.url};
        chunk.headers = {
            {.name = "X-Goog-Upload-Offset", .value = std::to_string(offset)},
            {.name = "X-Goog-Upload-Command", .value = is_last ? "upload, finalize" : "upload"},
            {.name = "Content-Type", .value = ""}};
        chunk.fresh_connection = true;  // A session accepts each byte once.
        chunk.streamed_body.emplace().add_file({.file = file, .offset = offset, .bytes = count});
        const auto response = http_.send(chunk, by.at_most(upload_time_max), stop);
        if (!response) return failure_from(response.error());
        if (response->status() != 200) return upload_failure_in(*response);
        offset += count;
        if (!is_last) continue;
        const auto status = response->head.headers.find("X-Goog-Upload-Status");
        if (status != "final") return unreadable("the upload did not become final");
        const auto uploaded = file_in(response->body);
        if (!uploaded) return unreadable("the upload's answer names no file");
        return uploaded_file{.name = text_in(*uploaded, "name"), .uri = text_in(*uploaded, "uri")};
    }
}

boost::system::result<bool, call_failure> gemini_files::is_active(
    uploaded_file& file, const deadline& by, const std::stop_token& stop) const {
    const auto response =
        http_.send(request(net::http_method::get, "/v1beta/" + file.name), by, stop);
    if (!response) {
        if (response.error().code() != errc::cancelled) return false;
        return call_failure{.kind = failure_kind::cancelled};
    }
    if (is_final_refusal(response->status())) return failure_in(*response);
    const auto listed = response->status() == 200 ? file_in(response->body) : std::nullopt;
    if (!listed) return false;
    if (file.uri.empty()) file.uri = text_in(*listed, "uri");
    const auto state = text_in(*listed, "state");
    if (state != "FAILED") return state == "ACTIVE";
    return call_failure{
        .kind = failure_kind::video_rejected,
        .detail = "the file could not be processed: " +
                  excerpt(listed->value("error", json::object()).dump())};
}

boost::system::result<void, call_failure> gemini_files::wait_until_active(
    uploaded_file& file, const deadline& by, const std::stop_token& stop) const {
    const auto until = by.at_most(poll_time_max);
    for (std::size_t polls = 0;; ++polls) {
        const auto active = is_active(file, until.at_most(short_time_max), stop);
        if (!active) return active.error();
        if (*active) return {};
        if (sleep_within(poll_pauses.at(std::min(polls, poll_pauses.size() - 1)), until, stop))
            continue;
        if (stop.stop_requested()) return call_failure{.kind = failure_kind::cancelled};
        return call_failure{
            .kind = failure_kind::file_not_ready, .detail = "the file did not become ready"};
    }
}

upload_result gemini_files::upload_once(
    const std::filesystem::path& file, std::string_view mime_type, const deadline& by,
    const std::stop_token& stop) const {
    const auto whole = whole_file(file);
    if (!whole) return whole.error();
    for (int tries = 1;; ++tries) {
        const auto target = start(whole->bytes, mime_type, by, stop);
        if (!target) return target.error();
        auto uploaded = send_bytes(*target, file, whole->bytes, by, stop);
        if (uploaded) return uploaded;
        remove_lost(*target);
        auto why = uploaded.error();
        if (!pause_before_retry(why, tries, by, stop)) return why;
    }
}

upload_result gemini_files::upload(
    const std::filesystem::path& file, std::string_view mime_type, const deadline& by,
    const std::stop_token& stop) const {
    for (int uploads = 1;; ++uploads) {
        auto uploaded = upload_once(file, mime_type, by, stop);
        if (!uploaded) return uploaded.error();
        const auto ready = wait_until_active(*uploaded, by, stop);
        if (ready) return uploaded;
        remove(*uploaded);
        const bool may_help = ready.error().kind == failure_kind::file_not_ready ||
                              ready.error().kind == failure_kind::file_gone;
        if (!may_help) return ready.error();
        if (uploads == uploads_max) {
            auto why = ready.error();
            why.should_retry = false;  // More uploads would occupy the worker for the whole job.
            return why;
        }
    }
}

void gemini_files::remove(const uploaded_file& file) const noexcept {
    try {
        const auto by = deadline::after(remove_time_max);
        for (int tries = 1;; ++tries) {
            const auto response =
                http_.send(request(net::http_method::del, "/v1beta/" + file.name), by, {});
            const auto status = response ? response->status() : 0;
            if (status == 200 || status == 404 || status == 403) return;
            if (tries < removals_max && sleep_within(remove_pause, by, {})) continue;
            log_.warning(
                "deleting an uploaded file failed; the provider deletes it after two days",
                {{"file", file.name}, {"reason", reason_of(response)}});
            return;
        }
    } catch (const std::exception& failure) {
        log_.error("deleting an uploaded file failed", {{"reason", failure.what()}});
    }
}

std::vector<uploaded_file> gemini_files::find_files(
    const file_filter& filter, const deadline& by, const std::stop_token& stop) const {
    std::vector<uploaded_file> files;
    std::string page;
    for (int pages = 0; pages < pages_max; ++pages) {
        const auto path = "/v1beta/files?pageSize=100" +
                          (page.empty() ? "" : "&pageToken=" + percent_encoded(page));
        const auto response =
            http_.send(request(net::http_method::get, path), by.at_most(short_time_max), stop);
        if (!response || response->status() != 200) {
            if (!stop.stop_requested())
                log_.warning("listing uploaded files failed", {{"reason", reason_of(response)}});
            break;
        }
        const auto listed = parse_foreign_json(response->body);
        for (const auto& file : list_in(listed, "files")) {
            const auto name = text_in(file, "name");
            if (is_file_name(name) && filter(file)) files.push_back({.name = name, .uri = {}});
        }
        page = text_in(listed, "nextPageToken");
        if (page.empty()) break;
    }
    return files;
}

void gemini_files::remove_lost(const upload_target& target) const {
    const auto is_lost = [&target](const json& file) {
        return text_in(file, "displayName") == target.display_name;
    };
    for (const auto& file : find_files(is_lost, deadline::after(remove_time_max), {})) remove(file);
}

void gemini_files::sweep(
    const run_check& is_living, const deadline& by, const std::stop_token& stop) const {
    const auto old = to_rfc3339(wall_clock_now() - leftover_age);
    const auto is_left = [&](const json& file) {
        const auto name = text_in(file, "displayName");
        const auto run = run_in(name, settings_.upload_owner);
        if (run) return *run != settings_.upload_run && !is_living(*run);
        // RFC 3339 times in UTC compare as text.
        return name.starts_with("reelsd-") && text_in(file, "createTime") < old;
    };
    const auto leftovers = find_files(is_left, by, stop);
    for (const auto& file : leftovers) remove(file);
    if (!leftovers.empty())
        log_.info("deleted files uploaded by earlier runs", {{"files", leftovers.size()}});
}

}  // namespace reelsd::model
