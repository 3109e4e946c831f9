#include "resources.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>

#include <fmt/format.h>

namespace reelsd::dashboard {
namespace {

constexpr int failures_usual = 50;
constexpr int failures_most = 200;
constexpr std::size_t resubmitted_max = 100;

json queue_view(const jobs::queue_state& queue) {
    return {
        {"pending", queue.pending},
        {"due", queue.due},
        {"processing", queue.processing},
        {"oldest_due_seconds", queue.oldest_due.count()}};
}

json running_view(const jobs::running_job& job) {
    json view{
        {"id", job.id.value},
        {"email", job.email},
        {"url", job.url},
        {"worker", job.worker},
        {"attempt", job.attempt},
        {"started_at", to_rfc3339(job.started_at)}};
    if (!job.step.empty()) view["step"] = job.step;
    return view;
}

/// GET admin/overview. 200 queue, running jobs and the daemon's health.
awaitable<http::response> get_overview(http::request_context& ctx, operations_service& service) {
    auto view = co_await service.health();
    view["version"] = REELSD_VERSION;
    view["queue"] = queue_view(co_await service.jobs.look_at_queue(ctx.database_by()));
    auto running = json::array();
    for (const auto& job : co_await service.operations.running(ctx.database_by())) {
        running.push_back(running_view(job));
    }
    view["running"] = std::move(running);
    co_return ctx.json(http::status::ok, view);
}

json attempts_view(const std::vector<jobs::failed_attempt>& attempts) {
    auto views = json::array();
    for (const auto& attempt : attempts) {
        views.push_back(
            {{"attempt", attempt.number},
             {"at", attempt.at},
             {"worker", attempt.worker},
             {"step", attempt.step},
             {"cause", attempt.cause},
             {"detail", attempt.detail}});
    }
    return views;
}

json failures_view(const jobs::failure_overview& failures) {
    auto causes = json::array();
    for (const auto& cause : failures.by_cause) {
        causes.push_back(
            {{"error_code", name_of(cause.code)},
             {"count", cause.count},
             {"last_at", to_rfc3339(cause.last_at)}});
    }
    auto recent = json::array();
    for (const auto& job : failures.recent) {
        recent.push_back(
            {{"id", job.id.value},
             {"email", job.email},
             {"url", job.url},
             {"error_code", name_of(job.code)},
             {"error", job.error},
             {"finished_at", to_rfc3339(job.finished_at)},
             {"attempts", attempts_view(job.attempts)}});
    }
    return {{"by_cause", std::move(causes)}, {"recent", std::move(recent)}};
}

/// GET admin/failures?limit=. 200 causes of the last week and the newest failures; 400.
awaitable<http::response> get_failures(http::request_context& ctx, operations_service& service) {
    const auto limit = http::requested_limit(ctx.query("limit"), failures_usual, failures_most);
    if (!limit) co_return ctx.problem(limit.error());
    const auto failures = co_await service.operations.failures(*limit, ctx.database_by());
    co_return ctx.json(http::status::ok, failures_view(failures));
}

/// POST admin/failures/retry {"ids"}. 200 the new jobs; 400.
awaitable<http::response> retry_failures(http::request_context& ctx, operations_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto ids = requested_jobs(*body);
    if (!ids) co_return ctx.problem(ids.error());
    const auto resubmitted = co_await service.operations.resubmit(*ids, ctx.database_by());
    if (!resubmitted.empty()) service.jobs_submitted();
    service.log.info(
        "failed jobs resubmitted",
        {{"jobs", resubmitted.size()}, {"administrator", ctx.caller().value}});
    auto views = json::array();
    for (const auto& job : resubmitted) {
        views.push_back({{"id", job.failed.value}, {"new_id", job.new_id.value}});
    }
    co_return ctx.json(http::status::ok, json{{"jobs", std::move(views)}});
}

/// GET platform. 200 {"never_answered"}: whether the platform has never answered a request.
awaitable<http::response> get_platform(http::request_context& ctx, operations_service& service) {
    const bool never_answered = co_await service.platform_never_answered();
    co_return ctx.json(http::status::ok, json{{"never_answered", never_answered}});
}

/// GET admin/model. 200 the stored model without its key, and what the settings fix.
awaitable<http::response> get_model(http::request_context& ctx, model_service& service) {
    co_return ctx.json(http::status::ok, service.view());
}

http::response model_refusal(const http::request_context& ctx, const error& why) {
    if (why.code() == errc::invalid_argument) return ctx.problem(why);
    const auto status =
        why.code() == errc::conflict ? http::status::conflict : http::status::service_unavailable;
    return ctx.problem(status, why.detail());
}

/// PUT admin/model. 200 as GET; 400; 409 the settings choose the analyzer; 503 the key cannot be
/// sealed.
awaitable<http::response> put_model(http::request_context& ctx, model_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto saved = co_await service.save(*body, ctx.database_by());
    if (!saved) co_return model_refusal(ctx, saved.error());
    service.log.info("model stored", {{"administrator", ctx.caller().value}});
    co_return ctx.json(http::status::ok, service.view());
}

/// POST admin/model/check. 200 {"error": text or null}: whether provider, key and model answer;
/// 400; 409.
awaitable<http::response> check_model(http::request_context& ctx, model_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto checked = co_await service.check(*body);
    if (checked) co_return ctx.json(http::status::ok, json{{"error", nullptr}});
    const auto& why = checked.error();
    if (why.code() == errc::invalid_argument || why.code() == errc::conflict)
        co_return model_refusal(ctx, why);
    co_return ctx.json(http::status::ok, json{{"error", why.detail()}});
}

/// DELETE admin/model. 204.
awaitable<http::response> remove_model(http::request_context& ctx, model_service& service) {
    co_await service.remove(ctx.database_by());
    service.log.info("model removed", {{"administrator", ctx.caller().value}});
    co_return ctx.no_content();
}

}  // namespace

void add_model_routes(http::router& router, std::string_view prefix, model_service& service) {
    router.add(
        {{http::verb::get, "/admin/model", &get_model},
         {http::verb::put, "/admin/model", &put_model},
         {http::verb::post, "/admin/model/check", &check_model},
         {http::verb::remove, "/admin/model", &remove_model}},
        service,
        prefix);
}

void add_operations_routes(
    http::router& router, std::string_view prefix, operations_service& service) {
    router.add(
        {{http::verb::get, "/platform", &get_platform},
         {http::verb::get, "/admin/overview", &get_overview},
         {http::verb::get, "/admin/failures", &get_failures},
         {http::verb::post, "/admin/failures/retry", &retry_failures}},
        service,
        prefix);
}

result<std::vector<job_id>> requested_jobs(const json& body) {
    const error malformed{
        errc::invalid_argument,
        fmt::format("ids must be an array of 1 to {} positive integers", resubmitted_max)};
    const auto ids = body.find("ids");
    if (ids == body.end() || !ids->is_array()) return malformed;
    if (ids->empty() || ids->size() > resubmitted_max) return malformed;
    std::vector<job_id> jobs;
    for (const auto& id : *ids) {
        // Numbers beyond 63 bits are unsigned and exceed any ID.
        const bool fits = id.is_number_integer() && id >= 1 && id <= INT64_MAX;
        if (!fits) return malformed;
        jobs.push_back(job_id{id.get<std::int64_t>()});
    }
    return jobs;
}

}  // namespace reelsd::dashboard
