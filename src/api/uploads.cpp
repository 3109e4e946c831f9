#include "multipart.hpp"
#include "resources.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/jobs/failure_text.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/http/request_context.hpp>
#include <reelsd/platform/link.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <limits>
#include <set>
#include <utility>

namespace reelsd::api {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t parts_max = 20;
constexpr std::size_t text_bytes_max = std::size_t{64} * 1024;
/// Bytes of a form besides the file.
constexpr std::uint64_t form_bytes_max = parts_max * (text_bytes_max + 8192);
constexpr auto discard_time_max = 10s;
/// Longer than for other requests: after a refusal the client would send the whole file again.
constexpr auto submit_time_max = 30s;
constexpr std::uint64_t mebibyte = std::uint64_t{1024} * 1024;
/// Bytes between two checks of the store's space: a body in chunks does not announce its size, and
/// several uploads share the space. A check is one system call.
constexpr auto space_check_bytes = 8 * mebibyte;

struct option {
    std::string_view name;
    bool is_boolean = false;  ///< In a JSON body; text in a form and a query.
};
constexpr auto known_options = std::to_array<option>(
    {{"fresh", true},
     {"queue", true},
     {"url"},
     {"caption"},
     {"author"},
     {"webhook_url"},
     {"language"},
     {"instructions"},
     {"extract"},
     {"analyzer"},
     {"filename"}});

std::string media_type_of(const http::request& request) {
    const auto field = request.headers.find("Content-Type").value_or("");
    return ascii_lower(trimmed(field.substr(0, field.find(';'))));
}

bool is_form(const http::request& request) {
    return media_type_of(request) == "multipart/form-data";
}

http::response too_large(const http::request_context& ctx, std::uint64_t bytes_max) {
    return ctx.problem(
        http::status::content_too_large,
        fmt::format("the video is larger than {}", jobs::size_text(bytes_max)));
}

const option* option_named(std::string_view name) {
    const auto* const known = std::ranges::find(known_options, name, &option::name);
    return known == known_options.end() ? nullptr : known;
}

/// Adds a text of a form or a query to the options, which have the form of a JSON body. Ignores
/// unknown names.
input<void> set_option(json& options, const std::string& name, const std::string& text) {
    const auto* const known = option_named(name);
    if (known == nullptr) return {};
    if (!is_utf8(text) || contains(text, std::string_view{"\0", 1})) {
        return invalid(fmt::format("{} must be UTF-8 text", name));
    }
    if (!known->is_boolean && trimmed(text).empty()) return {};
    // In any letter case: Python's libraries send "True".
    const bool is_true = equals_ignoring_case(text, "true");
    const bool is_truth = known->is_boolean && (is_true || equals_ignoring_case(text, "false"));
    options[name] = is_truth ? json(is_true) : json(text);
    if (name != "extract" || !trimmed(text).starts_with('{')) return {};
    auto schema = http::json_object_from(text);
    if (!schema)
        return invalid(
            "extract must be a JSON object or the name of a preset", error_reason::extract_invalid);
    options[name] = *std::move(schema);
    return {};
}

/// The answer to a refused upload; empty when it is complete.
using refused_answer = std::optional<http::response>;

refused_answer refusal_of(const http::request_context& ctx, const http::body_piece& piece) {
    if (!piece.refused) return std::nullopt;
    return ctx.problem(piece.refused->code, piece.refused->message);
}

refused_answer check_space(
    const http::request_context& ctx, const submission_service& service, std::uint64_t bytes) {
    if (!service.check_space) return std::nullopt;
    const auto has_space = service.check_space(bytes);
    if (has_space) return std::nullopt;
    return ctx.problem(has_space.error());
}

awaitable<refused_answer> add_to(
    jobs::upload_writer& file, std::string_view bytes, const http::request_context& ctx,
    const submission_service& service) {
    const auto checks_before = file.size() / space_check_bytes;
    const bool fits = co_await file.add(bytes);
    if (!fits) co_return too_large(ctx, service.video_bytes_max);
    if (file.size() / space_check_bytes == checks_before) co_return std::nullopt;
    co_return check_space(ctx, service, space_check_bytes);
}

awaitable<refused_answer> receive_raw(
    http::request_context& ctx, const submission_service& service, jobs::upload_writer& file) {
    for (;;) {
        const auto piece = co_await ctx.body_stream()->read();
        if (auto refused = refusal_of(ctx, piece)) co_return refused;
        if (piece.bytes.empty()) break;
        if (auto refused = co_await add_to(file, piece.bytes, ctx, service)) co_return refused;
    }
    if (file.is_empty()) co_return ctx.problem(error_reason::video_empty, "video is empty");
    co_return std::nullopt;
}

/// Writes the file of a form to the store and adds its texts to the options.
class form_receiver {
public:
    form_receiver(
        http::request_context& ctx, const submission_service& service, multipart_reader reader,
        jobs::upload_writer& file, json& options)
        : ctx_{ctx},
          service_{service},
          reader_{std::move(reader)},
          file_{file},
          options_{options} {}

