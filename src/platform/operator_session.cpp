#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/platform/operator_session.hpp>

#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/split.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace reelsd::platform {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view platform_domain = "instagram.com";
constexpr std::string_view session_cookie_name = "sessionid";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
/// Browsers store fewer cookies per site.
constexpr std::size_t cookies_max = 200;

struct listed_cookie {
    session_cookie cookie;
    std::string domain;  ///< Empty: the platform's.
};

/// Whether the text can be sent in a Cookie header unchanged.
bool is_sendable(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~' && c != ';'; });
}

bool is_name(std::string_view text) {
    return !text.empty() && is_sendable(text) && text.find('=') == std::string_view::npos;
}

/// Seconds, with a fraction in some exports; 0 for a session cookie.
std::optional<std::int64_t> expiry_in(std::string_view text) {
    if (text.empty()) return 0;
    const auto seconds = parse_number<std::int64_t>(text.substr(0, text.find('.')));
    if (!seconds || *seconds < 0) return std::nullopt;
    return seconds;
}

/// "domain TAB subdomains TAB path TAB secure TAB expiry TAB name TAB value".
std::optional<listed_cookie> read_netscape_line(std::string_view line) {
    constexpr std::string_view http_only = "#HttpOnly_";
    if (line.starts_with(http_only)) line.remove_prefix(http_only.size());
    if (line.starts_with('#')) return std::nullopt;
    std::vector<std::string_view> fields;
    boost::split(fields, line, [](char c) { return c == '\t'; });
    constexpr std::size_t field_count = 7;
    if (fields.size() != field_count) return std::nullopt;
    const auto expires_at = expiry_in(fields[4]);
    if (!expires_at || fields[0].empty()) return std::nullopt;
    return listed_cookie{
        {std::string{fields[5]}, std::string{fields[6]}, *expires_at}, std::string{fields[0]}};
}

std::vector<listed_cookie> read_netscape(std::string_view text) {
    std::vector<listed_cookie> cookies;
    std::vector<std::string_view> lines;
    boost::split(lines, text, [](char c) { return c == '\n' || c == '\r'; });
    for (const auto line : lines) {
        if (auto cookie = read_netscape_line(line)) cookies.push_back(*std::move(cookie));
    }
    return cookies;
}

/// Exports of browser extensions: "expirationDate" or "expires", in seconds.
std::vector<listed_cookie> read_json(std::string_view text) {
    constexpr double expiry_max = 1e15;
    std::vector<listed_cookie> cookies;
    const auto listed = parse_foreign_json(text);
    if (!listed.is_array()) return cookies;
    for (const auto& entry : listed) {
        if (!entry.is_object()) continue;
        listed_cookie cookie{
            {text_or(entry, "name", ""), text_or(entry, "value", "")},
            text_or(entry, "domain", "")};
        for (const char* name : {"expirationDate", "expires"}) {
            const auto seconds = number_of(entry, name).value_or(0);
            if (seconds > 0 && seconds < expiry_max)
                cookie.cookie.expires_at = static_cast<std::int64_t>(seconds);
        }
        cookies.push_back(std::move(cookie));
    }
    return cookies;
}

/// "a=b; c=d", perhaps after "Cookie:".
std::vector<listed_cookie> read_header(std::string_view text) {
    constexpr std::string_view field_name = "cookie:";
    if (equals_ignoring_case(text.substr(0, field_name.size()), field_name))
        text.remove_prefix(field_name.size());
    std::vector<listed_cookie> cookies;
    std::vector<std::string_view> pairs;
    boost::split(pairs, text, [](char c) { return c == ';'; });
    for (const auto part : pairs) {
        const auto pair = trimmed(part);
        const auto sign = pair.find('=');
        if (sign == std::string_view::npos) continue;
        cookies.push_back(
            {{std::string{pair.substr(0, sign)}, std::string{pair.substr(sign + 1)}}, {}});
    }
    return cookies;
}

