#include "transfer.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/http_client.hpp>

#include <boost/core/noncopyable.hpp>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>
#include <mutex>
#include <new>

namespace reelsd::net {
namespace {

struct easy_deleter {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
using easy_ptr = std::unique_ptr<CURL, easy_deleter>;

struct multi_deleter {
    void operator()(CURLM* handle) const noexcept { curl_multi_cleanup(handle); }
};
using multi_ptr = std::unique_ptr<CURLM, multi_deleter>;

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
    return std::ranges::any_of(
        names, [&](std::string_view name) { return equals_ignoring_case(name, field.name); });
}

slist_ptr header_lines(const std::vector<header>& headers, bool is_signed) {
    slist_ptr list;
    const auto append = [&list](const std::string& line) {
        curl_slist* longer = curl_slist_append(list.get(), line.c_str());
        if (longer == nullptr) throw std::bad_alloc{};
        static_cast<void>(list.release());
        list.reset(longer);
    };
    // Does not wait for a "100 Continue" that many servers never send. libcurl 7.88 would sign the
    // line, although it removes the field; stores wait for no field that they do not get.
    if (!is_signed) append("Expect:");
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

void set_signature(CURL* handle, const s3_credentials& by) {
    curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, ("aws:amz:" + by.region + ":s3").c_str());
    curl_easy_setopt(handle, CURLOPT_USERNAME, by.access_key.c_str());
    curl_easy_setopt(handle, CURLOPT_PASSWORD, by.secret_key.c_str());
    // libcurl 8.14 refuses to sign otherwise. Names of objects have no dot segments.
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 0L);
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
    const bool is_address = parse_ip_address(outgoing_address).has_value();
    return (is_address ? "host!" : "if!") + outgoing_address;
}

/// Connects directly, or through the proxy. Source: CURLOPT_PROXY(3).
void set_route(CURL* handle, const std::optional<proxy>& by, const std::string& outgoing) {
    if (!outgoing.empty()) curl_easy_setopt(handle, CURLOPT_INTERFACE, outgoing.c_str());
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "");  // Ignores NO_PROXY of the environment.
    curl_easy_setopt(handle, CURLOPT_PROXY, by ? by->url().c_str() : "");
    if (!by) return;
    // Even for plain http: otherwise the proxy's error responses look like the target's.
    if (!by->is_socks()) curl_easy_setopt(handle, CURLOPT_HTTPPROXYTUNNEL, 1L);
    curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

/// Options of every transfer.
void set_common_options(CURL* handle, const std::string& ca_file) {
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    // A server that moved, such as a restarted container, is found at once.
    curl_easy_setopt(handle, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
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

/// Engines kept for reuse: the usual number of concurrent transfers.
constexpr std::size_t idle_engines_max = 16;
/// Open connections that one engine keeps: a page's host and two media hosts, and one spare.
constexpr long idle_connections_max = 4;
/// Longest sleep between two checks of the deadline. Stop requests interrupt it.
constexpr std::chrono::milliseconds poll_time_max{1000};

/// Blocks SIGPIPE in this thread. Threads need CURLOPT_NOSIGNAL, which leaves SIGPIPE to the
/// caller: a server that closes during a TLS write could otherwise end the whole process.
class broken_pipe_shield : boost::noncopyable {
public:
    broken_pipe_shield() {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~broken_pipe_shield() {
        // A signal that became pending would be delivered when the mask is restored.
        constexpr std::timespec at_once{};
        if (!was_pending_) sigtimedwait(&signal_, nullptr, &at_once);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t signal_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

/// Membership of a transfer in an engine.
class attachment : boost::noncopyable {
public:
    attachment(CURLM* engine, CURL* transfer) : engine_{engine}, transfer_{transfer} {
        if (curl_multi_add_handle(engine_, transfer_) != CURLM_OK) throw std::bad_alloc{};
    }
    ~attachment() { curl_multi_remove_handle(engine_, transfer_); }

private:
    CURLM* engine_;
    CURL* transfer_;
};

/// The message about the finished transfer; null while it runs.
const CURLMsg* completion_of(CURLM* engine) {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(engine, &left)) {
        if (message->msg == CURLMSG_DONE) return message;
    }
    return nullptr;
}

int poll_milliseconds(const deadline& by) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(by.remaining());
    return static_cast<int>(std::min(left, poll_time_max).count());
}

result<CURLcode> drive(CURLM* engine, deadline by, const std::stop_token& stop) {
    const std::stop_callback wake{stop, [engine] { curl_multi_wakeup(engine); }};
    while (true) {
        if (stop.stop_requested()) return error{errc::cancelled};
        if (by.passed()) return error{errc::timed_out, "HTTP request"};
        int running = 0;
        if (curl_multi_perform(engine, &running) != CURLM_OK)
            return error{errc::internal, "libcurl failed to continue"};
        if (const auto* message = completion_of(engine)) return message->data.result;
        curl_multi_poll(engine, nullptr, 0, poll_milliseconds(by), nullptr);
    }
}

/// libcurl requires this once per process, before any thread uses it.
void initialize_once() {
    static const CURLcode initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (initialized != CURLE_OK) throw std::bad_alloc{};
}

}  // namespace

/// Lends a multi handle to each transfer: it holds the open connections and the parsed CA bundle,
/// and unlike a lone easy handle it can be woken from another thread.
class engine_pool {
public:
    engine_pool() { initialize_once(); }

    /// Runs one transfer to its end. Returns cancelled and timed_out as errors and every other
    /// outcome as libcurl's result code. Safe from any thread.
    result<CURLcode> run(CURL* transfer, deadline by, const std::stop_token& stop) {
        const broken_pipe_shield shield;
        auto engine = acquire();
        auto outcome = [&] {
            const attachment attached{engine.get(), transfer};
            return drive(engine.get(), by, stop);
        }();
        release(std::move(engine));
        return outcome;
    }

private:
    multi_ptr acquire() {
        {
            const std::scoped_lock guard{lock_};
            if (!idle_.empty()) {
                auto engine = std::move(idle_.back());
                idle_.pop_back();
                return engine;
            }
        }
        multi_ptr engine{curl_multi_init()};
        if (!engine) throw std::bad_alloc{};
        curl_multi_setopt(engine.get(), CURLMOPT_MAXCONNECTS, idle_connections_max);
        return engine;
    }

    void release(multi_ptr engine) {
        const std::scoped_lock guard{lock_};
        if (idle_.size() < idle_engines_max) idle_.push_back(std::move(engine));
    }

    std::mutex lock_;
    std::vector<multi_ptr> idle_;
};

std::optional<std::string_view> header_list::find(std::string_view name) const {
    for (const auto& field : fields_) {
        if (equals_ignoring_case(field.name, name)) return field.value;
    }
    return std::nullopt;
}

std::optional<content_range> content_range_from(std::string_view text) {
    constexpr std::string_view unit = "bytes ";
    const auto dash = text.find('-');
    const auto slash = text.find('/');
    if (!text.starts_with(unit) || dash == std::string_view::npos ||
        slash == std::string_view::npos || dash > slash)
        return std::nullopt;
    const auto from = parse_number<std::uint64_t>(text.substr(unit.size(), dash - unit.size()));
    const auto total = parse_number<std::uint64_t>(text.substr(slash + 1));
    if (!from || !total) return std::nullopt;
    return content_range{.from = *from, .total = *total};
}

http_client::http_client(http_client_settings settings)
    : engines_{std::make_unique<engine_pool>()},
      guard_{std::move(settings.policy)},
      proxy_{std::move(settings.by_proxy)},
      outgoing_address_{std::move(settings.outgoing_address)},
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
    const auto lines = header_lines(at.headers, request.signed_by != nullptr);
    transfer running{
        request,
        at.target,
        guard_,
        {.follows_redirects = at.follows,
         .by_proxy = proxy_ ? &*proxy_ : nullptr,
         .outgoing_address = outgoing_address_}};
    const easy_ptr handle{curl_easy_init()};  // Destroyed first: it refers to the other two.
    if (!handle) throw std::bad_alloc{};
    running.attach(handle.get());
    set_common_options(handle.get(), ca_file_);
    set_route(handle.get(), proxy_, interface_of(outgoing_address_));
    if (any_certificate_) {
        curl_easy_setopt(handle.get(), CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(handle.get(), CURLOPT_SSL_VERIFYHOST, 0L);
    }
    set_limits(handle.get(), request, by);
    set_method(handle.get(), request);
    if (request.signed_by != nullptr) set_signature(handle.get(), *request.signed_by);
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
        .has_stale_bytes = is_no_head && connections_made == 0};
}

/// Sends one request. A redirect to follow updates `at` and returns no response.
result<std::optional<http_response>> http_client::exchange(
    const http_request& request, hop& at, deadline by, const std::stop_token& stop) const {
    if (const auto allowed = guard_.check(at.target); !allowed) return allowed.error();

    auto tried = try_once(request, at, {}, by, stop);
    // The bytes after an earlier, too long body arrive before the response.
    if (tried.has_stale_bytes && (request.is_idempotent || !sends_body(request.method)))
        tried = try_once(request, at, {.is_fresh = true}, by, stop);
    if (!tried.answer) return tried.answer.error();
    if (!tried.location) return std::optional{*std::move(tried.answer)};

    auto next = at.target.resolve(*tried.location);
    if (!next)
        return error{errc::connection_failed, "redirect to a target that is not an http(s) URL"};
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