    awaitable<refused_answer> receive() {
        auto& body = *ctx_.body_stream();
        while (!is_closed_) {
            const auto piece = co_await body.read();
            if (auto refused = refusal_of(ctx_, piece)) co_return refused;
            if (piece.bytes.empty()) {
                co_return bad(
                    name_.empty() ? "malformed multipart body: it has no end"
                                  : fmt::format(
                                        "malformed multipart body: it ends in or after the "
                                        "part \"{}\"",
                                        name_));
            }
            reader_.append(piece.bytes);
            if (auto refused = co_await take_events()) co_return refused;
        }
        // Reads the bytes after the last boundary, so that the connection can be reused.
        for (std::uint64_t epilogue_bytes = 0;;) {
            const auto piece = co_await body.read();
            if (auto refused = refusal_of(ctx_, piece)) co_return refused;
            if (piece.bytes.empty()) break;
            epilogue_bytes += piece.bytes.size();
            if (epilogue_bytes > form_bytes_max) co_return bad("the multipart body has no end");
        }
        if (!has_video_) co_return bad("video is required", error_reason::video_required);
        if (file_.is_empty()) co_return bad("video is empty", error_reason::video_empty);
        co_return std::nullopt;
    }

private:
    [[nodiscard]] http::response bad(
        std::string_view text, error_reason reason = error_reason::multipart_invalid) const {
        return ctx_.problem(reason, text);
    }

    awaitable<refused_answer> take_events() {
        for (;;) {
            const auto next = reader_.next();
            if (!next) co_return ctx_.problem(next.error());
            if (!*next) co_return std::nullopt;
            using kind = multipart_reader::event::kind;
            switch ((*next)->what) {
                case kind::part:
                    if (auto refused = begin(**next)) co_return refused;
                    break;
                case kind::data:
                    if (is_video_) {
                        auto refused = co_await add_to(file_, (*next)->bytes, ctx_, service_);
                        if (refused) co_return refused;
                    } else if (is_ignored_) {
                        ignored_bytes_ += (*next)->bytes.size();
                        if (ignored_bytes_ > service_.video_bytes_max)
                            co_return bad(fmt::format("the part \"{}\" is too large", name_));
                    } else {
                        text_.append((*next)->bytes);
                        if (text_.size() > text_bytes_max) {
                            co_return bad(
                                fmt::format("the part \"{}\" is larger than 64 KiB", name_));
                        }
                    }
                    break;
                case kind::end:
                    if (is_video_ || is_ignored_) break;
                    if (const auto set = set_option(options_, name_, text_); !set) {
                        co_return ctx_.problem(set.error());
                    }
                    break;
                case kind::close: is_closed_ = true; break;
            }
        }
    }

    refused_answer begin(const multipart_reader::event& part) {
        if (!is_utf8(part.name)) return bad("the name of a part must be UTF-8 text");
        name_ = part.name;
        text_.clear();
        is_video_ = name_ == "video";
        // Clients may send a schema as a file: curl's `-F extract=@schema.json`.
        is_ignored_ = !is_video_ && part.file_name && option_named(name_) == nullptr;
        if (!names_.insert(name_).second) {
            return bad(fmt::format("the part \"{}\" is given more than once", name_));
        }
        if (names_.size() > parts_max) {
            return bad(fmt::format("the part \"{}\" is one of more than {}", name_, parts_max));
        }
        if (!is_video_) return std::nullopt;
        if (!part.file_name) return bad("video must be a file");
        has_video_ = true;
        options_["filename"] = *part.file_name;
        return std::nullopt;
    }