/// All cookies of a text in one of the four forms.
std::vector<listed_cookie> read_any(std::string_view text) {
    const auto whole = trimmed(text);
    if (whole.starts_with('[')) return read_json(whole);
    const bool is_line = whole.find_first_of("\t\r\n") == std::string_view::npos;
    if (!is_line || whole.starts_with('#')) return read_netscape(text);
    if (whole.find('=') != std::string_view::npos) return read_header(whole);
    // The value of a sessionid begins with the user's number.
    if (!whole.empty() && is_digit(whole.front()) && contains(whole, "%3A"))
        return {{{std::string{session_cookie_name}, std::string{whole}}, {}}};
    return {};
}

/// Whether a browser would send a cookie of this domain to the platform.
bool is_for_platform(std::string_view domain, std::string_view host) {
    if (domain.empty()) return true;
    if (domain.starts_with('.')) domain.remove_prefix(1);
    return equals_ignoring_case(domain, platform_domain) ||
           equals_ignoring_case(domain, "www.instagram.com") || equals_ignoring_case(domain, host);
}

constexpr std::size_t file_bytes_max = std::size_t{1024} * 1024;
/// Maximum age of the file's content and of the database's answer about it.
constexpr auto freshness = 1s;

result<std::string> read_private_file(const std::filesystem::path& file) {
    const auto refuse = [](std::string why) {
        return error{errc::invalid_argument, std::move(why)};
    };
    const unique_fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!opened) return refuse(errno_text(errno));
    struct ::stat status = {};
    if (::fstat(opened.get(), &status) != 0) return refuse(errno_text(errno));
    if (!S_ISREG(status.st_mode)) return refuse("it is not a regular file");
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return refuse("other users can read or change it; run: chmod 600 " + file.string());
    auto text = read_at_most(opened.get(), file_bytes_max + 1);
    if (!text) return refuse(errno_text(errno));
    if (text->size() > file_bytes_max) return refuse("it is larger than 1 MiB");
    return *std::move(text);
}

std::int64_t unix_now() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

result<session_cookies> session_cookies::parse(
    std::string_view text, std::string_view host, std::int64_t now) {
    session_cookies session;
    session.fingerprint_ = sha256_hex(text);
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    bool has_expired = false;
    for (auto& listed : read_any(text)) {
        auto& cookie = listed.cookie;
        if (!is_name(cookie.name) || !is_sendable(cookie.value) ||
            !is_for_platform(listed.domain, host))
            continue;
        if (cookie.expires_at > 0 && cookie.expires_at <= now) {
            has_expired = has_expired || cookie.name == session_cookie_name;
            continue;
        }
        auto& kept = session.cookies_;
        const auto same = std::ranges::find(kept, cookie.name, &session_cookie::name);
        if (same != kept.end()) {
            *same = std::move(cookie);
        } else if (kept.size() < cookies_max) {
            kept.push_back(std::move(cookie));
        }
    }
    if (!session.value_of(session_cookie_name).empty()) return session;
    return error{
        errc::invalid_argument,
        has_expired ? "its cookie sessionid has expired; export the cookies again"
                    : "it contains no signed-in session: the cookie sessionid of instagram.com is "
                      "missing"};
}

std::string_view session_cookies::value_of(std::string_view name) const noexcept {
    for (const auto& cookie : cookies_) {
        if (cookie.name == name) return cookie.value;
    }
    return {};
}

std::string session_cookies::header() const {
    std::string text;
    for (const auto& cookie : cookies_) {
        if (!text.empty()) text += "; ";
        text += cookie.name + "=" + cookie.value;
    }
    return text;
}

std::string session_cookies::netscape_file() const {
    std::string text = "# Netscape HTTP Cookie File\n";
    for (const auto& cookie : cookies_) {
        text += ".instagram.com\tTRUE\t/\tTRUE\t" + std::to_string(cookie.expires_at) + "\t" +
                cookie.name + "\t" + cookie.value + "\n";
    }
    return text;
}

void session_cookies::hide_in(std::string& text) const {
    // Shorter values are flags and languages.
    constexpr std::size_t secret_bytes_min = 6;
    for (const auto& cookie : cookies_) {
        const auto& secret = cookie.value;
        if (secret.size() < secret_bytes_min || cookie.name == user_id_cookie_name) continue;
        boost::replace_all(text, secret, "***");
        if (const auto decoded = percent_decoded(secret)) boost::replace_all(text, *decoded, "***");
    }
}

