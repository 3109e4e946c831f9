#include "documents.hpp"
#include "options.hpp"
#include "output.hpp"
#include "part_file.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace reelsd::cli {
namespace {

namespace fs = std::filesystem;

struct download_arguments {
    std::int64_t id = 0;
    bool frames = false;  ///< The frames of the key moments, instead of the video.
    std::string output;   ///< A file or an existing folder; empty: the current folder.
};

/// `output` for one file; in a folder, the file has `name`.
fs::path target_of(const std::string& output, const std::string& name) {
    std::error_code failure;
    if (output.empty()) return name;
    if (fs::is_directory(output, failure)) return fs::path{output} / name;
    return output;
}

std::string shown_path(const fs::path& file) {
    return printable(file.string(), line_breaks::to_blank);
}

/// Whether a file exists, and therefore is not downloaded again.
bool exists_already(const command_context& context, const fs::path& file) {
    std::error_code failure;
    if (!fs::exists(file, failure)) return false;
    context.shown.note(fmt::format("{} exists already", shown_path(file)));
    return true;
}

exit_code download_video(const command_context& context, const download_arguments& arguments) {
    const auto target = target_of(arguments.output, fmt::format("reel-{}.mp4", arguments.id));
    if (exists_already(context, target)) return exit_code::ok;
    part_file file{target};
    const auto name = shown_path(target);
    const auto begin = [&](const download_part& part) {
        context.shown.show(
            fmt::format("{} {}", part.offset > 0 ? "continuing" : "downloading", name));
        return file.begin(part);
    };
    const auto write = [&](std::span<const std::byte> bytes) {
        constexpr std::uint64_t all = 100;
        const auto size = file.size().value_or(0);
        if (size > 0) {
            const auto percent = file.position().bytes * all / size;
            context.shown.show_live(fmt::format("downloading {}: {} %", name, percent));
        }
        return file.write(bytes);
    };
    const download_target receiver{
        .position = [&file] { return file.position(); }, .begin = begin, .write = write};
    auto done = context.api.download_video(arguments.id, receiver, context.stop);
    if (done) done = file.finish();
    if (done) {
        print(context, name);
        return exit_code::ok;
    }
    if (done.error().code() == errc::not_found) {
        return report(
            context,
            error{
                errc::not_found,
                fmt::format(
                    "the server has no video of reel {}: {}",
                    arguments.id,
                    done.error().detail())});
    }
    const auto code = report(context, done.error());
    const auto received = file.position();
    if (received.bytes > 0 && !received.etag.empty()) {
        context.shown.note(fmt::format(
            "{} are kept; the same command continues.",
            bytes_text(static_cast<std::int64_t>(received.bytes))));
    }
    return code;
}

/// Downloads the frames of all key moments. The first failure ends the command.
exit_code download_frames(const command_context& context, const download_arguments& arguments) {
    const auto job = context.api.job(arguments.id, std::chrono::seconds{0}, context.stop);
    if (!job) return report(context, job.error());
    const auto& moments = key_moments_of(job->document);
    std::size_t frames = 0;
    for (std::size_t number = 0; number < moments.size(); ++number) {
        if (!text_of(moments[number], "frame")) continue;
        ++frames;
        const auto target =
            target_of(arguments.output, fmt::format("reel-{}-{:02}.jpg", arguments.id, number + 1));
        if (exists_already(context, target)) continue;
        context.shown.show_live(fmt::format("downloading {}", shown_path(target)));
        const auto frame = context.api.frame(arguments.id, number, context.stop);
        if (!frame) return report(context, frame.error());
        if (const auto written = write_file(target, *frame); !written) {
            return report(context, written.error());
        }
        print(context, shown_path(target));
    }
    if (frames > 0) return exit_code::ok;
    context.shown.finish();
    context.shown.note(fmt::format("reels: reel {} has no frames", arguments.id));
    return exit_code::refused;
}

exit_code run_download(const command_context& context, const download_arguments& arguments) {
    if (!arguments.frames) return download_video(context, arguments);
    std::error_code failure;
    if (!arguments.output.empty()) fs::create_directories(arguments.output, failure);
    if (failure) {
        context.shown.note(fmt::format(
            "reels: cannot create the folder {}: {}",
            shown_path(arguments.output),
            failure.message()));
        return exit_code::usage;
    }
    return download_frames(context, arguments);
}

}  // namespace

void add_download_command(CLI::App& app, command& chosen) {
    auto [download, arguments] = add_server_command(
        app,
        chosen,
        "download",
        "Save the kept video of a reel, or the frames of its key moments",
        &run_download);
    restrict_to(
        *download.add_option("ID", arguments.id, "Id of the reel")->required(), 1, job_id_max);
    download.add_flag(
        "--frames", arguments.frames, "Save a JPEG of each key moment instead of the video");
    download
        .add_option(
            "--output",
            arguments.output,
            "File or folder to write to (reel-ID.mp4, reel-ID-NN.jpg in the current folder)")
        ->type_name("FILE");
    download.footer(
        R"(Prints the path of each saved file. A file that exists is not downloaded again.
The same command continues an interrupted download, unless the video has
changed.

Examples:
    reels download 42
    reels download 42 --frames --output pictures)");
}

}  // namespace reelsd::cli
