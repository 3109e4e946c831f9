// The two hot requests of the API as Drogon serves them: one statement each, on its fast database
// client, which prepares statements and sends them in a pipeline.
#include <drogon/drogon.h>

#include <cstdlib>
#include <string>

using namespace drogon;

namespace {

constexpr std::size_t threads = 2;
constexpr std::size_t connections_a_thread = 4;

const std::string read_statement =
    "SELECT job.id, job.url, job.status, job.created_at, job.started_at, job.finished_at,"
    "       job.error_code, job.error, job.result::text AS result"
    "  FROM api_token JOIN account ON account.id = api_token.account_id"
    "  JOIN job ON job.account_id = account.id AND job.id = $2::bigint"
    " WHERE api_token.hash = decode($1, 'hex') AND api_token.revoked_at IS NULL"
    "   AND account.disabled_at IS NULL";

const std::string submit_statement =
    "SELECT submitted.outcome, submitted.job_id, submitted.job_status"
    "  FROM api_token JOIN account ON account.id = api_token.account_id,"
    "       submit_jobs(ARRAY[account.id], ARRAY[$2::text], ARRAY[false], ARRAY[false],"
    "                   ARRAY[NULL::text], ARRAY[NULL::text], ARRAY[NULL::text], ARRAY[0],"
    "                   30, 100) AS submitted"
    " WHERE api_token.hash = decode($1, 'hex') AND api_token.revoked_at IS NULL"
    "   AND account.disabled_at IS NULL";

std::string hash_of_token(const HttpRequestPtr& request) {
    const auto& authorization = request->getHeader("authorization");
    constexpr std::size_t scheme = 7;  // "Bearer "
    if (authorization.size() <= scheme) return {};
    return utils::getSha256(authorization.substr(scheme));
}

HttpResponsePtr answer_of(HttpStatusCode code, std::string body) {
    auto answer = HttpResponse::newHttpResponse();
    answer->setStatusCode(code);
    answer->setContentTypeCode(CT_APPLICATION_JSON);
    answer->setBody(std::move(body));
    return answer;
}

using answer_callback = std::function<void(const HttpResponsePtr&)>;

void fail(const answer_callback& answer) {
    answer(answer_of(k503ServiceUnavailable, R"({"status":"error","message":"unavailable"})"));
}

void read_reel(const HttpRequestPtr& request, answer_callback&& answer, const std::string& id) {
    app().getFastDbClient()->execSqlAsync(
        read_statement,
        [answer](const orm::Result& rows) {
            if (rows.empty()) {
                answer(answer_of(k404NotFound, R"({"status":"error","message":"not found"})"));
                return;
            }
            const auto row = rows[0];
            std::string body = R"({"id":)" + row["id"].as<std::string>();
            for (const char* field : {"url", "status", "created_at", "started_at", "finished_at"}) {
                body.append(R"(,")").append(field).append(R"(":")");
                body.append(row[field].c_str()).append(R"(")");
            }
            body.append(R"(,"result":)").append(row["result"].c_str(), row["result"].length());
            body.append("}");
            answer(answer_of(k200OK, std::move(body)));
        },
        [answer](const orm::DrogonDbException&) { fail(answer); },
        hash_of_token(request),
        id);
}

void submit_reel(const HttpRequestPtr& request, answer_callback&& answer) {
    const auto body = request->getJsonObject();
    if (!body || !(*body)["url"].isString()) {
        answer(answer_of(k400BadRequest, R"({"status":"error","message":"url is required"})"));
        return;
    }
    app().getFastDbClient()->execSqlAsync(
        submit_statement,
        [answer](const orm::Result& rows) {
            const bool admitted =
                !rows.empty() && rows[0]["outcome"].as<std::string>() == "admitted";
            if (!admitted) return fail(answer);
            answer(answer_of(
                k202Accepted,
                R"({"id":)" + rows[0]["job_id"].as<std::string>() + R"(,"status":")" +
                    rows[0]["job_status"].as<std::string>() + R"("})"));
        },
        [answer](const orm::DrogonDbException&) { fail(answer); },
        hash_of_token(request),
        (*body)["url"].asString());
}

}  // namespace

int main() {
    const auto number = static_cast<std::uint16_t>(std::atoi(std::getenv("PORT")));
    app()
        .addListener("127.0.0.1", number)
        .setThreadNum(threads)
        .setLogLevel(trantor::Logger::kWarn)
        .setIdleConnectionTimeout(60)
        .createDbClient(
            "postgresql",
            std::getenv("PGHOST"),
            5432,
            std::getenv("PGDATABASE"),
            std::getenv("PGUSER"),
            "",
            connections_a_thread,
            "",
            "default",
            true,
            "",
            -1,
            std::getenv("AUTO_BATCH") != nullptr)
        .registerHandler("/api/v1/reels/{id}", &read_reel, {Get})
        .registerHandler("/api/v1/reels/analyze", &submit_reel, {Post})
        .run();
}
