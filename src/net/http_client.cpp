#include "curl_engine.hpp"
#include "transfer.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/net/http_client.hpp>

#include <algorithm>
#include <array>
#include <new>

namespace reelsd::net {
namespace {

struct slist_deleter {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
using slist_ptr = std::unique_ptr<curl_slist, slist_deleter>;

/// Large enough to keep a fast line busy, small enough for every worker to have one.
constexpr long upload_buffer_bytes = 256L * 1024;

bool has_line_break(std::string_view text) {
    return text.find_first_of(std::string_view{"\r\n\0", 3}) != std::string_view::npos;
}

bool sends_body(http_method method) {
    return method == http_method::post || method == http_method::put ||
           method == http_method::patch;
}

/// Header fields that a redirect may carry to another origin.
bool is_harmless(const header& field) {
    constexpr std::array<std::string_view, 7> names{
        "Accept",
        "Accept-Encoding",
        "Accept-Language",
        "If-Range",
        "Range",
        "Referer",
        "User-Agent"};
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return equals_ignoring_case(name, field.name);
    });
}

slist_ptr header_lines(const std::vector<header>& headers) {
    slist_ptr list;
    const auto append = [&list](const std::string& line) {
        curl_slist* longer = curl_slist_append(list.get(), line.c_str());
        if (longer == nullptr) throw std::bad_alloc{};
        static_cast<void>(list.release());
        list.reset(longer);
    };
    append("Expect:");  // Does not wait for a "100 Continue" that many servers never send.
    for (const auto& field : headers) {
        // libcurl expects a field without a value to end in a semicolon.
        append(field.value.empty() ? field.name + ";" : field.name + ": " + field.value);
    }
    return list;
}

void set_body(CURL* handle, const http_request& request) {
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    if (request.streamed_body) {
        curl_easy_setopt(
            handle,
            CURLOPT_POSTFIELDSIZE_LARGE,
            static_cast<curl_off_t>(request.streamed_body->size()));
        curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, upload_buffer_bytes);
    } else {
        curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.data());
        curl_easy_setopt(
            handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    }
}

void set_method(CURL* handle, const http_request& request) {
    if (sends_body(request.method)) set_body(handle, request);
    switch (request.method) {
        case http_method::get:
        case http_method::post: break;
        case http_method::head: curl_easy_setopt(handle, CURLOPT_NOBODY, 1L); break;
        case http_method::put: curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "PUT"); break;
        case http_method::patch: curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "PATCH"); break;
        case http_method::del: curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "DELETE"); break;
    }
}

void set_limits(CURL* handle, const http_request& request, deadline by) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(by.remaining());
    const auto connect = std::clamp(
        request.connect_time_max,
        std::chrono::milliseconds{1},
        std::max(left, std::chrono::milliseconds{1}));
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect.count()));
    if (request.slowest) {
        const auto& floor = *request.slowest;
        curl_easy_setopt(
            handle, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(floor.bytes_per_second));
        curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(floor.during.count()));
    }
    if (request.compressed) curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
}

/// "host!ADDRESS" or "if!DEVICE": libcurl would resolve a bare word by DNS.
std::string interface_of(const std::string& outgoing_address) {
    if (outgoing_address.empty()) return {};
    const bool is_address = ip_address::parse(outgoing_address).has_value();
    return (is_address ? "host!" : "if!") + outgoing_address;
}

/// Source: access.md 1.1.
void set_route(CURL* handle, const std::optional<proxy>& by, const std::string& outgoing) {
    if (!outgoing.empty()) curl_easy_setopt(handle, CURLOPT_INTERFACE, outgoing.c_str());
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "");  // Ignores NO_PROXY of the environment.
    curl_easy_setopt(handle, CURLOPT_PROXY, by ? by->url().c_str() : "");
    if (!by) return;
    // Also for plain http: otherwise the proxy's error responses look like the target's.
    if (!by->is_socks()) curl_easy_setopt(handle, CURLOPT_HTTPPROXYTUNNEL, 1L);
    curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

/// Options of every transfer.
void set_common_options(CURL* handle, const std::string& ca_file) {
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    // Without it a cancelled transfer would wait for the name server in getaddrinfo().
    curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (ca_file.empty()) return;
    curl_easy_setopt(handle, CURLOPT_CAINFO, ca_file.c_str());
    curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
    curl_easy_setopt(handle, CURLOPT_PROXY_CAINFO, ca_file.c_str());
    curl_easy_setopt(handle, CURLOPT_PROXY_CAPATH, nullptr);
}

result<void> check_headers(const std::vector<header>& headers) {
    for (const auto& field : headers) {
        if (field.name.empty() || has_line_break(field.name) || has_line_break(field.value))
            return error{errc::invalid_argument, "header field with a line break or no name"};
    }
    return {};
}

}  // namespace

