#include "child_document.hpp"

#include <reelsd/base/bounds.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <csignal>
#include <cstddef>
#include <string>
#include <utility>

namespace reelsd::media {
namespace {

/// sysexits(3): the helper rejects its arguments.
constexpr int exit_usage = 64;
/// Statuses of shells and the dynamic loader for a program that cannot be run.
constexpr int exit_not_executable = 126;
constexpr int exit_not_found = 127;

/// A child that used a core for at least this share of its life was computing at the deadline, and
/// would do so again. Otherwise the machine was busy.
constexpr double share_of_core_min = 0.5;
/// A child that lived less did not get the time of its step, of which no step has less than
/// `probe_time_max`: the caller's deadline was near, or it waited for other children.
constexpr seconds_f life_min = bounds::probe_time_max / 2;

constexpr std::size_t detail_bytes_max = 500;

using process::child_end;
using process::child_outcome;

error failed(errc code, std::string detail, const child_end& end) {
    if (!end.error_output.empty()) detail.append("; its standard error: ").append(end.error_output);
    return error{code, std::move(detail)};
}

error after_exit(const child_end& end) {
    const bool not_run = end.status == exit_usage || end.status == exit_not_executable ||
                         end.status == exit_not_found;
    return failed(
        not_run ? errc::media_failed : errc::unsupported_format,
        "the media helper ended with status " + std::to_string(end.status),
        end);
}

error after_signal(const child_end& end) {
    // A video does not cause these signals: the operator, a shutdown or, when memory runs out, the
    // kernel does. Limits of the jail have others.
    const bool from_outside = end.status == SIGTERM || end.status == SIGINT ||
                              end.status == SIGHUP || end.status == SIGKILL;
    std::string detail = "the media helper was killed by " + process::signal_name(end.status);
    if (end.status == SIGKILL) detail.append("; the machine may have run out of memory");
    if (end.status == SIGXCPU) detail.append(", its CPU time limit");
    if (end.status == SIGSYS) detail.append(", a system call that its jail forbids");
    return failed(
        from_outside ? errc::media_failed : errc::unsupported_format, std::move(detail), end);
}

error after_deadline(const child_end& end) {
    const bool computing = end.lived >= life_min && end.computed >= share_of_core_min * end.lived;
    return failed(
        computing ? errc::unsupported_format : errc::timed_out,
        computing ? "the media helper was still computing at its deadline"
                  : "the media helper got too little time before its deadline",
        end);
}

/// The child's error. Rejects unexpected codes and details that are not clean text.
error reported_error(const json& report) {
    const auto code = report.find("code");
    const auto detail = report.find("detail");
    if (code == report.end() || !code->is_string() || detail == report.end() ||
        !detail->is_string()) {
        return error{errc::media_failed, "the media helper's error has no code or detail"};
    }
    const auto& text = detail->get_ref<const std::string&>();
    if (text.size() > detail_bytes_max || !is_clean_text(text)) {
        return error{errc::media_failed, "the media helper's error is not clean text"};
    }
    for (const auto known :
         {errc::unsupported_format,
          errc::video_too_long,
          errc::media_failed,
          errc::storage_failed,
          errc::conflict}) {
        if (*code == name_of(known)) return error{known, text};
    }
    return error{errc::media_failed, "the media helper's error has an unknown code"};
}

result<json> read_document(const child_end& end) {
    auto document = parse_foreign_json(end.output);
    if (!document.is_object() || document.size() != 1) {
        return failed(errc::media_failed, "the media helper wrote no document", end);
    }
    const auto member = document.begin();
    if (member.key() == "ok" && member->is_object()) {
        // In place, because json converts from almost any type.
        return result<json>{boost::system::in_place_value, std::move(*member)};
    }
    if (member.key() == "error" && member->is_object()) return reported_error(*member);
    return failed(errc::media_failed, "the media helper wrote an unknown document", end);
}

}  // namespace

result<json> document_of(const process::child_end& end) {
    switch (end.outcome) {
        case child_outcome::exited: return end.status == 0 ? read_document(end) : after_exit(end);
        case child_outcome::signalled: return after_signal(end);
        case child_outcome::overdue: return after_deadline(end);
        case child_outcome::stopped: return error{errc::cancelled, "the media helper was stopped"};
        case child_outcome::flooding:
            return failed(errc::unsupported_format, "the media helper wrote too much", end);
        case child_outcome::not_started:
            return error{
                errc::media_failed, "the media helper could not be started: " + end.error_output};
    }
    return error{errc::internal, "unknown end of the media helper"};
}

}  // namespace reelsd::media
