#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>

#include <boost/core/noncopyable.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::platform {

/// The resolver that sends the cookies of a signed-in session.
inline constexpr std::string_view session_resolver_name = "session";

/// The cookie with the id of the signed-in user, which public answers contain, too.
inline constexpr std::string_view user_id_cookie_name = "ds_user_id";

struct session_cookie {
    std::string name;
    std::string value;
    std::int64_t expires_at = 0;  ///< Unix time; 0: until the browser closes.
};

/// The cookies of a signed-in session. Immutable. Values are sent only to the platform and yt-dlp.
class session_cookies {
public:
    /// Reads a Netscape cookie file, a JSON array of cookies, a Cookie header or a bare sessionid.
    /// Keeps the cookies of instagram.com and of `host` that have not expired at `now` (Unix time).
    /// Errors: invalid_argument when no sessionid is left; the detail contains no value.
    [[nodiscard]] static result<session_cookies> parse(
        std::string_view text, std::string_view host, std::int64_t now);

    /// The value of the cookie with this name; empty without one.
    [[nodiscard]] std::string_view value_of(std::string_view name) const noexcept;
    /// "name=value; name=value", for a Cookie header.
    [[nodiscard]] std::string header() const;
    /// A Netscape cookie file for instagram.com.
    [[nodiscard]] std::string netscape_file() const;
    /// Masks the values but the user's id, encoded and decoded, in text that another program wrote.
    void hide_in(std::string& text) const;
    /// SHA-256 of the text, in hexadecimal.
    [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }

private:
    session_cookies() = default;

    std::vector<session_cookie> cookies_;
    std::string fingerprint_;
};

enum class refusal_news : std::uint8_t { first, known };

/// Stores for all daemons which sessions the platform has refused. Blocking; thread-safe.
class session_record : boost::noncopyable {
public:
    virtual ~session_record() = default;

    /// Why the platform has refused the session; empty when it has not. Errors:
    /// database_unavailable, internal.
    [[nodiscard]] virtual result<std::optional<std::string>> refusal_of(
        const std::string& fingerprint, deadline by) = 0;
    /// Records a refusal. Errors as refusal_of().
    [[nodiscard]] virtual result<refusal_news> refuse(
        const std::string& fingerprint, std::string_view reason, deadline by) = 0;
};

struct session_settings {
    std::filesystem::path file;  ///< REELSD_PLATFORM_COOKIES_FILE
    std::string host;            ///< Host of REELSD_PLATFORM_URL.
};

/// The operator's signed-in session: a file of cookies, and whether it may be used. A changed file
/// is read again. Thread-safe.
class session {
public:
    /// Errors: invalid_argument for a file that cannot be used, see read_session_file().
    [[nodiscard]] static result<std::unique_ptr<session>> open(
        session_settings settings, log::logger log);

    /// `first` is the content of the file; see open().
    session(session_settings settings, log::logger log, session_cookies first);

    /// `record` outlives this. Must precede the first use. Without a record, refusals are lost at
    /// the end of the process.
    void attach(session_record& record) noexcept { record_ = &record; }

    /// The cookies to send. Null while the platform refuses the session, the file cannot be used or
    /// the database does not answer. Blocking; not for the loop's thread.
    [[nodiscard]] std::shared_ptr<const session_cookies> cookies(deadline by);

    /// The fingerprint of the file as it is now; empty when it cannot be used.
    [[nodiscard]] std::string fingerprint();

    /// Disables the session until the file changes. Logs the first refusal of a fingerprint.
    void disable(const session_cookies& refused, std::string_view reason, deadline by);

    /// Notes a "no such post" that no other resolver has confirmed. True when it is the second in a
    /// row, about another post: it then hides a challenge.
    [[nodiscard]] bool note_not_found(std::string_view code);
    /// Notes any other answer.
    void note_answer();

private:
    [[nodiscard]] std::shared_ptr<const session_cookies> current();

    session_settings settings_;
    log::logger log_;
    session_record* record_ = nullptr;

    std::mutex lock_;  ///< Guards all below. Not held during database queries.
    std::shared_ptr<const session_cookies> cookies_;  ///< Null while the file cannot be used.
    deadline::clock::time_point read_at_;
    std::string refused_;                     ///< A fingerprint.
    std::string refusal_unwritten_;           ///< A reason that the record does not have yet.
    std::string allowed_;                     ///< A fingerprint that was not in the record...
    deadline::clock::time_point allowed_at_;  ///< ...at this time.
    std::string not_found_code_;  ///< Code of the last such post; empty after another answer.
};

/// Reads and checks the file. Errors: invalid_argument when it cannot be read, is not a regular
/// file, can be read by other users, is larger than 1 MiB, or contains no session. The detail names
/// the setting and the file, and no value.
[[nodiscard]] result<session_cookies> read_session_file(const session_settings& settings);

}  // namespace reelsd::platform
