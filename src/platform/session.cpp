#include <reelsd/base/unique_fd.hpp>
#include <reelsd/platform/session.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace reelsd::platform {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t file_bytes_max = std::size_t{1024} * 1024;
/// How long the file, and the database's word on it, may be old.
constexpr auto freshness = 1s;

std::string reason_of(int failure) {
    return std::generic_category().message(failure);
}

result<std::string> read_private_file(const std::filesystem::path& file) {
    const auto refuse = [](std::string why) {
        return error{errc::invalid_argument, std::move(why)};
    };
    const unique_fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!opened) return refuse(reason_of(errno));
    struct ::stat status {};
    if (::fstat(opened.get(), &status) != 0) return refuse(reason_of(errno));
    if (!S_ISREG(status.st_mode)) return refuse("it is not a regular file");
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return refuse("other users can read or change it; run: chmod 600 on it");
    std::string text;
    std::array<char, 16384> piece{};
    while (text.size() <= file_bytes_max) {
        const auto got = ::read(opened.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return refuse(reason_of(errno));
        if (got == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return refuse("it is larger than 1 MiB");
}

std::int64_t unix_now() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

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
    log_.info("platform session read from a changed file", {{"file", settings_.file.string()}});
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
