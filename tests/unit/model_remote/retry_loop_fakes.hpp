#pragma once

#include "retry_loop.hpp"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// A fake provider, and a ledger that records its calls.
namespace reelsd::model::testing {

/// Of the fake provider, whose answers contain it.
inline constexpr std::string_view key = "key-1234";

/// Events in order, from the threads of the ledger and the server.
class event_list {
public:
    void add(std::string event) {
        const std::scoped_lock guard{lock_};
        events_.push_back(std::move(event));
    }
    [[nodiscard]] std::vector<std::string> all() const {
        const std::scoped_lock guard{lock_};
        return events_;
    }

private:
    mutable std::mutex lock_;
    std::vector<std::string> events_;
};

class recording_ledger final : public call_ledger {
public:
    explicit recording_ledger(event_list& events, int calls_left = 100)
        : events_{events}, calls_left_{calls_left} {}

    result<std::int64_t> begin_call(
        std::string_view provider, std::string_view model, call_kind /*kind*/) override {
        if (next_ > calls_left_) return error{errc::limit_reached, "no calls left"};
        events_.add(fmt::format("begin {} {}/{}", next_, provider, model));
        return next_++;
    }
    void settle(std::int64_t call, const call_usage& used) override {
        events_.add(fmt::format("settle {}", call));
        settled = used;
    }
    void release(std::int64_t call) override { events_.add(fmt::format("release {}", call)); }

    std::optional<call_usage> settled;

private:
    event_list& events_;
    std::int64_t next_ = 1;
    std::int64_t calls_left_;
};

/// Status 200 is an answer with the text of the test; other statuses are failures of several kinds,
/// with a delay of 0 s or that of the body.
class fake_session final : public chat_session {
public:
    fake_session(std::string url, prepared_request prepared, std::string text = "question")
        : url_{std::move(url)}, prepared_{std::move(prepared)}, text_{std::move(text)} {}

    prepared_request request_for(
        const request_options& /*options*/, const deadline& /*by*/,
        const std::stop_token& /*stop*/) override {
        if (!prepared_) return prepared_.error();
        auto request = *prepared_;
        request.url = url_;
        request.streamed_body.emplace().add_text(text_);
        return request;
    }

    [[nodiscard]] model_reply reply_of(const net::http_response& answer) const override {
        if (answer.status() == 200) {
            reply parsed{.end = reply_end::complete, .text = answer.body};
            parsed.response_id = "response of " + std::string{key};
            parsed.detail = "detail of " + std::string{key};
            if (answer.body == "broken off") parsed.end = reply_end::broken_off;
            if (answer.body != "no counts")
                parsed.used =
                    token_counts{.prompt = 1000, .cached_prompt = 100, .output = 10, .thinking = 4};
            return parsed;
        }
        call_failure why{.kind = failure_kind::video_rejected, .detail = "key " + std::string{key}};
        if (answer.status() == 503) why.kind = failure_kind::overloaded;
        if (answer.status() == 503) why.server_delay = seconds_f{0};
        if (answer.status() == 401) why.kind = failure_kind::unauthorized;
        if (answer.status() == 422) why.kind = failure_kind::limit_too_large;
        if (answer.status() == 429) {
            why.kind = failure_kind::rate_limited;
            why.server_delay = seconds_f{std::stod(answer.body)};
        }
        if (answer.status() == 502) why.may_be_billed = true;
        return why;
    }

private:
    std::string url_;
    prepared_request prepared_;
    std::string text_;
};

class fake_api final : public chat_api {
public:
    explicit fake_api(std::string model)
        : chat_api{{.provider = "fake", .model = std::move(model), .secret = std::string{key}}} {}

    [[nodiscard]] std::string media_note(const video_input& /*video*/) const override { return {}; }
    [[nodiscard]] std::unique_ptr<chat_session> open(
        const video_input* /*video*/, const prompt& /*prompt*/) const override {
        return nullptr;
    }

    [[nodiscard]] net::http_request model_request() const override { return {}; }
    [[nodiscard]] std::optional<call_failure> model_fault(
        const net::http_response& /*answer*/) const override {
        return std::nullopt;
    }
};

}  // namespace reelsd::model::testing
