#include "connection.hpp"

#include <reelsd/base/invariant.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <utility>

namespace reelsd::db {
namespace {

using boost::system::error_code;
using wait_type = boost::asio::posix::descriptor_base::wait_type;

/// The server has no such prepared statement: its PREPARE had failed, or a pooler swapped servers.
constexpr std::string_view no_such_statement = "26000";
/// Among others "cached plan must not change result type": the schema changed under the statement.
constexpr std::string_view unsupported_statement = "0A000";
constexpr std::string_view deadlock_detected = "40P01";

}  // namespace

std::string statement_cache::server_name(const query& what, std::uint64_t number) {
    return fmt::format("{}#{}", what.name(), number);
}

statement_cache::use statement_cache::acquire(const query& what) {
    entry& known = entries_.try_emplace(what.name(), entry{what.text(), 0}).first->second;
    // Two literals with the same text may have different addresses.
    invariant(known.text == what.text() || std::string_view{known.text} == what.text());

    const bool must_prepare = known.number == 0;
    if (must_prepare) known.number = ++last_number_;
    return {known.number, server_name(what, known.number), must_prepare};
}

void statement_cache::forget(const query& what, std::uint64_t number) {
    const auto known = entries_.find(what.name());
    if (known != entries_.end() && known->second.number == number) known->second.number = 0;
}

connection::~connection() {
    if (raw_) release();
}

bool connection::start() {
    if (PQenterPipelineMode(raw_.get()) == 0) return false;
    // The reactor gets a duplicate descriptor. libpq closes its socket as soon as it reads the end;
    // the reactor would then act on a number that may have been reused.
    unique_fd watched{::fcntl(PQsocket(raw_.get()), F_DUPFD_CLOEXEC, 0)};
    if (!watched) return false;
    error_code problem;
    socket_.assign(watched.get(), problem);
    if (problem) return false;
    static_cast<void>(watched.release());
    await_readable();
    return true;
}

void connection::send(std::shared_ptr<pending_query> query) {
    invariant(raw_ != nullptr);
    if (in_flight_.empty()) last_heard_ = deadline::clock::now();
    pending_query& sent = *query;
    in_flight_.push_back(std::move(query));
    if (!put(sent)) {
        fail_later(message_of(*raw_));
        return;
    }
    flush();
}

/// Passes one query to libpq. PREPARE, if any, shares the sync point: when it fails, the server
/// skips only the statement behind it.
bool connection::put(pending_query& query) {
    if (query.one_shot) {
        return send_query(*raw_, query.what.text(), query.parameters) &&
               PQpipelineSync(raw_.get()) != 0;
    }
    const auto statement = statements_.acquire(query.what);
    query.statement = statement.number;
    query.prepared_here = statement.must_prepare;
    query.preparing = statement.must_prepare;
    const char* const name = statement.server_name.c_str();
    if (statement.must_prepare &&
        PQsendPrepare(raw_.get(), name, query.what.text(), 0, nullptr) == 0) {
        return false;
    }
    const parameter_arrays arrays{query.parameters};
    return PQsendQueryPrepared(
               raw_.get(),
               name,
               static_cast<int>(query.parameters.size()),
               arrays.values.data(),
               arrays.lengths.data(),
               arrays.formats.data(),
               binary_format) != 0 &&
           PQpipelineSync(raw_.get()) != 0;
}

/// Without this, each schema change would leave a dead statement on the server.
bool connection::put_deallocate(const std::string& server_name) {
    static constexpr db::query deallocate{"db.deallocate", "DEALLOCATE"};
    auto query = std::make_shared<pending_query>(pending_query{
        .what = deallocate, .parameters = {}, .by = deadline::after({}), .one_shot = true});
    in_flight_.push_back(std::move(query));
    // Names of queries contain no quotes, see db::query.
    const std::string text = "DEALLOCATE \"" + server_name + "\"";
    return send_query(*raw_, text.c_str(), {}) && PQpipelineSync(raw_.get()) != 0;
}

void connection::flush() {
    const int left = PQflush(raw_.get());
    if (left < 0) {
        fail_later(message_of(*raw_));
    } else if (left > 0 && !writing_) {
        await_writable();
    }
}

void connection::await_readable() {
    socket_.async_wait(wait_type::wait_read, [self = shared_from_this()](error_code problem) {
        // Without raw_, the connection was closed since and has no events.
        if (!problem && self->raw_) self->on_readable();
    });
}

void connection::await_writable() {
    writing_ = true;
    socket_.async_wait(wait_type::wait_write, [self = shared_from_this()](error_code problem) {
        self->writing_ = false;
        if (!problem && self->raw_) self->flush();
    });
}

void connection::on_readable() {
    if (PQconsumeInput(raw_.get()) == 0) {
        // Results before the end may contain the reason.
        const std::string why = message_of(*raw_);
        read_results();
        fail(why);
        return;
    }
    last_heard_ = deadline::clock::now();
    read_results();
    if (!raw_) return;
    if (PQstatus(raw_.get()) != CONNECTION_OK) {
        fail(message_of(*raw_));
        return;
    }
    flush();  // Reading may have made room for writing.
    await_readable();
}

void connection::read_results() {
    // libpq returns null after the results of each statement. Two in a row mean that there are no
    // more results for now.
    bool null_before = false;
    while (!in_flight_.empty() && PQisBusy(raw_.get()) == 0) {
        result_ptr next{PQgetResult(raw_.get())};
        if (!next && null_before) return;
        null_before = !next;
        if (next) take(std::move(next));
    }
}

void connection::take(result_ptr next) {
    pending_query& query = *in_flight_.front();
    switch (PQresultStatus(next.get())) {
        case PGRES_PIPELINE_SYNC: finish_first(); return;
        case PGRES_PIPELINE_ABORTED: return;  // The statement behind a failed PREPARE.
        case PGRES_FATAL_ERROR: take_failure(query, *next); return;
        default: break;
    }
    if (query.preparing) {
        query.preparing = false;
    } else {
        query.answer = std::move(next);
    }
}

void connection::take_failure(pending_query& query, const PGresult& result) {
    if (query.failure) return;  // The first error is the cause.
    query.failure = error_of(result);
    if (query.preparing) statements_.forget(query.what, query.statement);
}

void connection::finish_first() {
    const auto finished = std::move(in_flight_.front());
    in_flight_.pop_front();
    if (retry_unprepared(finished) || retry_deadlocked(finished)) return;
    events_.answered(*this, finished);
}

/// Repeats a statement that has not begun because the server lost its prepared form or no longer
/// supports it. It runs without a prepared statement, so one repetition is enough.
bool connection::retry_unprepared(const std::shared_ptr<pending_query>& query) {
    if (!query->failure || query->one_shot || query->prepared_here) return false;
    const bool unsupported = query->failure->sqlstate == unsupported_statement;
    if (!unsupported && query->failure->sqlstate != no_such_statement) return false;

    statements_.forget(query->what, query->statement);
    if (unsupported &&
        !put_deallocate(statement_cache::server_name(query->what, query->statement))) {
        fail_later(message_of(*raw_));
        return false;
    }
    if (!query->caller) return false;
    query->one_shot = true;
    send_again(query);
    return true;
}

/// Repeats a statement that the server cancelled to end a deadlock. It changed nothing, and the
/// transaction that it waited for continues. A migration and a statement deadlock when each locks
/// two tables in another order.
bool connection::retry_deadlocked(const std::shared_ptr<pending_query>& query) {
    const bool is_deadlock = query->failure && query->failure->sqlstate == deadlock_detected;
    if (!is_deadlock || !query->caller || query->by.passed()) return false;
    send_again(query);
    return true;
}

void connection::send_again(const std::shared_ptr<pending_query>& query) {
    query->failure.reset();
    query->answer.reset();
    send(query);
}

deadline::clock::time_point connection::broken_at() const noexcept {
    return in_flight_.empty() ? deadline::clock::time_point::max() : last_heard_ + silence_max_;
}

void connection::check_silence(deadline::clock::time_point now) {
    if (!raw_ || now < broken_at()) return;
    // This process may have been suspended, and the answer may be readable already.
    pollfd watched{PQsocket(raw_.get()), POLLIN, 0};
    const bool readable = ::poll(&watched, 1, 0) > 0;
    last_heard_ = now;
    if (!readable) fail_later("the server has been silent for too long");
}

void connection::fail_later(const std::string& why) {
    boost::asio::post(
        socket_.get_executor(), [self = shared_from_this(), why] { self->fail(why); });
}

void connection::fail(const std::string& why) {
    if (!raw_) return;
    release();
    auto unanswered = std::exchange(in_flight_, {});
    std::string reason = why;
    // The server's own last error is more specific than libpq's "connection closed".
    if (!unanswered.empty() && unanswered.front()->failure) {
        reason = unanswered.front()->failure->message;
    }
    events_.lost(*this, std::move(unanswered), reason);
}

std::deque<std::shared_ptr<pending_query>> connection::close() {
    if (raw_) release();
    return std::exchange(in_flight_, {});
}

void connection::release() {
    error_code ignored;  // The descriptor is closed either way.
    socket_.close(ignored);
    raw_.reset();
}

}  // namespace reelsd::db
