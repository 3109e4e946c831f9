#include "commands.hpp"
#include "platform_source.hpp"
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

/// Text of the platform's as a terminal may have it: no control characters.
std::string printable(std::string_view text) {
    std::string shown{text};
    std::replace_if(
        shown.begin(),
        shown.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7f; },
        '?');
    return shown;
}

/// The folders and endings by which the tests know what kind of answer a recorded one is.
struct record_location {
    const char* folder;
    const char* extension;
};

record_location place_of(const std::optional<platform::answer_signals>& signals) {
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

/// Keeps answers in the form of tests/golden/platform: the redacted body, and beside it what our
/// parser finds there.
class answer_recorder {
public:
    answer_recorder(fs::path folder, platform::link about)
        : folder_{std::move(folder)}, about_{std::move(about)} {}

    [[nodiscard]] result<fs::path> keep(const platform::observed_answer& seen) {
        const auto place = place_of(seen.signals);
        const auto folder = (folder_ / place.folder).lexically_normal();
        std::error_code failure;
        fs::create_directories(folder, failure);
        if (failure) return error{errc::storage_failed, folder.string() + ": " + failure.message()};
        const auto file = free_name(folder, seen.question, place.extension);
        const auto body = platform::redact_answer(seen.body, about_);
        if (const auto kept = write_file(file, body); !kept) return kept.error();
        auto findings_file = file;
        findings_file.replace_extension(".json");
        const auto findings = recorded_findings(seen.signals, body).dump(2) + "\n";
        if (const auto kept = write_file(findings_file, findings); !kept) return kept.error();
        return file;
    }

private:
    /// "saved_20261121_root_query_2.txt": nothing is ever overwritten.
    static fs::path free_name(
        const fs::path& folder, std::string_view question, const char* extension) {
        std::string name{question};
        std::replace_if(
            name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
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

void print_post(const platform::post& found) {
    const auto number = [](const std::optional<std::int64_t>& count) {
        return count ? fmt::format("{}", *count) : std::string{"unknown"};
    };
    fmt::print(
        "  the post: {}, {}, likes {}, comments {}, views {}\n",
        printable(found.author.empty() ? "author unknown" : "by " + found.author),
        found.posted_at ? "of " + to_rfc3339(*found.posted_at) : "of an unknown time",
        number(found.like_count),
        number(found.comment_count),
        number(found.view_count));
    if (found.carousel)
        fmt::print("  slide {} of {}\n", found.carousel->index, found.carousel->count);
    if (const auto* remote = std::get_if<platform::remote_media>(&found.media))
        fmt::print("  its video is on {}\n", printable(host_of(remote->url)));
}

enum class try_end : std::uint8_t { post_found, no_post };

/// One resolver's try: what it saw, and what it came to. Errors are those of the settings and of
/// keeping answers.
result<try_end> try_resolver(
    const std::string& name, const platform::link& wanted, const settings& with,
    answer_recorder* recorder, const log::logger& log) {
    auto options = source_settings_of(with);
    options.resolvers = {name};
    result<void> kept;
    options.on_answer = [recorder, &kept](const platform::observed_answer& seen) {
        print_answer(seen);
        if (recorder == nullptr || !kept) return;
        const auto file = recorder->keep(seen);
        if (!file) {
            kept = file.error();
            return;
        }
        fmt::print("       kept in {}\n", file->string());
    };
    fmt::print("{}\n", name);
    if (!is_installed(name, with)) {
        fmt::print("  not asked: {} is not installed (yt-dlp-path)\n", with.yt_dlp_path);
        return try_end::no_post;
    }
    if (name != platform::session_resolver_name) options.cookies_file.clear();
    const auto source = platform::source::create(options, log);
    if (!source) return source.error();
    // Nobody's turn: a person asks, once.
    platform::no_rate_limit pace;
    const auto found =
        (*source)->resolve(wanted, pace, deadline::after(bounds::resolve_time_max), {});
    if (!kept) return kept.error();
    if (found) {
        print_post(*found);
        return try_end::post_found;
    }
    const platform::unresolved none = found.error();
    fmt::print("  no post: {}\n", printable(none.why.to_string()));
    return try_end::no_post;
}

}  // namespace

result<void> execute(const resolve_command& asked, const settings& with, const log::logger& log) {
    const auto wanted = platform::parse_link(asked.url);
    if (!wanted) return wanted.error();
    std::optional<answer_recorder> recorder;
    if (!asked.save_to.empty()) recorder.emplace(asked.save_to, *wanted);
    auto names = resolvers_of(with);
    // Used by name only: the database, which this does not open, knows whether it was refused.
    std::erase(names, platform::session_resolver_name);
    if (!asked.strategy.empty()) names = {asked.strategy};
    int with_post = 0;
    for (const auto& name : names) {
        const auto tried = try_resolver(name, *wanted, with, recorder ? &*recorder : nullptr, log);
        if (!tried) return tried.error();
        with_post += *tried == try_end::post_found ? 1 : 0;
    }
    if (with_post > 0) return {};
    return error{errc::internal, "no strategy has the post"};
}

}  // namespace reelsd::app
