#include <reelsd/base/error.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::jobs {

bool is_retryable(job_error_code code, std::string_view cause) noexcept {
    switch (code) {
        case job_error_code::rate_limited:
        case job_error_code::storage_error:
        case job_error_code::download_failed:
        case job_error_code::internal: return true;
        case job_error_code::model_failed:
            // With limit_reached, earlier answers were lost.
            return cause == name_of(errc::model_unavailable) ||
                   cause == name_of(errc::limit_reached);
        case job_error_code::unavailable:
        case job_error_code::unsupported_format:
        case job_error_code::video_too_long: return false;
    }
    return false;
}

namespace {

/// Whether a text needs no escapes, as nearly all links, names and times.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

/// Appends members to the text of an object that has at least one. Faster than building a JSON tree
/// at each read.
class members {
public:
    explicit members(std::string& text) : text_{&text} {}

    void add(std::string_view name, std::string_view value) {
        begin(name);
        if (is_plain(value)) {
            text_->append(1, '"').append(value).append(1, '"');
        } else {
            text_->append(dumped(value));
        }
    }
    void add_text(std::string_view name, std::string_view json_text) {
        begin(name);
        text_->append(json_text);
    }

private:
    void begin(std::string_view name) { text_->append(R"(,")").append(name).append(R"(":)"); }

    std::string* text_;
};

}  // namespace

std::string job_view(const job& job) {
    constexpr std::size_t usual_bytes = 256;
    std::string text;
    text.reserve(
        usual_bytes + job.url.size() + (job.result ? job.result->size() : 0) +
        (job.extract ? job.extract->size() : 0));
    text.append(R"({"id":)").append(std::to_string(job.id.value));
    members view{text};
    view.add("url", job.url);
    view.add("status", name_of(job.status));
    view.add("created_at", to_rfc3339(job.created_at));
    if (job.started_at) view.add("started_at", to_rfc3339(*job.started_at));
    if (job.finished_at) view.add("finished_at", to_rfc3339(*job.finished_at));
    if (job.place) {
        const auto& expected = job.place->expected_start_at;
        view.add_text("queue_position", std::to_string(job.place->position));
        if (expected) {
            view.add("expected_start_at", to_rfc3339(*expected));
        } else {
            view.add_text("expected_start_at", "null");
        }
    }
    if (job.error_code) {
        view.add("error_code", name_of(*job.error_code));
        view.add("error", job.error);
        view.add_text("retryable", job.is_retryable ? "true" : "false");
        if (job.is_retryable && job.retry_after_seconds)
            view.add_text("retry_after_seconds", std::to_string(*job.retry_after_seconds));
    }
    if (job.brief) {
        view.add("summary", job.brief->summary);
        view.add("code", job.brief->code);
        view.add("author", job.brief->author);
    }
    if (job.details) text.append(",").append(*job.details);
    if (job.options) view.add_text("options", *job.options);
    if (job.earlier) view.add_text("earlier", std::to_string(*job.earlier));
    if (job.has_video) view.add("video", fmt::format("/api/v1/reels/{}/video", job.id.value));
    if (job.result) view.add_text("result", *job.result);
    if (job.extract) view.add_text("extract", *job.extract);
    if (job.extract_error) view.add("extract_error", *job.extract_error);
    text.append("}");
    return text;
}

}  // namespace reelsd::jobs
