#include "commands.hpp"
#include "document.hpp"
#include "libav.hpp"
#include "sandbox.hpp"
#include <reelsd/base/json.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

namespace {

using namespace reelsd;

constexpr int exit_usage = 64;      // sysexits(3)
constexpr int exit_unwritten = 74;  // sysexits(3): an error of output

/// Dies with the daemon, also when that died before it could be asked for.
bool parent_lives(int parent) {
    return parent == 0 || (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent);
}

template <class Report>
bool write_result(const result<Report>& report) {
    return report ? media::write_ok(media::to_json(*report)) : media::write_error(report.error());
}

bool answer(const media::arguments& given) {
    switch (given.command) {
        case media::command::probe: return write_result(media::probe(given));
        case media::command::analyze: return write_result(media::analyze(given));
        case media::command::thumbnail: return write_result(media::thumbnail(given));
        case media::command::join: return write_result(media::join(given));
        case media::command::frames: return write_result(media::frames(given));
        case media::command::sound: return write_result(media::sound_file(given));
        case media::command::check: return write_result(media::check(given));
        case media::command::transcode: return write_result(media::transcode(given));
        case media::command::jail:
            return media::write_ok(media::to_json(media::examine_jail(given)));
        case media::command::doctor: return media::write_ok(media::examine(given));
    }
    return false;
}

/// Decoders need the most memory here: when the machine runs out of it, the kernel ends one of them
/// and not the daemon or its database. Raising the score needs no privilege; without /proc there is
/// nothing to be done about it.
void be_the_first_to_go() {
    constexpr std::string_view highest{"1000"};  // proc(5)
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    static_cast<void>(write(file, highest.data(), highest.size()) < 0);
    close(file);
}

int run_sandbox(int count, char** values) {
    const auto given = media::read_sandbox_arguments(count, values);
    if (!given) {
        std::fprintf(
            stderr, "reelsd-media: %s\n%s", given.error().detail().c_str(), media::usage());
        return exit_usage;
    }
    return parent_lives(given->parent) ? media::run_sandboxed(*given) : exit_unwritten;
}

}  // namespace

int main(int count, char** values) {
    be_the_first_to_go();
    if (count > 1 && std::string_view{values[1]} == "fence") _exit(run_sandbox(count, values));
    const auto given = media::read_arguments(count, values);
    if (!given) {
        std::fprintf(
            stderr, "reelsd-media: %s\n%s", given.error().detail().c_str(), media::usage());
        return exit_usage;
    }
    if (!parent_lives(given->parent)) return exit_unwritten;
    av_log_set_level(AV_LOG_QUIET);
    bool written = false;
    try {
        written = answer(*given);
    } catch (const std::bad_alloc&) {
        written = media::write_error(
            error{errc::unsupported_format, "it needs more memory than the jail gives"});
    } catch (const std::exception& broken) {
        written = media::write_error(error{errc::unsupported_format, broken.what()});
    }
    // Without the libraries' exit handlers: they were not written for a jail.
    _exit(written ? 0 : exit_unwritten);
}