    http::request_context& ctx_;
    const submission_service& service_;
    multipart_reader reader_;
    jobs::upload_writer& file_;
    json& options_;
    std::set<std::string> names_;
    std::string name_;
    std::string text_;
    std::uint64_t ignored_bytes_ = 0;  ///< Of other files.
    bool is_video_ = false;
    bool is_ignored_ = false;
    bool has_video_ = false;
    bool is_closed_ = false;
};

/// An upload: a form if there is a reader, otherwise the body itself.
struct upload_form {
    std::optional<multipart_reader> parts;
    json options = json::object();
};

input<upload_form> form_of(const http::request_context& ctx) {
    upload_form form;
    if (is_form(ctx.request())) {
        auto reader = multipart_reader::create(ctx.header("Content-Type").value_or(""));
        if (!reader) return reader.error();
        form.parts = *std::move(reader);
        return form;
    }
    for (const auto& [name, is_boolean] : known_options) {
        const auto text = ctx.query(name);
        if (!text) continue;
        const auto set = set_option(form.options, std::string{name}, std::string{*text});
        if (!set) return set.error();
    }
    return form;
}

std::optional<std::string> text_option(const json& options, const char* name) {
    if (!options.contains(name)) return std::nullopt;
    return options.at(name).get<std::string>();
}

/// Returns the submission of a stored file.
input<jobs::submission> submission_of(
    const http::request_context& ctx, const json& options, const jobs::uploaded_video& video,
    const submission_service& service) {
    auto common = options_in(ctx, options, service);
    if (!common) return common.error();
    auto url = text_option(options, "url");
    if (url) {
        const auto link = platform::parse_link(*url);
        if (!link) return link.error();
    } else {
        const auto label = jobs::file_label(text_option(options, "filename").value_or(""));
        url = fmt::format("{}{}", jobs::upload_scheme, label);
    }
    const json identity{video.sha256, *url, video.caption.value_or(""), video.author.value_or("")};
    return jobs::submission{
        .url = *std::move(url),
        .fresh = common->fresh,
        .costs_money = common->costs_money,
        .queue = common->queue,
        .idempotency_key = std::move(common->idempotency_key),
        .list =
            jobs::list_element{
                .request_hash = request_hash_of({&identity}, common->analysis), .position = 0},
        .upload = video.id,
        .webhook_url = std::move(common->webhook_url),
        .options = std::move(common->analysis)};
}

awaitable<http::response> receive_and_submit(
    http::request_context& ctx, submission_service& service, upload_form& form, upload_id id) {
    jobs::upload_writer file{service.uploads, id, service.video_bytes_max};
    refused_answer refused;
    if (form.parts) {
        form_receiver receiver{ctx, service, *std::move(form.parts), file, form.options};
        refused = co_await receiver.receive();
    } else {
        refused = co_await receive_raw(ctx, service, file);
    }
    if (refused) co_return *std::move(refused);
    // The token may have been revoked during the upload.
    ctx.restart_database_time();
    if (auto revoked = co_await ctx.authenticate()) co_return *std::move(revoked);

    auto video = co_await file.finish();
    video.caption = text_option(form.options, "caption");
    video.author = text_option(form.options, "author");
    if (video.author) *video.author = without_sign(*std::move(video.author));
    auto submission = submission_of(ctx, form.options, video, service);
    if (!submission) co_return ctx.problem(submission.error());
    const auto by = deadline::after(submit_time_max);
    const bool is_described = co_await service.uploads.describe(video, by);
    if (!is_described) {
        co_return ctx.problem(
            error{errc::database_unavailable, "the database has lost the upload or a part of it"});
    }
    const auto decision =
        co_await service.submission_batcher.submit(ctx.caller(), *std::move(submission), by);
    if (decision.decided == jobs::submission_result::outcome::accepted) {
        service.uploads.release(id);
        service.job_accepted();
    }
    co_return answer_to(ctx, decision);
}

std::uint64_t announced_bytes(const http::request_context& ctx) {
    const auto field = ctx.header("Content-Length");
    if (!field) return 0;
    // The session has checked the digits; a number that does not fit is too large.
    return parse_number<std::uint64_t>(*field).value_or(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

bool is_upload(const http::request& request) {
    const auto type = media_type_of(request);
    return type == "multipart/form-data" || type == "application/octet-stream" ||
           type.starts_with("video/");
}

awaitable<http::response> receive_upload(http::request_context& ctx, submission_service& service) {
    const auto overhead = is_form(ctx.request()) ? form_bytes_max : 0;
    const auto announced = announced_bytes(ctx);
    if (announced > service.video_bytes_max + overhead) {
        co_return too_large(ctx, service.video_bytes_max);
    }
    auto form = form_of(ctx);
    if (!form) co_return ctx.problem(form.error());
    const auto common = options_in(ctx, form->options, service);
    if (!common) co_return ctx.problem(common.error());
    if (auto refused = check_space(ctx, service, announced)) co_return *std::move(refused);
    // The options of a form follow in the body, and may include `queue`.
    jobs::submission expected{
        .url = {},
        .costs_money = common->costs_money,
        .queue = common->queue || form->parts,
        .idempotency_key = common->idempotency_key};
    auto begun =
        co_await service.uploads.begin(ctx.caller(), expected, service.limits, ctx.database_by());
    // Refused with and without `queue`, whose limit would surprise a client that does not use it.
    if (begun.refusal.decided == jobs::submission_result::outcome::queue_full && form->parts) {
        expected.queue = false;
        begun = co_await service.uploads.begin(
            ctx.caller(), expected, service.limits, ctx.database_by());
    }
    if (!begun.id) co_return answer_to(ctx, begun.refusal);

    std::exception_ptr problem;
    http::response answer{http::status::internal_server_error};
    try {
        answer = co_await receive_and_submit(ctx, service, *form, *begun.id);
    } catch (...) {
        problem = std::current_exception();
    }
    // No effect once the job has the file.
    co_await service.uploads.discard(*begun.id, deadline::after(discard_time_max));
    if (!problem) co_return answer;
    // With an account that was deleted meanwhile, its upload is gone, too.
    ctx.restart_database_time();
    if (auto revoked = co_await ctx.authenticate()) co_return *std::move(revoked);
    std::rethrow_exception(problem);
}

}  // namespace reelsd::api
