#include "child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <system_error>
#include <utility>

namespace reelsd::db {
namespace {

/// The step at which starting the program failed.
enum class step : std::uint8_t { prepare, become_user, watch_parent, execute };

struct step_failure {
    step at;
    int number;  ///< errno.
};

constexpr const char* text_of_step(step at) {
    switch (at) {
        case step::prepare: return "cannot set up its descriptors";
        case step::become_user: return "cannot become its user";
        case step::watch_parent: return "its parent has ended";
        case step::execute: return "cannot be executed";
    }
    return "";
}

/// Data for the child between fork and exec. Prepared before the fork, because the child may
/// neither allocate nor lock there.
struct launch {
    std::vector<char*> arguments;
    std::vector<char*> environment;
    const account* run_as;
    const char* folder;
    int input;
    int output;
    int report;  ///< Where a step_failure is written; closed by exec.
    pid_t parent;
};

/// Raw system calls: glibc's wrappers would signal every thread, but the child has only one.
bool become(const account& user) {
    return ::syscall(SYS_setgroups, 0, nullptr) == 0 &&
           ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) == 0 &&
           ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) == 0;
}

void default_signals() {
    for (const int number :
         {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2}) {
        ::signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the child has only one thread
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool take_descriptors(launch& startup) {
    constexpr int report = 3;
    // None of the three is below 3 (see start_child), so no copy overwrites another.
    if (::dup2(startup.input, 0) < 0 || ::dup2(startup.output, 1) < 0 ||
        ::dup2(startup.output, 2) < 0) {
        return false;
    }
    if (startup.report != report && ::dup3(startup.report, report, O_CLOEXEC) < 0) return false;
    startup.report = report;
    if (::syscall(SYS_close_range, report + 1, ~0U, 0) == 0) return true;
    // Older kernels and filters lack the call. The daemon's descriptors stay below this number.
    constexpr int descriptors_max = 4096;
    for (int number = report + 1; number < descriptors_max; ++number) ::close(number);
    return true;
}

step_failure become_program(launch& startup) {
    ::setsid();
    default_signals();
    if (!take_descriptors(startup)) return {step::prepare, errno};
    if (startup.run_as != nullptr && !become(*startup.run_as)) return {step::become_user, errno};
    // After the change of user, which clears it.
    if (::prctl(PR_SET_PDEATHSIG, SIGINT) != 0) return {step::watch_parent, errno};
    if (::getppid() != startup.parent) return {step::watch_parent, ESRCH};
    ::umask(S_IRWXG | S_IRWXO);
    if (::chdir(startup.folder) != 0) return {step::prepare, errno};
    ::execve(startup.arguments.front(), startup.arguments.data(), startup.environment.data());
    return {step::execute, errno};
}

[[noreturn]] void run_child(launch& startup) {
    const auto failure = become_program(startup);
    static_cast<void>(::write(startup.report, &failure, sizeof failure));
    ::_exit(127);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

unique_fd readable(const std::string& text) {
    if (text.empty()) return unique_fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    unique_fd file{::memfd_create("input", MFD_CLOEXEC)};
    const bool written =
        file && ::pwrite(file.get(), text.data(), text.size(), 0) == std::ssize(text);
    return written ? std::move(file) : unique_fd{};
}

/// Returns a descriptor of at least 3, clear of the child's standard descriptors.
unique_fd above_standard(unique_fd from) {
    if (!from || from.get() > 2) return from;
    return unique_fd{::fcntl(from.get(), F_DUPFD_CLOEXEC, 3)};
}

/// Changes the owner of a file, unless it has a second name, which may be a link to a file of root.
bool give_to(const account& owner, int file) {
    struct stat status = {};
    if (::fstat(file, &status) != 0) return false;
    if (status.st_uid == owner.uid || status.st_nlink != 1) return true;
    return ::fchown(file, owner.uid, owner.gid) == 0;
}

error cannot_start(const child_options& options, const std::string& why) {
    return error{errc::database_unavailable, fmt::format("{}: {}", options.arguments.front(), why)};
}

}  // namespace

std::string numbered_errno_text(int number) {
    return fmt::format("{} ({})", std::generic_category().message(number), number);
}

unique_fd watch_process(pid_t process) {
    return unique_fd{static_cast<int>(::syscall(SYS_pidfd_open, process, 0))};
}

result<pid_t> start_child(const child_options& options) {
    const auto input = above_standard(readable(options.input));
    const auto output = above_standard(unique_fd{::open(
        options.output.c_str(),
        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
        S_IRUSR | S_IWUSR)});
    if (!output) {
        return cannot_start(
            options, fmt::format("{}: {}", options.output.string(), numbered_errno_text(errno)));
    }
    // Otherwise only root could write to a file that a command of root created.
    if (options.run_as && !give_to(*options.run_as, output.get())) {
        return cannot_start(options, numbered_errno_text(errno));
    }
    std::array<int, 2> ends{};
    if (!input || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return cannot_start(options, numbered_errno_text(errno));
    }
    const unique_fd report_in{ends[0]};
    auto report_out = above_standard(unique_fd{ends[1]});

    auto arguments = options.arguments;
    // Not inherited: PGDATA, PGOPTIONS and similar variables would change the server.
    std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"};
    launch startup{
        .arguments = pointers_to(arguments),
        .environment = pointers_to(environment),
        .run_as = options.run_as ? &*options.run_as : nullptr,
        .folder = options.folder.c_str(),
        .input = input.get(),
        .output = output.get(),
        .report = report_out.get(),
        .parent = ::getpid()};

    const pid_t child = ::fork();
    if (child < 0) return cannot_start(options, numbered_errno_text(errno));
    if (child == 0) run_child(startup);

    report_out.close();  // Otherwise the read below never ends.
    step_failure failure{};
    const auto length = ::read(report_in.get(), &failure, sizeof failure);
    if (length != sizeof failure) return child;  // Closed by exec: it runs.
    ::waitpid(child, nullptr, 0);
    return cannot_start(
        options,
        fmt::format("{}: {}", text_of_step(failure.at), numbered_errno_text(failure.number)));
}

std::optional<int> wait_for_child(pid_t child, deadline by) {
    const auto watched = watch_process(child);
    for (;;) {
        int status = 0;
        const auto ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) return status;
        if (ended < 0 && errno != EINTR) return 0;  // Other code has reaped it.
        if (by.passed()) return {};
        // Without a descriptor to wait on, polls five times a second.
        const std::int64_t longest = watched ? 60'000 : 200;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(by.remaining()).count();
        pollfd process{watched.get(), POLLIN, 0};
        ::poll(&process, 1, static_cast<int>(std::min<std::int64_t>(left, longest)));
    }
}

result<std::optional<std::filesystem::path>> first_unreachable(
    const account& user, const std::vector<std::filesystem::path>& folders) {
    constexpr int cannot_become = 255;
    const pid_t child = ::fork();
    if (child < 0) return error{errc::database_unavailable, numbered_errno_text(errno)};
    if (child == 0) {
        if (!become(user)) ::_exit(cannot_become);
        int number = 0;
        for (const auto& folder : folders) {
            ++number;
            if (::chdir(folder.c_str()) != 0) ::_exit(number);
        }
        ::_exit(0);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const auto code =
        static_cast<std::size_t>(WIFEXITED(status) ? WEXITSTATUS(status) : cannot_become);
    if (code > folders.size()) {
        return error{
            errc::database_unavailable,
            fmt::format("cannot become user {} to run PostgreSQL", user.name)};
    }
    if (code == 0) return std::optional<std::filesystem::path>{};
    return std::optional{folders[code - 1]};
}

}  // namespace reelsd::db