result<session_cookies> read_session_file(const session_settings& settings) {
    const auto refuse = [&](const error& why) {
        return error{
            errc::invalid_argument,
            "platform-cookies-file: " + settings.file.string() + ": " + why.detail()};
    };
    const auto text = read_private_file(settings.file);
    if (!text) return refuse(text.error());
    auto cookies = session_cookies::parse(*text, settings.host, unix_now());
    if (!cookies) return refuse(cookies.error());
    return cookies;
}

result<std::unique_ptr<session>> session::open(session_settings settings, log::logger log) {
    auto first = read_session_file(settings);
    if (!first) return first.error();
    return std::make_unique<session>(std::move(settings), std::move(log), *std::move(first));
}

session::session(session_settings settings, log::logger log, session_cookies first)
    : settings_{std::move(settings)},
      log_{std::move(log)},
      cookies_{std::make_shared<const session_cookies>(std::move(first))},
      read_at_{deadline::clock::now()} {}

std::shared_ptr<const session_cookies> session::current() {
    const std::scoped_lock guard{lock_};
    const auto now = deadline::clock::now();
    if (now - read_at_ < freshness) return cookies_;
    read_at_ = now;
    auto read = read_session_file(settings_);
    if (!read) {
        if (cookies_)
            log_.warning("platform session unusable", {{"reason", read.error().detail()}});
        cookies_ = nullptr;
        return nullptr;
    }
    if (cookies_ && cookies_->fingerprint() == read->fingerprint()) return cookies_;
    log_.info(
        "platform session reloaded from its changed file", {{"file", settings_.file.string()}});
    cookies_ = std::make_shared<const session_cookies>(*std::move(read));
    not_found_code_.clear();
    return cookies_;
}

std::string session::fingerprint() {
    const auto cookies = current();
    return cookies ? cookies->fingerprint() : std::string{};
}

std::shared_ptr<const session_cookies> session::cookies(deadline by) {
    auto cookies = current();
    if (!cookies) return nullptr;
    std::string unwritten;
    {
        const std::scoped_lock guard{lock_};
        const bool is_refused = refused_ == cookies->fingerprint();
        if (is_refused && refusal_unwritten_.empty()) return nullptr;
        if (is_refused) unwritten = refusal_unwritten_;
        const bool is_fresh = deadline::clock::now() - allowed_at_ < freshness;
        if (!is_refused && (record_ == nullptr || (is_fresh && allowed_ == cookies->fingerprint())))
            return cookies;
    }
    if (record_ == nullptr) return nullptr;
    if (!unwritten.empty()) {
        const auto written = record_->refuse(cookies->fingerprint(), unwritten, by);
        const std::scoped_lock guard{lock_};
        if (written) refusal_unwritten_.clear();
        return nullptr;
    }
    const auto refusal = record_->refusal_of(cookies->fingerprint(), by);
    if (!refusal) return nullptr;
    const std::scoped_lock guard{lock_};
    if (*refusal) {
        refused_ = cookies->fingerprint();
        return nullptr;
    }
    allowed_ = cookies->fingerprint();
    allowed_at_ = deadline::clock::now();
    return cookies;
}

void session::disable(const session_cookies& refused, std::string_view reason, deadline by) {
    {
        const std::scoped_lock guard{lock_};
        if (refused_ == refused.fingerprint()) return;
        refused_ = refused.fingerprint();
        refusal_unwritten_ = reason;
    }
    bool is_first = true;
    if (record_ != nullptr) {
        const auto written = record_->refuse(refused.fingerprint(), reason, by);
        if (written) {
            is_first = *written == refusal_news::first;
            const std::scoped_lock guard{lock_};
            refusal_unwritten_.clear();
        }
    }
    if (!is_first) return;
    log_.warning(
        "platform session disabled until platform-cookies-file changes",
        {{"reason", reason},
         {"remedy", "open Instagram with this account, then export the cookies again"}});
}

bool session::note_not_found(std::string_view code) {
    const std::scoped_lock guard{lock_};
    const bool is_second = !not_found_code_.empty() && not_found_code_ != code;
    not_found_code_ = code;
    return is_second;
}

void session::note_answer() {
    const std::scoped_lock guard{lock_};
    not_found_code_.clear();
}

}  // namespace reelsd::platform
