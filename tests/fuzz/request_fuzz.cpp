// Random and mutated requests, from bytes to answer: request parser, router, JSON bodies, links,
// query parameters and the real handlers of API and dashboard, up to the database, which is closed
// here. They come from tests/fuzz/request_corpus and from the tables of request_maker.cpp.
//
//   request_fuzz [REQUESTS [SEED]]      20,000 requests and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when an answer is a 500, when an exception other
// than a closed database is thrown, or when a sanitizer finds an error. The same seed gives the
// same requests.
#include "api/resources.hpp"
#include "api/subtitles.hpp"
#include "dashboard/resources.hpp"
#include "dashboard/session_authentication.hpp"
#include "http/request_reader.hpp"
#include "http/response_head.hpp"
#include "reader_fuzz.hpp"
#include "request_maker.hpp"
#include "support/paths.hpp"
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/model/embedder.hpp>
#include <reelsd/work/webhooks/webhook_sender.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <string>

namespace reelsd::fuzz {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr std::size_t requests_usual = 20'000;

asio::awaitable<result<void>> is_ready() {
    co_return result<void>{};
}
asio::awaitable<std::string> no_metrics() {
    co_return std::string{};
}
asio::awaitable<std::optional<http::response>> know_caller(http::request_context& ctx) {
    ctx.set_caller({.account = account_id{1}});
    co_return std::nullopt;
}

asio::awaitable<json> healthy() {
    co_return json{{"workers", json::object()}};
}
std::string own_origin() {
    return "http://a";
}
/// An administrator whose pages send "known" in X-CSRF-Token.
asio::awaitable<std::optional<http::response>> know_session(http::request_context& ctx) {
    ctx.set_caller(
        {.account = account_id{1},
         .email = "a@example.org",
         .is_admin = true,
         .csrf_token = "known"});
    co_return std::nullopt;
}

/// The dashboard's routes with its check of changes; the session is known.
class dashboard_routes {
public:
    explicit dashboard_routes(db::pool& pool) : pool_{pool} {}

    void add_to(http::router& router) {
        constexpr std::string_view gated = dashboard::dashboard::gated_prefix;
        router.use({.prefix = gated, .authenticate = know_session, .accept = [this](auto& ctx) {
                        return gate_.accept(ctx);
                    }});
        add_sign_in_routes(router, gated, sign_in_);
        dashboard::add_token_routes(router, gated, tokens_);
        add_event_routes(router, gated, events_);
        add_account_routes(router, gated, accounts_);
        add_operations_routes(router, gated, operations_);
        dashboard::add_page_routes(router);
    }

private:
    db::pool& pool_;
    accounts::session_store sessions_{pool_};
    dashboard::session_authentication gate_{sessions_, own_origin};
    /// Not used, because the database is closed.
    async::offload_pool offload_{1, 1};
    dashboard::account_service accounts_{
        .accounts = accounts::account_store{pool_},
        .sessions = sessions_,
        .retention = retention::retention_store{pool_},
        .limits = {},
        .origin = own_origin,
        .log = log::logger::silent()};
    model::offered_analyzers analyzers_;
    dashboard::sign_in_service sign_in_{
        .accounts = accounts_, .offload = offload_, .analyzers = analyzers_};
    accounts::account_store tokens_{pool_};
    jobs::change_poller poller_{jobs::change_store{pool_}, log::logger::silent()};
    dashboard::event_service events_{.changes = jobs::change_store{pool_}, .poller = poller_};
    dashboard::operations_service operations_{
        .jobs = jobs::job_store{pool_},
        .operations = jobs::operations_store{pool_},
        .health = healthy,
        .platform_never_answered = []() -> asio::awaitable<bool> { co_return false; },
        .jobs_submitted = [] {},
        .log = log::logger::silent()};
};

/// All routes. Every caller is authenticated, so that requests reach the handlers.
class server {
public:
    server() {
        pool_.close();
        dashboard_.add_to(router_);
        router_.use({.prefix = "/api/v1", .authenticate = know_caller, .accept = {}});
        add_submission_routes(router_, "/api/v1", submissions_);
        add_reel_routes(router_, "/api/v1", reels_);
        add_reel_event_routes(router_, "/api/v1", events_);
        api::add_reel_list_routes(router_, "/api/v1", jobs_);
        api::add_tag_routes(router_, "/api/v1", tags_);
        api::add_subtitle_routes(router_, "/api/v1", jobs_);
        api::add_usage_routes(router_, "/api/v1", usage_);
        add_search_routes(router_, "/api/v1", search_);
        add_webhook_routes(router_, "/api/v1", webhooks_);
        api::add_health_routes(router_, ready_);
        api::add_metrics_routes(router_, metrics_);
    }

    /// Throws the exceptions of the handler.
    http::response answer(http::request_context& ctx) {
        auto answered = asio::co_spawn(loop_, kept(ctx), asio::use_future);
        loop_.restart();
        loop_.run();
        return answered.get().value();
    }

private:
    /// The value of a future must be default-constructible.
    asio::awaitable<std::optional<http::response>> kept(http::request_context& ctx) {
        co_return co_await router_.answer(ctx);
    }

