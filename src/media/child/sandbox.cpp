#include "sandbox.hpp"

#include "jail.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace reelsd::media {
namespace {

/// Python with yt-dlp maps 300 MiB. A packed yt-dlp extracts libraries of up to 30 MiB.
constexpr rlim_t space_bytes_max = rlim_t{1} << 30U;
constexpr rlim_t file_bytes_max = rlim_t{64} << 20U;
/// The daemon stops it after 30 s.
constexpr rlim_t cpu_seconds_max = 30;
constexpr rlim_t descriptors_max = 256;
/// Limits a fork bomb. Without a separate user namespace, and before Linux 5.14, the kernel counts
/// all threads of this user, including the daemon's and its database's.
constexpr rlim_t processes_max = 1024;

/// Rights of landlock(7).
enum landlock_right : std::uint64_t {
    execute = 1U << 0U,
    write_file = 1U << 1U,
    read_file = 1U << 2U,
    read_folder = 1U << 3U,
    truncate_file = 1U << 14U,
    device_control = 1U << 15U,
    connect_tcp = 1U << 1U,
};
constexpr std::uint64_t read_rights = execute | read_file | read_folder;
constexpr std::uint64_t file_rights =
    execute | write_file | read_file | truncate_file | device_control;
/// Everything except executing, creating devices (bits 6 and 11) and controlling them.
constexpr std::uint64_t write_rights = 0x7fffU & ~(std::uint64_t{execute} | 1U << 6U | 1U << 11U);

/// The kernel's structures, for older headers.
struct [[gnu::packed]] path_rule {
    std::uint64_t rights;
    std::int32_t folder;
};
struct port_rule {
    std::uint64_t rights;
    std::uint64_t port;
};
constexpr int path_rule_kind = 1;
constexpr int port_rule_kind = 2;

/// Writes the cause for the caller of the sandbox.
int not_sandboxed(const std::string& why) {
    std::fprintf(stderr, "reelsd-media: fence: %s\n", why.c_str());
    return exit_not_sandboxed;
}

namespace fs = std::filesystem;
using jail::failure_text;

std::vector<std::string> matching(const char* pattern) {
    glob_t matches{};
    std::vector<std::string> paths;
    if (glob(pattern, 0, nullptr, &matches) == 0)
        paths.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    globfree(&matches);
    return paths;
}

/// The program after "#!", of which the kernel reads 256 bytes (execve(2)); empty for none.
std::string interpreter_of(const std::string& program) {
    std::string head(256, '\0');
    std::ifstream file{program, std::ios::binary};
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (!head.starts_with("#!")) return {};
    const auto start = head.find_first_not_of(" \t", 2);
    if (start == std::string::npos) return {};
    return head.substr(start, head.find_first_of(std::string_view{" \t\n\0", 4}, start) - start);
}

/// "/opt/python" of "/opt/python/bin/python3".
fs::path installation_of(const fs::path& interpreter) {
    return interpreter.parent_path().parent_path();
}

/// System programs, libraries, certificates and name resolution. Of /etc only single files, because
/// others may contain keys.
std::vector<std::string> system_paths() {
    std::vector<std::string> paths{
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/dev/zero",
        "/dev/random",
        "/dev/urandom",
        "/etc/ssl",
        "/etc/pki",
        "/etc/crypto-policies",
        "/etc/ca-certificates",
        "/etc/gai.conf",
        "/etc/host.conf",
        "/etc/hosts",
        "/etc/ld.so.cache",
        "/etc/localtime",
        "/etc/mime.types",
        "/etc/nsswitch.conf",
        "/etc/resolv.conf",
        "/etc/services"};
    for (auto& path : matching("/etc/python3*")) paths.push_back(std::move(path));
    return paths;
}

/// Paths of `program` outside of system_paths(): its file, the folder of libraries next to it, and
/// for a script its interpreter with virtual environment and libraries.
std::vector<std::string> paths_of_program(const std::string& program) {
    std::error_code failure;
    const fs::path file = fs::weakly_canonical(program, failure);
    std::vector<std::string> paths{file.string(), (file.parent_path() / "_internal").string()};
    const fs::path interpreter = interpreter_of(program);
    if (interpreter.empty()) return paths;
    paths.push_back(interpreter.string());
    // Only the files that Python reads, because the installation may be in a home folder.
    const auto environment = installation_of(interpreter);
    paths.push_back((environment / "pyvenv.cfg").string());
    for (auto& path : matching((environment / "lib/python3*").c_str())) paths.push_back(path);
    const auto installed = installation_of(fs::weakly_canonical(interpreter, failure)) / "lib";
    for (auto& path : matching((installed / "*python3*").c_str())) paths.push_back(path);
    return paths;
}

/// A missing path needs no rule.
bool allow_path(int ruleset, const std::string& path, std::uint64_t rights) {
    const unique_fd place{open(path.c_str(), O_PATH | O_CLOEXEC)};
    if (!place) return true;
    struct stat about = {};
    if (fstat(place.get(), &about) != 0) return false;
    if (!S_ISDIR(about.st_mode)) rights &= file_rights;
    const path_rule rule{.rights = rights, .folder = place.get()};
    return syscall(SYS_landlock_add_rule, ruleset, path_rule_kind, &rule, 0) == 0;
}

bool allow_port(int ruleset, std::uint16_t port) {
    const port_rule rule{.rights = connect_tcp, .port = port};
    return syscall(SYS_landlock_add_rule, ruleset, port_rule_kind, &rule, 0) == 0;
}

bool add_rules(int ruleset, const sandbox_arguments& given, const jail::landlock_rules& handled) {
    bool added = allow_path(ruleset, "/dev/null", (read_file | write_file) & handled.files);
    for (const auto& path : system_paths()) added = added && allow_path(ruleset, path, read_rights);
    for (const auto& path : paths_of_program(given.program[0]))
        added = added && allow_path(ruleset, path, read_rights);
    for (const auto& path : given.readable) added = added && allow_path(ruleset, path, read_rights);
    for (const auto& path : given.writable)
        added = added && allow_path(ruleset, path, write_rights & handled.files);
    if (handled.network == 0) return added;
    for (const auto port : given.ports) added = added && allow_port(ruleset, port);
    return added;
}

/// Returns the cause of a failure; empty on success.
std::string enter_landlock(const sandbox_arguments& given) {
    const long version = jail::landlock_version();
    if (version < 1) return failure_text("landlock", errno);
    const auto handled = jail::all_landlock_rules(version);
    const unique_fd ruleset{
        static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0))};
    if (!ruleset || !add_rules(ruleset.get(), given, handled) ||
        syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
        return failure_text("landlock", errno);
    }
    return {};
}

