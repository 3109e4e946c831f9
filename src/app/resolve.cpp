#include "commands.hpp"
#include "from_settings.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/platform/answer_record.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

/// Replaces control characters in text of the platform.
std::string printable(std::string_view text) {
    std::string shown{text};
    std::replace_if(
        shown.begin(),
        shown.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7f; },
        '?');
    return shown;
}

/// The folder and the extension, which tell the tests the kind of a recorded answer.
struct record_location {
    const char* folder;
    const char* extension;
};

record_location location_of(const std::optional<platform::answer_signals>& signals) {
    if (!signals) return {.folder = "yt_dlp", .extension = ".txt"};
    switch (signals->kind) {
        case platform::answer_kind::page: return {.folder = ".", .extension = ".html"};
        case platform::answer_kind::query: return {.folder = "queries", .extension = ".txt"};
        case platform::answer_kind::session: return {.folder = "sessions", .extension = ".txt"};
        case platform::answer_kind::embed: break;
    }
    return {.folder = "embeds", .extension = ".html"};
}

json recorded_findings(
    const std::optional<platform::answer_signals>& signals, const std::string& body) {
    const auto recorded = platform::post_link(std::string{platform::recorded_code});
    if (signals) return platform::answer_findings(signals->kind, body, recorded);
    return platform::yt_dlp_findings(body, recorded);
}

result<void> write_file(const fs::path& file, const std::string& text) {
    std::ofstream out{file, std::ios::binary};
    out << text;
    out.close();
    if (out) return {};
    return error{errc::storage_failed, file.string() + " cannot be written"};
}

/// Saves answers in the form of tests/golden/platform: the redacted body, and a JSON file with the
/// parser's findings.
class answer_recorder {
public:
    answer_recorder(fs::path folder, platform::link about)
        : folder_{std::move(folder)}, about_{std::move(about)} {}

    [[nodiscard]] result<fs::path> save(const platform::observed_answer& seen) {
        const auto location = location_of(seen.signals);
        const auto folder = (folder_ / location.folder).lexically_normal();
        std::error_code failure;
        fs::create_directories(folder, failure);
        if (failure) return error{errc::storage_failed, folder.string() + ": " + failure.message()};
        const auto file = free_name(folder, seen.question, location.extension);
        const auto body = platform::redact_answer(seen.body, about_);
        if (const auto saved = write_file(file, body); !saved) return saved.error();
        auto findings_file = file;
        findings_file.replace_extension(".json");
        const auto findings = recorded_findings(seen.signals, body).dump(2) + "\n";
        const auto saved = write_file(findings_file, findings);
        if (!saved) return saved.error();
        return file;
    }

private:
    /// For example "saved_20261121_root_query_2.txt"; no file is overwritten.
    static fs::path free_name(
        const fs::path& folder, std::string_view question, const char* extension) {
        std::string name{question};
        const auto is_separator = [](char c) { return c == ' ' || c == '-'; };
        std::ranges::replace_if(name, is_separator, '_');
        const auto today = std::chrono::system_clock::now();
        const auto stem = fmt::format("saved_{:%Y%m%d}_{}", today, name);
        for (int number = 1;; ++number) {
            const auto suffix = number == 1 ? "" : fmt::format("_{}", number);
            auto file = folder / (stem + suffix + extension);
            if (!fs::exists(file)) return file;
        }
    }

    fs::path folder_;
    platform::link about_;
};

void print_answer(const platform::observed_answer& seen) {
    fmt::print(
        "  {:<3}  {:>7} bytes  {:>6.2f} s  {}: {}\n",
        seen.status,
        seen.body.size(),
        seen.took.count(),
        seen.question,
        printable(seen.url));
    const auto signals = seen.signals ? platform::describe(*seen.signals) : std::string{};
    const auto reason = printable(seen.reason.empty() ? "has the post" : seen.reason);
    fmt::print("       {}{}{}\n", signals, signals.empty() ? "" : ": ", reason);
}

std::string host_of(const std::string& address) {
    const auto parsed = net::url::parse(address);
    return parsed ? std::string{parsed->host()} : "no address";
}

void print_post(const platform::post& post) {
    const auto number = [](const std::optional<std::int64_t>& count) {
        return count ? fmt::format("{}", *count) : std::string{"unknown"};
    };
    fmt::print(
        "  the post: {}, {}, likes {}, comments {}, views {}\n",
        printable(post.author.empty() ? "author unknown" : "by " + post.author),
        post.posted_at ? "of " + to_rfc3339(*post.posted_at) : "of an unknown time",
        number(post.like_count),
        number(post.comment_count),
        number(post.view_count));
    if (post.carousel) fmt::print("  slide {} of {}\n", post.carousel->index, post.carousel->count);
    if (const auto* remote = std::get_if<platform::remote_media>(&post.media))
        fmt::print("  its video is on {}\n", printable(host_of(remote->url)));
}

enum class try_outcome : std::uint8_t { post_found, no_post };

/// Tries one resolver, and prints its responses and the outcome. Errors: those of the settings and
/// of saving responses.
result<try_outcome> try_resolver(
    const std::string& name, const platform::link& link, const settings& config,
    answer_recorder* recorder, const log::logger& log) {
    auto options = source_settings_of(config);
    options.resolvers = {name};
    result<void> saved;
    options.on_answer = [recorder, &saved](const platform::observed_answer& seen) {
        print_answer(seen);
        if (recorder == nullptr || !saved) return;
        const auto file = recorder->save(seen);
        if (!file) {
            saved = file.error();
            return;
        }
        fmt::print("       saved in {}\n", file->string());
    };
    fmt::print("{}\n", name);
    if (!is_installed(name, config)) {
        fmt::print("  skipped: {} is not installed (yt-dlp-path)\n", config.yt_dlp_path);
        return try_outcome::no_post;
    }
    if (name != platform::session_resolver_name) options.cookies_file.clear();
    const auto source = platform::source::create(options, log);
    if (!source) return source.error();
    // One request by a person.
    platform::no_rate_limit pace;
    const auto post = (*source)->resolve(link, pace, deadline::after(bounds::resolve_time_max), {});
    if (!saved) return saved.error();
    if (post) {
        print_post(*post);
        return try_outcome::post_found;
    }
    const platform::unresolved failure = post.error();
    fmt::print("  no post: {}\n", printable(failure.why.to_string()));
    return try_outcome::no_post;
}

}  // namespace

result<void> execute(
    const resolve_command& request, const settings& config, const log::logger& log) {
    const auto link = platform::parse_link(request.url);
    if (!link) return link.error();
    std::optional<answer_recorder> recorder;
    if (!request.save_to.empty()) recorder.emplace(request.save_to, *link);
    auto names = resolvers_of(config);
    // Used only on request: whether it was refused is in the database, which this does not open.
    std::erase(names, platform::session_resolver_name);
    if (!request.strategy.empty()) names = {request.strategy};
    int posts = 0;
    for (const auto& name : names) {
        const auto tried = try_resolver(name, *link, config, recorder ? &*recorder : nullptr, log);
        if (!tried) return tried.error();
        posts += *tried == try_outcome::post_found ? 1 : 0;
    }
    if (posts > 0) return {};
    return error{errc::internal, "no resolver found the post"};
}

}  // namespace reelsd::app
