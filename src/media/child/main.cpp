#include "../neural/neural_model.hpp"
#include "commands.hpp"
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
#include <system_error>

namespace {

using namespace reelsd;

constexpr int exit_usage = 64;      // sysexits(3)
constexpr int exit_unwritten = 74;  // sysexits(3): an error of output

/// Makes the process die with the daemon. False if the daemon has already ended.
bool die_with_parent(int parent) {
    return parent == 0 || (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent);
}

bool run_command(const media::arguments& given) {
    switch (given.command) {
        case media::command::probe: return write_result(media::probe(given));
        case media::command::analyze: return media::analyze(given);
        case media::command::thumbnail: return write_result(media::thumbnail(given));
        case media::command::join: return write_result(media::join(given));
        case media::command::frames: return write_result(media::frames(given));
        case media::command::stills: return write_result(media::stills(given));
        case media::command::sound: return write_result(media::sound_file(given));
        case media::command::check: return write_result(media::check(given));
        case media::command::listen: return write_result(media::listen(given));
        case media::command::transcode: return write_result(media::transcode(given));
        case media::command::jail:
            return media::write_ok(media::to_json(media::examine_jail(given)));
        case media::command::doctor: return media::write_ok(media::examine(given));
    }
    return false;
}

/// When the machine runs out of memory, the kernel kills a decoder and not the daemon or its
/// database. Needs no privilege; has no effect without /proc.
void raise_oom_score() {
    constexpr std::string_view highest{"1000"};  // proc(5)
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    static_cast<void>(write(file, highest.data(), highest.size()) < 0);
    close(file);
}

int reject_arguments(const error& cause) {
    std::fprintf(stderr, "reelsd-media: %s\n%s", cause.detail().c_str(), media::usage());
    return exit_usage;
}

int run_sandbox(int count, char** values) {
    const auto given = media::read_sandbox_arguments(count, values);
    if (!given) return reject_arguments(given.error());
    return die_with_parent(given->parent) ? media::run_sandboxed(*given) : exit_unwritten;
}

}  // namespace

int main(int count, char** values) {
    raise_oom_score();
    if (count > 1 && std::string_view{values[1]} == "fence") _exit(run_sandbox(count, values));
    const auto given = media::read_arguments(count, values);
    if (!given) return reject_arguments(given.error());
    if (!die_with_parent(given->parent)) return exit_unwritten;
    av_log_set_level(AV_LOG_QUIET);
    bool written = false;
    try {
        written = run_command(*given);
    } catch (const std::bad_alloc&) {
        written = media::write_error(
            error{errc::unsupported_format, "decoding needs more memory than the jail allows"});
    } catch (const std::system_error& failure) {
        // The machine's fault, for instance no further thread.
        written = media::write_error(error{errc::media_failed, failure.what()});
    } catch (const media::neural_failure& failure) {
        written = media::write_error(error{errc::media_failed, failure.what()});
    } catch (const std::exception& failure) {
        written = media::write_error(error{errc::unsupported_format, failure.what()});
    }
    // Skips the libraries' exit handlers, which may need forbidden calls.
    _exit(written ? 0 : exit_unwritten);
}