bool set_limits() {
    constexpr std::array<std::pair<int, rlim_t>, 5> limits{
        {{RLIMIT_CPU, cpu_seconds_max},
         {RLIMIT_FSIZE, file_bytes_max},
         {RLIMIT_NOFILE, descriptors_max},
         {RLIMIT_NPROC, processes_max},
         {RLIMIT_CORE, 0}}};
    bool set = true;
    for (const auto& [resource, most] : limits) set = jail::limit(resource, most) && set;
#ifndef REELSD_MEDIA_SANITIZED  // A sanitizer's shadow memory exceeds it.
    set = jail::limit(RLIMIT_AS, space_bytes_max) && set;
#endif
    return set;
}

/// Executes the program. Returns only if a required layer fails or the program cannot be run.
int enter_and_execute(const sandbox_arguments& given) {
    std::string missing = enter_landlock(given);
    if (const int failed = jail::load_sandbox_filter(); failed != 0)
        missing.append(missing.empty() ? "" : "; ")
            .append(failure_text("system call filter", failed));
    if (!missing.empty() && given.jail == jail_policy::require)
        return not_sandboxed("incomplete (jail = require): " + missing);
    if (!set_limits()) return not_sandboxed(failure_text("resource limits", errno));
    execv(given.program[0], given.program);
    return not_sandboxed(failure_text(given.program[0], errno));
}

/// A pipe whose write end only the parent keeps. Its end tells a child that the parent died before
/// the child could request a signal for that.
struct parent_pipe {
    unique_fd reader;
    unique_fd writer;
};

parent_pipe make_parent_pipe() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    return {.reader = unique_fd{ends[0]}, .writer = unique_fd{ends[1]}};
}

bool dies_with_parent(parent_pipe& pipe) {
    pipe.writer.close();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
    pollfd parent{pipe.reader.get(), 0, 0};
    return poll(&parent, 1, 0) == 0;
}

/// The first process of the namespace. When it ends, the kernel kills all others in it.
[[noreturn]] void run_init_process(parent_pipe& pipe) {
    std::signal(SIGCHLD, SIG_IGN);  // Orphans become its children.
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(standard);
    if (!dies_with_parent(pipe)) _exit(exit_not_sandboxed);
    for (;;) pause();
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/// Ends with the status or signal of the program, for the daemon.
int end_as(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    std::signal(WTERMSIG(status), SIG_DFL);
    std::raise(WTERMSIG(status));
    return exit_not_sandboxed;
}

/// Runs the program as the second process of the new namespace, which excludes this process.
int run_in_namespace(const sandbox_arguments& given) {
    auto pipe = make_parent_pipe();
    if (!pipe.reader) return not_sandboxed(failure_text("pipe", errno));
    const pid_t first = fork();
    if (first == 0) run_init_process(pipe);
    const pid_t program = first < 0 ? -1 : fork();
    if (program == 0) _exit(dies_with_parent(pipe) ? enter_and_execute(given) : exit_not_sandboxed);
    const int failed = errno;
    const int status = program < 0 ? 0 : wait_for(program);
    if (first > 0) {
        kill(first, SIGKILL);
        wait_for(first);  // Returns when all processes of the namespace have ended.
    }
    return program < 0 ? not_sandboxed(failure_text("fork", failed)) : end_as(status);
}

bool set_option(sandbox_arguments& given, std::string_view name, const char* value) {
    if (name == "--read") return given.readable.emplace_back(value), true;
    if (name == "--write") return given.writable.emplace_back(value), true;
    if (name == "--connect") {
        const auto port = parse_number<std::uint16_t>(value);
        given.ports.push_back(port.value_or(0));
        return port > 0;
    }
    if (name == "--parent") {
        given.parent = parse_number<int>(value).value_or(0);
        return given.parent > 0;
    }
    const auto policy = jail_policy_named(value);
    given.jail = policy.value_or(given.jail);
    return name == "--jail" && policy;
}

}  // namespace

result<sandbox_arguments> read_sandbox_arguments(int count, char** values) {
    sandbox_arguments given;
    for (int at = 2; at < count; at += 2) {
        const std::string_view name{values[at]};
        if (name == "--" && at + 1 < count) {
            given.program = values + at + 1;
            return given;
        }
        if (at + 1 == count || !set_option(given, name, values[at + 1]))
            return error{errc::invalid_argument, "fence: " + std::string{name}};
    }
    return error{errc::invalid_argument, "fence: no program"};
}

int run_sandboxed(const sandbox_arguments& given) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return not_sandboxed(failure_text("no new privileges", errno));
    const bool is_isolated = unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC) == 0;
    if (!jail::drop_capabilities()) return not_sandboxed(failure_text("capabilities", errno));
    return is_isolated ? run_in_namespace(given) : enter_and_execute(given);
}

}  // namespace reelsd::media