    asio::io_context loop_{1};
    db::pool pool_{loop_.get_executor(), {}, log::logger::silent()};
    jobs::job_store jobs_{pool_};
    jobs::tag_store tags_{pool_};
    jobs::change_poller poller_{jobs::change_store{pool_}, log::logger::silent()};
    http::router router_;
    dashboard_routes dashboard_{pool_};
    async::task_group tasks_{loop_.get_executor(), [](auto, const auto&) { std::abort(); }};
    work::webhook_sender sender_{{}};
    jobs::upload_store uploads_{pool_};
    model::offered_analyzers analyzers_{.names = {"local"}, .cost_money = true};
    api::submission_service submissions_{
        .submission_batcher = {loop_.get_executor(), tasks_, jobs::job_store{pool_}, {}},
        .uploads = uploads_,
        .limits = {},
        .video_bytes_max = 1'000'000,
        .analyzers = analyzers_,
        .job_accepted = [] {},
        .check_webhook_url = [this](std::string_view url) { return sender_.check(url); }};
    api::webhook_service webhooks_{
        .settings = webhooks::webhook_store{pool_},
        .deliveries = webhooks::delivery_store{pool_},
        .check_url = [this](std::string_view url) { return sender_.check(url); },
        .delivery_due = [] {},
        .try_once = {}};
    api::reels_service reels_{
        .read = api::authenticated_reader(jobs_),
        .jobs = jobs_,
        .poller = poller_,
        .job_removed = [](job_id) {}};
    api::reel_event_service events_{.changes = jobs::change_store{pool_}, .poller = poller_};
    usage::usage_store usage_{pool_};
    std::unique_ptr<model::local_embedder> embedder_ =
        model::local_embedder::open(REELSD_BINARY_DIR "/share/reelsd/wordnet.bin").value();
    api::search_service search_{jobs::reel_search{pool_}, *embedder_, {}};
    api::readiness_check ready_{is_ready};
    api::metrics_text metrics_{no_metrics};
};

/// Counts by the first digit of the status; [0] is for a closed database.
using tally = std::array<std::size_t, 6>;

/// False, with the reason printed, for an invalid answer.
bool answer_one(server& api, http::received_request message, tally& answers) {
    message.request.id = "fuzz";
    const auto log = log::logger::silent();
    http::request_context ctx{std::move(message.request), log, deadline::after(10s)};
    try {
        const auto given = api.answer(ctx);
        const auto head = http::response_head(
            given,
            {.request_id = "fuzz",
             .date = "Sat, 21 Nov 2026 00:00:00 GMT",
             .keep_alive = message.keep_alive,
             .is_version_1_1 = message.is_version_1_1});
        ++answers[number_of(given.code()) / 100];
        if (given.code() != http::status::internal_server_error && !head.empty()) return true;
        std::fprintf(stderr, "answered %u: %s\n", number_of(given.code()), given.body().data());
    } catch (const db::unavailable&) {
        ++answers[0];
        return true;
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "thrown: %s\n", thrown.what());
    }
    return false;
}

/// One connection: its bytes arrive in pieces and may contain several requests.
bool serve(server& api, const std::string& bytes, request_maker& dice, tally& answers) {
    using step = http::request_reader::step;
    http::request_reader reader{
        {.header_bytes_max = bounds::request_header_bytes_max,
         .body_bytes_max = bounds::request_body_bytes_max}};
    std::string_view rest = bytes;
    for (;;) {
        switch (reader.advance()) {
            case step::complete:
                if (!answer_one(api, reader.take(), answers)) return false;
                break;
            case step::refused: ++answers[4]; return true;
            case step::send_continue: break;
            case step::piece:  // No route of this reader streams.
            case step::end: return false;
            case step::need_header:
            case step::need_body:
                if (rest.empty()) return true;
                const auto piece = rest.substr(0, dice.number_below(rest.size()) + 1);
                reader.append(piece);
                rest.remove_prefix(piece.size());
                break;
        }
    }
}

int run(std::size_t requests, std::uint64_t seed) {
    server api;
    tally answers{};
    request_maker maker{seed, files_of(REELSD_SOURCE_DIR "/tests/fuzz/request_corpus")};
    for (std::size_t number = 0; number < requests; ++number) {
        const auto bytes = maker.next();
        if (serve(api, bytes, maker, answers)) continue;
        std::fprintf(
            stderr, "request %zu of seed %llu:\n", number, static_cast<unsigned long long>(seed));
        std::fwrite(bytes.data(), 1, bytes.size(), stderr);
        return EXIT_FAILURE;
    }
    std::printf(
        "%zu requests of seed %llu: 2xx %zu, 3xx %zu, 4xx %zu, database asked %zu\n",
        requests,
        static_cast<unsigned long long>(seed),
        answers[2],
        answers[3],
        answers[4],
        answers[0]);
    // Generated requests that are never accepted would find nothing.
    return answers[0] > 0 && answers[4] > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    const auto requests =
        count > 1 ? std::strtoull(values[1], nullptr, 10) : reelsd::fuzz::requests_usual;
    const auto seed = count > 2 ? std::strtoull(values[2], nullptr, 10) : 1;
    return reelsd::fuzz::run(requests, seed);
}
