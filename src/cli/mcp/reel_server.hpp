#pragma once

#include "../api_client.hpp"
#include "../job_wait.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace reelsd::cli::mcp {

/// Parameters of a wait for one job.
struct job_wait {
    std::int64_t id = 0;
    std::chrono::seconds at_most{0};  ///< 0: returns the current state.
    /// Receives the state of the job at least every 10 s.
    std::function<void(const job_progress& now)> on_progress;
};

/// How a job stands by what the server answered; it tells attempt and step elsewhere.
[[nodiscard]] job_progress progress_of(std::int64_t id, const json& job);

/// Interface that the tools use: the HTTP API, or a fake in tests. Blocking; several threads call
/// it concurrently. Each call returns soon after a stop request.
class reel_server {
public:
    reel_server() = default;
    virtual ~reel_server() = default;
    reel_server(const reel_server&) = delete;
    reel_server& operator=(const reel_server&) = delete;

    [[nodiscard]] virtual result<api_answer> submit(
        const submission& wanted, const std::stop_token& stop) = 0;
    /// Uploads a video file of this machine; `wanted.link`: of its post, or empty.
    [[nodiscard]] virtual result<api_answer> submit_file(
        const std::filesystem::path& file, const submission& wanted,
        const std::stop_token& stop) = 0;
    /// The finished job, or its state when the time has passed.
    [[nodiscard]] virtual result<api_answer> await(
        const job_wait& wanted, const std::stop_token& stop) = 0;
    [[nodiscard]] virtual result<reel_page> list(
        const list_query& wanted, const std::stop_token& stop) = 0;
    [[nodiscard]] virtual result<api_answer> search(
        const std::string& words, std::optional<int> limit, const std::stop_token& stop) = 0;
    [[nodiscard]] virtual result<api_answer> usage(
        const usage_query& wanted, const std::stop_token& stop) = 0;
};

/// Calls the server through an api_client, which must outlive this object.
class api_reel_server final : public reel_server {
public:
    explicit api_reel_server(const api_client& api) : api_{api} {}

    [[nodiscard]] result<api_answer> submit(
        const submission& wanted, const std::stop_token& stop) override;
    [[nodiscard]] result<api_answer> submit_file(
        const std::filesystem::path& file, const submission& wanted,
        const std::stop_token& stop) override;
    [[nodiscard]] result<api_answer> await(
        const job_wait& wanted, const std::stop_token& stop) override;
    [[nodiscard]] result<reel_page> list(
        const list_query& wanted, const std::stop_token& stop) override;
    [[nodiscard]] result<api_answer> search(
        const std::string& words, std::optional<int> limit, const std::stop_token& stop) override;
    [[nodiscard]] result<api_answer> usage(
        const usage_query& wanted, const std::stop_token& stop) override;

private:
    const api_client& api_;
};

}  // namespace reelsd::cli::mcp
