#include "options.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace reelsd::cli {
namespace {

struct delete_arguments {
    std::vector<std::int64_t> ids;
    bool failed = false;  ///< All failed ones, instead of `ids`.
    bool as_json = false;
};

/// Whether a failure concerns the server rather than one reel.
bool ends_deletion(errc code) {
    return code != errc::not_found && code != errc::conflict;
}

/// Deletes all failed reels, some thousand per request.
exit_code delete_failed(const command_context& context, const delete_arguments& arguments) {
    std::int64_t deleted = 0;
    for (;;) {
        const auto step = context.api.remove_failed(context.stop);
        if (!step) return report(context, step.error());
        if (*step == 0) break;
        deleted += *step;
    }
    if (arguments.as_json) {
        print_json(context, json{{"deleted", deleted}}.dump());
    } else {
        print(context, fmt::format("Deleted {} failed reel{}", deleted, deleted == 1 ? "" : "s"));
    }
    return exit_code::ok;
}

/// Deletes reels one by one, despite unknown ids, until the server fails. Returns the exit code of
/// the first failure.
exit_code run_delete(const command_context& context, const delete_arguments& arguments) {
    if (arguments.failed) return delete_failed(context, arguments);
    auto code = exit_code::ok;
    auto outcomes = json::array();
    for (const auto id : arguments.ids) {
        const auto removed = context.api.remove(id, context.stop);
        if (removed) {
            outcomes.push_back({{"id", id}, {"status", "deleted"}});
            if (!arguments.as_json) print(context, fmt::format("Deleted reel {}", id));
            continue;
        }
        const auto& failure = removed.error();
        const auto failure_code = report(
            context, error{failure.code(), fmt::format("reel {}: {}", id, failure.detail())});
        const auto* const message =
            failure.code() == errc::cancelled ? "interrupted" : failure.detail().c_str();
        outcomes.push_back({{"id", id}, {"status", "error"}, {"message", message}});
        if (code == exit_code::ok) code = failure_code;
        if (ends_deletion(failure.code())) break;
    }
    if (arguments.as_json) print_json(context, outcomes.dump());
    return code;
}

}  // namespace

void add_delete_command(CLI::App& app, command& chosen) {
    auto [remove, arguments] = add_server_command(
        app,
        chosen,
        "delete",
        "Delete reels permanently, even while they are being analysed",
        &run_delete);
    auto* const ids = remove.add_option("ID", arguments.ids, "Ids of the reels");
    restrict_to(*ids, 1, job_id_max);
    remove.add_flag("--failed", arguments.failed, "Delete all failed reels")->excludes(ids);
    remove.parse_complete_callback([&arguments] {
        if (arguments.ids.empty() && !arguments.failed) throw CLI::RequiredError{"ID or --failed"};
    });
    add_json_flag(remove, arguments.as_json);
    remove.footer(R"(There is no confirmation, and deletion cannot be undone.

Examples:
    reels delete 42
    reels delete 40 41 42
    reels delete --failed)");
}

}  // namespace reelsd::cli
