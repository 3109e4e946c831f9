#include "session.hpp"

#include <reelsd/base/invariant.hpp>

#include <boost/algorithm/string/split.hpp>
#include <boost/asio/post.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

namespace reelsd::db {
namespace {

std::vector<std::string> parts_of(std::string_view list) {
    std::vector<std::string> parts;
    if (!list.empty()) boost::split(parts, list, [](char c) { return c == ','; });
    return parts;
}

/// Returns the value for each of `count` servers; a single one may apply to all. Empty if the
/// numbers do not match.
std::optional<std::vector<std::string>> for_each_of(
    std::size_t count, std::vector<std::string> parts, bool may_be_shared) {
    if (parts.empty()) return std::vector<std::string>(count);
    if (parts.size() == 1 && may_be_shared) return std::vector<std::string>(count, parts.front());
    // An empty element means libpq's default, which cannot be given for a single server.
    const bool has_empty = std::find(parts.begin(), parts.end(), "") != parts.end();
    if (parts.size() != count || has_empty) return std::nullopt;
    return parts;
}

enum class wake : std::uint8_t { ready, deadline_passed, stopped };

/// Waits for `events` on libpq's current socket, which may change while it connects.
wake wait_for(const PGconn& connection, int events, deadline by, int stop_fd) {
    std::array<pollfd, 2> watched{
        pollfd{PQsocket(&connection), static_cast<short>(events), 0}, pollfd{stop_fd, POLLIN, 0}};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(by.remaining()).count();
        // Wakes at least once a minute, because poll() takes an int.
        const int woken = ::poll(
            watched.data(), watched.size(), static_cast<int>(std::min<std::int64_t>(left, 60'000)));
        if (watched[1].revents != 0) return wake::stopped;
        if (woken > 0) return wake::ready;
        if (woken < 0 && errno != EINTR) return wake::ready;  // libpq gets the same error.
        if (by.passed()) return wake::deadline_passed;
    }
}

error why_woken(wake woken, const char* while_doing) {
    if (woken == wake::stopped) return error{errc::cancelled, while_doing};
    return error{errc::timed_out, fmt::format("no answer in time while {}", while_doing)};
}

std::string one_line(std::string_view text) {
    std::string line{text};
    std::replace(line.begin(), line.end(), '\n', ' ');
    while (line.ends_with(' ')) line.pop_back();
    return line;
}

/// Other texts are names of databases; the empty one takes libpq's defaults.
bool is_connection_string(const std::string& text) {
    return text.find('=') != std::string::npos || text.starts_with("postgres://") ||
           text.starts_with("postgresql://");
}

/// Limit for a server that is not the last one: twice a login over a slow line.
constexpr deadline::clock::duration silence_max = std::chrono::milliseconds{2500};

void ignore_notice(void* /*context*/, const PGresult* /*notice*/) {}

PGconn* start_connecting(const std::string& connection_string, const connection_host& server) {
    struct option {
        const char* key;
        const char* value;
    };
    // The connection string overrides options before `dbname`, but not those after it, unless they
    // are empty.
    // TCP detects within about 25 s that the server is gone.
    const std::array options{
        option{"application_name", "reelsd"},
        option{"keepalives_idle", "10"},
        option{"keepalives_interval", "5"},
        option{"keepalives_count", "3"},
        option{"tcp_user_timeout", "15000"},
        option{"dbname", connection_string.c_str()},
        option{"client_encoding", "UTF8"},
        option{"host", server.host.c_str()},
        option{"hostaddr", server.address.c_str()},
        option{"port", server.port.c_str()},
    };
    std::array<const char*, options.size() + 1> keys{};
    std::array<const char*, options.size() + 1> values{};
    for (std::size_t i = 0; i < options.size(); ++i) {
        keys[i] = options[i].key;
        values[i] = options[i].value;
    }
    return PQconnectStartParams(keys.data(), values.data(), 1);
}

[[noreturn]] void throw_lost(const PGconn& connection) {
    throw failure{errc::database_unavailable, message_of(connection)};
}

void await(PGconn& connection, int events, deadline by, const char* while_doing) {
    const auto woken = wait_for(connection, events, by, -1);
    if (woken != wake::ready)
        throw failure{errc::timed_out, why_woken(woken, while_doing).detail()};
    if (PQconsumeInput(&connection) == 0) throw_lost(connection);
}

/// Reads all results and returns the last one. Throws the first error.
result_ptr collect(PGconn& connection, deadline by) {
    result_ptr last;
    for (;;) {
        while (PQisBusy(&connection) != 0) await(connection, POLLIN, by, "running a statement");
        result_ptr next{PQgetResult(&connection)};
        if (!next) break;
        const bool failed_before = last && PQresultStatus(last.get()) == PGRES_FATAL_ERROR;
        if (!failed_before) last = std::move(next);
    }
    if (!last) throw_lost(connection);
    if (PQresultStatus(last.get()) != PGRES_FATAL_ERROR) return last;
    const auto why = error_of(*last);
    throw failure{errc_of(why.sqlstate), fmt::format("{}: {}", why.sqlstate, why.message)};
}

/// Runs any number of SQL statements.
void execute(PGconn& connection, const std::string& text, deadline by) {
    if (PQsendQuery(&connection, text.c_str()) == 0) throw_lost(connection);
    // A large script may exceed the socket's buffer. The server reads all of it before it answers.
    for (int left = PQflush(&connection); left != 0; left = PQflush(&connection)) {
        if (left < 0) throw_lost(connection);
        await(connection, POLLIN | POLLOUT, by, "sending a script");
    }
    collect(connection, by);
}

result<connection_ptr> open_at(
    const connection_host& server, const std::string& connection_string,
    const session_limits& limits, deadline by, int stop_fd) {
    connection_ptr connection{start_connecting(connection_string, server)};
    if (!connection) return error{errc::database_unavailable, "out of memory"};
    PQsetNoticeReceiver(connection.get(), ignore_notice, nullptr);

    // libpq requires the first PQconnectPoll() as if PGRES_POLLING_WRITING had been returned.
    auto next_wait = PGRES_POLLING_WRITING;
    while (PQstatus(connection.get()) != CONNECTION_BAD && next_wait != PGRES_POLLING_OK) {
        if (next_wait == PGRES_POLLING_FAILED) break;
        const int events = next_wait == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        const auto woken = wait_for(*connection, events, by, stop_fd);
        if (woken != wake::ready) return why_woken(woken, "connecting to the database");
        next_wait = PQconnectPoll(connection.get());
    }
    if (PQstatus(connection.get()) != CONNECTION_OK) {
        return error{errc::database_unavailable, message_of(*connection)};
    }
    if (PQsetnonblocking(connection.get(), 1) != 0) {
        return error{errc::database_unavailable, message_of(*connection)};
    }
    try {
        execute(*connection, session_settings(limits), by);
    } catch (const failure& why) {
        const std::string detail = why.what();
        if (!says_library_missing(detail)) return error{why.code(), detail};
        return error{
            why.code(),
            detail + "; PostgreSQL's files were replaced while it runs: restart PostgreSQL"};
    }
    return connection;
}

}  // namespace

std::string_view option_value(const PQconninfoOption& first, std::string_view keyword) {
    for (const auto* option = &first; option->keyword != nullptr; ++option) {
        if (option->keyword == keyword) return option->val == nullptr ? "" : option->val;
    }
    return {};
}

result<connection_options> parse_connection_string(const std::string& connection_string) {
    char* message = nullptr;
    connection_options options{PQconninfoParse(connection_string.c_str(), &message)};
    PQfreemem(message);
    if (options) return options;
    return error{errc::invalid_argument, "the database URL is not a libpq connection string"};
}

std::string connection_option(std::string_view keyword, std::string_view value) {
    auto text = std::string{keyword}.append("='");
    for (const char c : value) {
        if (c == '\'' || c == '\\') text.push_back('\\');
        text.push_back(c);
    }
    return text + "'";
}

std::vector<connection_host> hosts_of(const std::string& connection_string) {
    const std::vector<connection_host> unchanged(1);
    const auto options = parse_connection_string(connection_string);
    if (!options) return unchanged;  // Only a database name.
    const auto value_of = [&options](std::string_view keyword) {
        return option_value(**options, keyword);
    };
    if (value_of("target_session_attrs") == "prefer-standby") return unchanged;

    auto names = parts_of(value_of("host"));
    auto addresses = parts_of(value_of("hostaddr"));
    const auto count = std::max(names.size(), addresses.size());
    if (count < 2) return unchanged;
    const auto hosts = for_each_of(count, std::move(names), false);
    const auto numbers = for_each_of(count, std::move(addresses), false);
    const auto ports = for_each_of(count, parts_of(value_of("port")), true);
    if (!hosts || !numbers || !ports) return unchanged;

    std::vector<connection_host> servers;
    for (std::size_t i = 0; i < count; ++i) {
        servers.push_back({.host = (*hosts)[i], .address = (*numbers)[i], .port = (*ports)[i]});
    }
    return servers;
}

bool selects_writable(const std::string& connection_string) {
    const auto options = parse_connection_string(connection_string);
    const auto has_several = [&options](std::string_view keyword) {
        return option_value(**options, keyword).find(',') != std::string_view::npos;
    };
    return options && option_value(**options, "target_session_attrs") == "read-write" &&
           (has_several("host") || has_several("hostaddr"));
}

bool says_library_missing(std::string_view detail) noexcept {
    // undefined_file. execute() puts the SQLSTATE first; several hosts' errors follow each other.
    return detail.find("58P01: ") != std::string_view::npos;
}

std::string message_of(const PGconn& connection) {
    return one_line(PQerrorMessage(&connection));
}

server_error error_of(const PGresult& result) {
    const auto field = [&result](int code) {
        const char* const text = PQresultErrorField(&result, code);
        return std::string{text == nullptr ? "" : text};
    };
    server_error why{
        .sqlstate = field(PG_DIAG_SQLSTATE), .message = one_line(field(PG_DIAG_MESSAGE_PRIMARY))};
    if (why.sqlstate.empty()) why.sqlstate = "08006";
    if (why.message.empty()) why.message = one_line(PQresultErrorMessage(&result));
    return why;
}

parameter_arrays::parameter_arrays(const std::vector<parameter>& parameters) {
    invariant(parameters.size() <= 65535);  // The protocol's limit.
    for (const auto& parameter : parameters) {
        values.push_back(parameter.data());
        lengths.push_back(static_cast<int>(parameter.value().size()));
        formats.push_back(parameter.is_binary() ? binary_format : 0);
    }
}

bool send_query(PGconn& connection, const char* text, const std::vector<parameter>& parameters) {
    const parameter_arrays sent{parameters};
    return PQsendQueryParams(
               &connection,
               text,
               static_cast<int>(parameters.size()),
               nullptr,
               sent.values.data(),
               sent.lengths.data(),
               sent.formats.data(),
               binary_format) != 0;
}

std::string session_settings(const session_limits& limits) {
    auto settings = fmt::format(
        "SET statement_timeout = {}; SET lock_timeout = {}; "
        "SET idle_in_transaction_session_timeout = 10000; SET idle_session_timeout = 0; "
        "SET client_min_messages = warning; SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; "
        "SET extra_float_digits = 1; "
        "SET default_transaction_isolation = 'read committed'; "
        "SELECT set_config(name, 'off', false) FROM pg_settings "
        "WHERE name = 'default_transaction_read_only' "
        "AND source IN ('global', 'database', 'user', 'database user')",
        limits.statement_timeout.count(),
        limits.lock_timeout.count());
    // The first setting makes scans without an index expensive, which would trigger JIT compilation
    // without the second.
    if (limits.finds_rows_by_index) settings += "; SET enable_seqscan = off; SET jit = off";
    return settings + "; DO 'BEGIN END'";
}

result<connection_ptr> open_session(
    const std::string& connection_string, const session_limits& limits, deadline by, int stop_fd) {
    if (is_connection_string(connection_string)) {
        const auto options = parse_connection_string(connection_string);
        if (!options) return options.error();
    }
    // Tries the servers one by one. libpq itself continues with the next server when one refuses,
    // but waits forever for a silent one, such as a machine without power.
    const auto servers = hosts_of(connection_string);
    error why{errc::timed_out, {}};
    for (std::size_t i = 0; i < servers.size(); ++i) {
        // Leaves time for the remaining servers.
        const auto left = static_cast<std::int64_t>(servers.size() - i);
        const auto share =
            left == 1 ? by.remaining() : std::min(by.remaining() / left, silence_max);
        auto opened = open_at(servers[i], connection_string, limits, by.at_most(share), stop_fd);
        if (opened || servers.size() == 1 || opened.error().code() == errc::cancelled) {
            return opened;
        }
        const bool all_silent =
            why.code() == errc::timed_out && opened.error().code() == errc::timed_out;
        why = error{
            all_silent ? errc::timed_out : errc::database_unavailable,
            i == 0 ? opened.error().detail()
                   : fmt::format("{}; {}", why.detail(), opened.error().detail())};
    }
    return why;
}

namespace {

connection_ptr open_for_command(const std::string& connection_string, deadline by) {
    // At least 1 ms: zero would mean no limit.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(by.remaining());
    const session_limits limits{.statement_timeout = std::max(left, std::chrono::milliseconds{1})};
    auto session = open_session(connection_string, limits, by, -1);
    if (!session) throw failure{session.error().code(), session.error().detail()};
    return std::move(*session);
}

}  // namespace

command_session::command_session(const std::string& connection_string, deadline by)
    : command_session{open_for_command(connection_string, by), by} {}

error error_from(const failure& why) {
    return error{
        why.code() == errc::timed_out ? errc::database_unavailable : why.code(), why.what()};
}

void command_session::execute(const std::string& text) {
    db::execute(*connection_, text, by_);
}

rows command_session::fetch(
    const char* name, const std::string& text, const std::vector<parameter>& parameters) {
    // Parameters here are a few hundred bytes: they fit the socket's buffer.
    if (!send_query(*connection_, text.c_str(), parameters) || PQflush(connection_.get()) != 0)
        throw_lost(*connection_);
    return rows{name, collect(*connection_, by_).release()};
}

outage outage_of(std::string_view sqlstate) noexcept {
    if (sqlstate == "25006") return outage::read_only;
    if (sqlstate == "57014") return outage::statement_timeout;
    if (sqlstate == "55P03" || sqlstate.starts_with("40")) return outage::contention;
    if (sqlstate.starts_with("08")) return outage::connection_lost;
    return outage::server_unready;
}

std::exception_ptr failure_of(std::string_view query_name, const server_error& why) {
    const auto message = fmt::format("{}: {}", query_name, why.message);
    if (errc_of(why.sqlstate) == errc::database_unavailable) {
        return std::make_exception_ptr(
            unavailable{outage_of(why.sqlstate), fmt::format("{} ({})", message, why.sqlstate)});
    }
    return std::make_exception_ptr(refused{why.sqlstate, message});
}

connector::connector(
    boost::asio::any_io_executor loop, std::string connection_string, session_limits limits)
    : loop_{std::move(loop)},
      connection_string_{std::move(connection_string)},
      limits_{limits},
      stop_fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    invariant(stop_fd_ >= 0);
}

connector::~connector() {
    stop();
    ::close(stop_fd_);
}

void connector::open(deadline by, completion done) {
    // The previous thread posted its outcome as its last action, so joining it does not block.
    thread_ = std::jthread{[loop = loop_,
                            text = connection_string_,
                            limits = limits_,
                            stop_fd = stop_fd_,
                            by,
                            done = std::move(done)]() mutable {
        auto outcome = open_session(text, limits, by, stop_fd);
        boost::asio::post(loop, [done = std::move(done), outcome = std::move(outcome)]() mutable {
            done(std::move(outcome));
        });
    }};
}

void connector::stop() noexcept {
    // Fails only when the counter is full, and then it is readable as well.
    static_cast<void>(::eventfd_write(stop_fd_, 1));
    if (thread_.joinable()) thread_.join();
}

}  // namespace reelsd::db
