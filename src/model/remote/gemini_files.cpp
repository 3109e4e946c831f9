#include "gemini_files.hpp"

#include "../json_members.hpp"
#include "gemini_errors.hpp"
#include "retry_loop.hpp"
#include "retry_schedule.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

namespace reelsd::model {
namespace {

using namespace std::chrono_literals;
using wall_clock = std::chrono::system_clock;

constexpr auto upload_time_max = 120s;
constexpr auto poll_time_max = 180s;
constexpr auto short_time_max = 30s;
constexpr auto remove_time_max = 4s;
constexpr int removals_max = 3;
constexpr seconds_f remove_pause{0.5};
/// Of one request; a multiple of what the provider asks for (8 MiB). What is smaller goes at once.
constexpr std::uint64_t chunk_bytes = std::uint64_t{24} * 1024 * 1024;
/// A file that never becomes ready is uploaded once more.
constexpr int uploads_max = 2;
constexpr std::array<seconds_f, 5> poll_pauses{
    seconds_f{1.0}, seconds_f{2.0}, seconds_f{3.0}, seconds_f{5.0}, seconds_f{5.0}};
constexpr int pages_max = 20;
/// Older than any job: nobody needs it.
constexpr auto leftover_age = 1h;

call_failure failure_in(const net::http_response& answer) {
    return gemini_failure(
        answer.status(), answer.head.headers, answer.body, gemini_target::file, wall_clock::now());
}

/// Of bytes that were sent: a session that is dead says so, and another one may live.
call_failure upload_failure_in(const net::http_response& answer) {
    auto why = failure_in(answer);
    if (answer.head.headers.find("X-Goog-Upload-Status") == "final")
        why.kind = failure_kind::transient;
    return why;
}

call_failure unreadable(const char* what) {
    return {.kind = failure_kind::transient, .detail = what};
}

/// "files/abc-123": it becomes part of an address.
bool is_file_name(std::string_view name) {
    constexpr std::string_view folder = "files/";
    return name.starts_with(folder) && name.size() > folder.size() && name.size() <= 200 &&
           name.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", folder.size()) ==
               std::string_view::npos;
}

/// The file that a body describes, bare or wrapped; a name at least.
std::optional<json> file_in(const std::string& body) {
    auto document = parse_foreign_json(body);
    if (!document.is_object()) return std::nullopt;
    const auto wrapped = document.find("file");
    json file = wrapped != document.end() ? *wrapped : document;
    if (!is_file_name(text_in(file, "name"))) return std::nullopt;
    return file;
}

/// For a query.
std::string escaped(std::string_view text) {
    std::string made;
    for (const char c : text) {
        const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                              (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
        if (is_plain)
            made.push_back(c);
        else
            made += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return made;
}

/// Sends with the tries that it deserves; any answer but 200 is a failure.
boost::system::result<net::http_response, call_failure> send_patiently(
    const net::http_client& http, const net::http_request& request, std::chrono::seconds time_max,
    const deadline& by, const std::stop_token& stop) {
    for (int tries = 1;; ++tries) {
        auto answer = http.send(request, by.at_most(time_max), stop);
        if (answer && answer->status() == 200) return *std::move(answer);
        const auto why = answer ? failure_in(*answer) : failure_from(answer.error());
        const auto next = after_failed_try(why, tries, random_between(0.0, 1.0));
        const auto* again = std::get_if<try_again>(&next);
        if (again == nullptr || !pause(again->pause, by, stop)) return why;
    }
}

/// Of a question about a file: neither a fault of the server nor too many questions.
bool is_final_refusal(int status) {
    return status >= 400 && status < 500 && status != 408 && status != 429;
}

/// The run in the display name of a file of that owner.
std::optional<std::string> run_in(std::string_view name, const std::string& owner) {
    if (!name.starts_with(owner + '-')) return std::nullopt;
    name.remove_prefix(owner.size() + 1);
    return std::string{name.substr(0, name.find('-'))};
}

std::string random_suffix() {
    return fmt::format("{:08x}", static_cast<std::uint32_t>(random_bits()));
}

}  // namespace

std::string gemini_files::reason_of(const result<net::http_response>& answer) const {
    if (!answer) return answer.error().to_string();
    return without_secret(failure_in(*answer).detail, settings_.key);
}

/// Where the bytes go.
struct gemini_files::upload_place {
    std::string url;
    std::string display_name;
};

gemini_files::gemini_files(
    const gemini_settings& settings, const net::http_client& http, log::logger log)
    : settings_{settings},
      http_{http},
      log_{std::move(log)},
      run_name_{fmt::format("{}-{}", settings.upload_owner, settings.upload_run)} {}

net::http_request gemini_files::request(net::http_method method, std::string path) const {
    net::http_request made{.method = method, .url = settings_.url + std::move(path)};
    made.headers = {{.name = "x-goog-api-key", .value = settings_.key}};
    return made;
}

boost::system::result<gemini_files::upload_place, call_failure> gemini_files::start(
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
    const auto display_name = fmt::format("{}-{}", run_name_, random_suffix());
    begin.body = json{{"file", {{"displayName", display_name}}}}.dump();
    const auto answer = send_patiently(http_, begin, short_time_max, by, stop);
    if (!answer) return answer.error();
    const auto told = answer->head.headers.find("X-Goog-Upload-URL");
    const auto place = told ? net::url::parse(*told) : net::url::parse("");
    if (!place) return unreadable("no upload address was given");
    // The provider is where the operator says: a gateway's own, not the address behind it.
    const auto& text = place->text();
    const auto path = text.find('/', place->scheme().size() + std::string_view{"://"}.size());
    if (path == std::string::npos) return unreadable("the upload address has no path");
    return upload_place{.url = settings_.url + text.substr(path), .display_name = display_name};
}

upload_result gemini_files::send_bytes(
    const upload_place& place, const std::filesystem::path& file, std::uint64_t bytes,
    const deadline& by, const std::stop_token& stop) const {
    for (std::uint64_t offset = 0;;) {
        const auto count = std::min(chunk_bytes, bytes - offset);
        const bool is_last = offset + count == bytes;
        net::http_request chunk{.method = net::http_method::post, .url = place.url};
        chunk.headers = {
            {.name = "X-Goog-Upload-Offset", .value = std::to_string(offset)},
            {.name = "X-Goog-Upload-Command", .value = is_last ? "upload, finalize" : "upload"},
            {.name = "Content-Type", .value = ""}};
        chunk.fresh_connection = true;  // A session takes each byte once.
        chunk.streamed_body.emplace().add_file({.file = file, .offset = offset, .bytes = count});
        const auto answer = http_.send(chunk, by.at_most(upload_time_max), stop);
        if (!answer) return failure_from(answer.error());
        if (answer->status() != 200) return upload_failure_in(*answer);
        offset += count;
        if (!is_last) continue;
        const auto status = answer->head.headers.find("X-Goog-Upload-Status");
        if (status != "final") return unreadable("the upload did not become final");
        const auto made = file_in(answer->body);
        if (!made) return unreadable("the upload's answer names no file");
        return uploaded_file{.name = text_in(*made, "name"), .uri = text_in(*made, "uri")};
    }
}

/// Whether it can be used now. Servers' faults and silence count as "still at it".
boost::system::result<bool, call_failure> gemini_files::look_at(
    uploaded_file& file, const deadline& by, const std::stop_token& stop) const {
    const auto answer =
        http_.send(request(net::http_method::get, "/v1beta/" + file.name), by, stop);
    if (!answer) {
        if (answer.error().code() != errc::cancelled) return false;
        return call_failure{.kind = failure_kind::cancelled};
    }
    if (is_final_refusal(answer->status())) return failure_in(*answer);
    const auto about = answer->status() == 200 ? file_in(answer->body) : std::nullopt;
    if (!about) return false;
    if (file.uri.empty()) file.uri = text_in(*about, "uri");
    const auto state = text_in(*about, "state");
    if (state != "FAILED") return state == "ACTIVE";
    return call_failure{
        .kind = failure_kind::video_rejected,
        .detail = "the file could not be processed: " +
                  excerpt(about->value("error", json::object()).dump())};
}

boost::system::result<void, call_failure> gemini_files::wait_until_active(
    uploaded_file& file, const deadline& by, const std::stop_token& stop) const {
    const auto until = by.at_most(poll_time_max);
    for (std::size_t polls = 0;; ++polls) {
        const auto is_ready = look_at(file, until.at_most(short_time_max), stop);
        if (!is_ready) return is_ready.error();
        if (*is_ready) return {};
        if (pause(poll_pauses.at(std::min(polls, poll_pauses.size() - 1)), until, stop)) continue;
        if (stop.stop_requested()) return call_failure{.kind = failure_kind::cancelled};
        return call_failure{
            .kind = failure_kind::file_not_ready, .detail = "the file did not become ready"};
    }
}

upload_result gemini_files::upload_once(
    const std::filesystem::path& file, std::string_view mime_type, const deadline& by,
    const std::stop_token& stop) const {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file, failure);
    if (failure) return call_failure{.kind = failure_kind::storage, .detail = failure.message()};
    for (int tries = 1;; ++tries) {
        const auto place = start(bytes, mime_type, by, stop);
        if (!place) return place.error();
        auto made = send_bytes(*place, file, bytes, by, stop);
        if (made) return made;
        remove_lost(*place);
        const auto next = after_failed_try(made.error(), tries, random_between(0.0, 1.0));
        const auto* again = std::get_if<try_again>(&next);
        if (again == nullptr || !pause(again->pause, by, stop)) return made.error();
    }
}

upload_result gemini_files::upload(
    const std::filesystem::path& file, std::string_view mime_type, const deadline& by,
    const std::stop_token& stop) const {
    for (int uploads = 1;; ++uploads) {
        auto made = upload_once(file, mime_type, by, stop);
        if (!made) return made.error();
        const auto ready = wait_until_active(*made, by, stop);
        if (ready) return made;
        remove(*made);
        const bool may_help = ready.error().kind == failure_kind::file_not_ready ||
                              ready.error().kind == failure_kind::file_gone;
        if (!may_help || uploads == uploads_max) return ready.error();
    }
}

void gemini_files::remove(const uploaded_file& file) const noexcept {
    try {
        const auto by = deadline::after(remove_time_max);
        for (int tries = 1;; ++tries) {
            const auto answer =
                http_.send(request(net::http_method::del, "/v1beta/" + file.name), by, {});
            const bool is_gone = answer && (answer->status() == 200 || answer->status() == 404 ||
                                            answer->status() == 403);
            if (is_gone) return;
            if (tries < removals_max && pause(remove_pause, by, {})) continue;
            log_.warning(
                "an uploaded file could not be removed; the provider does so after two days",
                {{"file", file.name}, {"reason", reason_of(answer)}});
            return;
        }
    } catch (const std::exception& failure) {
        log_.error("an uploaded file could not be removed", {{"reason", failure.what()}});
    }
}

/// One page of the list of files; null when there is none to be had.
json gemini_files::list_page(
    const std::string& page, const deadline& by, const std::stop_token& stop) const {
    const auto path =
        "/v1beta/files?pageSize=100" + (page.empty() ? "" : "&pageToken=" + escaped(page));
    const auto answer =
        http_.send(request(net::http_method::get, path), by.at_most(short_time_max), stop);
    if (answer && answer->status() == 200) return parse_foreign_json(answer->body);
    if (!stop.stop_requested())
        log_.warning("uploaded files could not be listed", {{"reason", reason_of(answer)}});
    return nullptr;
}

std::vector<uploaded_file> gemini_files::find_files(
    const choice& is_wanted, const deadline& by, const std::stop_token& stop) const {
    std::vector<uploaded_file> found;
    std::string page;
    for (int pages = 0; pages < pages_max; ++pages) {
        const auto listed = list_page(page, by, stop);
        if (!listed.is_object()) break;
        for (const auto& file : list_in(listed, "files")) {
            const auto name = text_in(file, "name");
            if (is_file_name(name) && is_wanted(file)) found.push_back({.name = name, .uri = {}});
        }
        page = text_in(listed, "nextPageToken");
        if (page.empty()) break;
    }
    return found;
}

void gemini_files::remove_lost(const upload_place& place) const {
    const auto is_lost = [&place](const json& file) {
        return text_in(file, "displayName") == place.display_name;
    };
    for (const auto& file : find_files(is_lost, deadline::after(remove_time_max), {})) remove(file);
}

void gemini_files::sweep(
    const run_check& is_living, const deadline& by, const std::stop_token& stop) const {
    const auto old = to_rfc3339(
        std::chrono::time_point_cast<std::chrono::microseconds>(wall_clock::now() - leftover_age));
    const auto is_left = [&](const json& file) {
        const auto name = text_in(file, "displayName");
        const auto run = run_in(name, settings_.upload_owner);
        if (run) return *run != settings_.upload_run && !is_living(*run);
        // Times of one form compare as text.
        return name.starts_with("reelsd-") && text_in(file, "createTime") < old;
    };
    const auto leftovers = find_files(is_left, by, stop);
    for (const auto& file : leftovers) remove(file);
    if (!leftovers.empty())
        log_.info("removed uploaded files of earlier runs", {{"files", leftovers.size()}});
}

}  // namespace reelsd::model