void header_list::add(std::string name, std::string value) {
    fields_.push_back({.name = std::move(name), .value = std::move(value)});
}

std::optional<std::string_view> header_list::find(std::string_view name) const {
    for (const auto& field : fields_) {
        if (equals_ignoring_case(field.name, name)) return field.value;
    }
    return std::nullopt;
}

http_client::http_client(http_client_settings settings)
    : engines_{std::make_unique<engine_pool>()},
      guard_{std::move(settings.policy)},
      proxy_{std::move(settings.by_proxy)},
      outgoing_{interface_of(settings.outgoing_address)},
      ca_file_{std::move(settings.ca_file)},
      any_certificate_{settings.any_certificate} {}

http_client::~http_client() = default;

http_client::hop http_client::begin(const http_request& request, url target) {
    const bool follows = request.redirects_max > 0 && !sends_body(request.method);
    return {.target = std::move(target), .headers = request.headers, .follows = follows};
}

http_client::attempt http_client::try_once(
    const http_request& request, const hop& at, connection_choice on, deadline by,
    const std::stop_token& stop) const {
    const auto lines = header_lines(at.headers);
    transfer running{
        request,
        at.target,
        guard_,
        {.follows_redirects = at.follows, .by_proxy = proxy_ ? &*proxy_ : nullptr}};
    const easy_ptr handle{curl_easy_init()};  // Destroyed first: it refers to the other two.
    if (!handle) throw std::bad_alloc{};
    running.attach(handle.get());
    set_common_options(handle.get(), ca_file_);
    set_route(handle.get(), proxy_, outgoing_);
    if (any_certificate_) {
        curl_easy_setopt(handle.get(), CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(handle.get(), CURLOPT_SSL_VERIFYHOST, 0L);
    }
    set_limits(handle.get(), request, by);
    set_method(handle.get(), request);
    curl_easy_setopt(
        handle.get(), CURLOPT_FRESH_CONNECT, on.is_fresh || request.fresh_connection ? 1L : 0L);
    // The next such request needs a new connection too; a pooled one would only stay idle.
    curl_easy_setopt(handle.get(), CURLOPT_FORBID_REUSE, request.fresh_connection ? 1L : 0L);
    curl_easy_setopt(handle.get(), CURLOPT_URL, at.target.text().c_str());
    curl_easy_setopt(handle.get(), CURLOPT_HTTPHEADER, lines.get());

    const auto outcome = engines_->run(handle.get(), by, stop);
    if (!outcome) return {.answer = outcome.error()};
    long connections_made = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_NUM_CONNECTS, &connections_made);
    // libcurl takes anything but an HTTP/1 head for HTTP/0.9, which is not supported.
    const bool is_no_head =
        *outcome == CURLE_UNSUPPORTED_PROTOCOL || *outcome == CURLE_WEIRD_SERVER_REPLY;
    auto answer = running.finish(handle.get(), *outcome);
    return {
        .answer = std::move(answer),
        .location = running.location(),
        .is_anothers_rest = is_no_head && connections_made == 0};
}

/// Sends one request. A redirect to follow updates `at` and returns no response.
result<std::optional<http_response>> http_client::exchange(
    const http_request& request, hop& at, deadline by, const std::stop_token& stop) const {
    if (const auto allowed = guard_.check(at.target); !allowed) return allowed.error();

    auto tried = try_once(request, at, {}, by, stop);
    // The next request on a connection receives the excess of an earlier, too long body.
    if (tried.is_anothers_rest && (request.is_question || !sends_body(request.method)))
        tried = try_once(request, at, {.is_fresh = true}, by, stop);
    if (!tried.answer) return tried.answer.error();
    if (!tried.location) return std::optional{*std::move(tried.answer)};

    auto next = at.target.resolve(*tried.location);
    if (!next) return error{errc::connection_failed, "redirect to no http(s) URL"};
    if (next->origin() != at.target.origin())
        std::erase_if(at.headers, [](const header& field) { return !is_harmless(field); });
    at.target = *std::move(next);
    return std::optional<http_response>{};
}

result<http_response> http_client::send(
    const http_request& request, deadline by, const std::stop_token& stop) const {
    auto target = url::parse(request.url);
    if (!target) return target.error();
    if (const auto sane = check_headers(request.headers); !sane) return sane.error();

    auto at = begin(request, *std::move(target));
    for (int redirects = 0; redirects <= request.redirects_max; ++redirects) {
        auto answer = exchange(request, at, by, stop);
        if (!answer) return answer.error();
        if (*answer) return **std::move(answer);
    }
    return error{errc::connection_failed, "too many redirects, last to " + at.target.redacted()};
}

}  // namespace reelsd::net
