#include "sandbox.hpp"

#include "jail.hpp"
#include "system_call_filter.hpp"
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

/// Python with yt-dlp maps 300 MiB. Its own program file unpacks libraries of up to 30 MiB.
constexpr rlim_t space_bytes_max = rlim_t{1} << 30U;
constexpr rlim_t file_bytes_max = rlim_t{64} << 20U;
/// The daemon stops it after 30 s.
constexpr rlim_t cpu_seconds_max = 30;
constexpr rlim_t descriptors_max = 256;
/// Bounds a fork bomb. Without a user namespace of its own, and before Linux 5.14, the kernel
/// counts all threads of this user, the daemon's and its database's among them.
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
/// Everything but to execute, to make devices (bits 6 and 11), and to control them.
constexpr std::uint64_t write_rights = 0x7fffU & ~(std::uint64_t{execute} | 1U << 6U | 1U << 11U);

/// The kernel's structures, which newer headers have.
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

std::string text_of(std::string_view step, int code) {
    return std::string{step} + ": " + std::generic_category().message(code);
}

/// What the caller of the sandbox reads as the cause.
int not_sandboxed(const std::string& why) {
    std::fprintf(stderr, "reelsd-media: fence: %s\n", why.c_str());
    return exit_not_sandboxed;
}

namespace fs = std::filesystem;

std::vector<std::string> matching(const char* pattern) {
    glob_t found{};
    std::vector<std::string> paths;
    if (glob(pattern, 0, nullptr, &found) == 0)
        paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
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

/// Where the system keeps programs, libraries, certificates and how names are looked up. Of /etc
/// single names: the rest of it may hold keys.
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

/// What `program` consists of outside of them: its own file, the folder of libraries beside it, and
/// when it is a script, its interpreter with that one's virtual environment and libraries.
std::vector<std::string> paths_of_program(const std::string& program) {
    std::error_code failure;
    const fs::path file = fs::weakly_canonical(program, failure);
    std::vector<std::string> paths{file.string(), (file.parent_path() / "_internal").string()};
    const fs::path interpreter = interpreter_of(program);
    if (interpreter.empty()) return paths;
    paths.push_back(interpreter.string());
    // Only what Python reads of them: a home may be the place of an installation.
    const auto environment = installation_of(interpreter);
    paths.push_back((environment / "pyvenv.cfg").string());
    for (auto& path : matching((environment / "lib/python3*").c_str())) paths.push_back(path);
    const auto installed = installation_of(fs::weakly_canonical(interpreter, failure)) / "lib";
    for (auto& path : matching((installed / "*python3*").c_str())) paths.push_back(path);
    return paths;
}

/// A path that is not there needs no rule.
bool allow_path(int ruleset, const std::string& path, std::uint64_t rights) {
    const unique_fd place{open(path.c_str(), O_PATH | O_CLOEXEC)};
    if (!place) return true;
    struct stat about {};
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

/// Empty when it holds, or why it does not.
std::string enter_landlock(const sandbox_arguments& given) {
    const long version = jail::landlock_version();
    if (version < 1) return text_of("landlock", errno);
    const auto handled = jail::everything(version);
    const unique_fd ruleset{
        static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0))};
    if (!ruleset || !add_rules(ruleset.get(), given, handled) ||
        syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
        return text_of("landlock", errno);
    }
    return {};
}

bool set_limits() {
    // A sanitized program of ours could not even reach the other one.
    constexpr std::array<std::pair<int, rlim_t>, 5> limits{
        {{RLIMIT_CPU, cpu_seconds_max},
         {RLIMIT_FSIZE, file_bytes_max},
         {RLIMIT_NOFILE, descriptors_max},
         {RLIMIT_NPROC, processes_max},
         {RLIMIT_CORE, 0}}};
    bool set = true;
    for (const auto& [resource, most] : limits) set = jail::limit(resource, most) && set;
#ifndef REELSD_MEDIA_SANITIZED
    set = jail::limit(RLIMIT_AS, space_bytes_max) && set;
#endif
    return set;
}

/// Becomes the program. Returns when a layer that has to hold does not, or the program cannot be
/// run.
int enter_and_execute(const sandbox_arguments& given) {
    std::string missing = enter_landlock(given);
    if (const int failed = jail::load_sandbox_filter(); failed != 0)
        missing.append(missing.empty() ? "" : "; ").append(text_of("system call filter", failed));
    if (!missing.empty() && given.jail == jail_policy::require)
        return not_sandboxed("incomplete (jail = require): " + missing);
    if (!set_limits()) return not_sandboxed(text_of("resource limits", errno));
    execv(given.program[0], given.program);
    return not_sandboxed(text_of(given.program[0], errno));
}

/// A pipe whose writing end only the process that makes it keeps: its children see by its end
/// whether that process has died before they could ask to die with it.
struct life_line {
    unique_fd reader;
    unique_fd writer;
};

life_line make_life_line() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    return {.reader = unique_fd{ends[0]}, .writer = unique_fd{ends[1]}};
}

bool dies_with_parent(life_line& line) {
    line.writer.close();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
    pollfd parent{line.reader.get(), 0, 0};
    return poll(&parent, 1, 0) == 0;
}

/// The first process of the namespace: when it ends, the kernel ends all others in it, whatever
/// session or group they are in.
[[noreturn]] void be_first_process(life_line& line) {
    std::signal(SIGCHLD, SIG_IGN);  // Orphans are its children.
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(standard);
    if (!dies_with_parent(line)) _exit(exit_not_sandboxed);
    for (;;) pause();
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/// Ends as the program did, so that the daemon sees its status or signal.
int end_as(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    std::signal(WTERMSIG(status), SIG_DFL);
    std::raise(WTERMSIG(status));
    return exit_not_sandboxed;
}

/// Runs the program as the second process of the new namespace. This process is outside of it.
int run_in_namespace(const sandbox_arguments& given) {
    auto line = make_life_line();
    if (!line.reader) return not_sandboxed(text_of("pipe", errno));
    const pid_t first = fork();
    if (first == 0) be_first_process(line);
    const pid_t program = first < 0 ? -1 : fork();
    if (program == 0) _exit(dies_with_parent(line) ? enter_and_execute(given) : exit_not_sandboxed);
    const int failed = errno;
    const int status = program < 0 ? 0 : wait_for(program);
    if (first > 0) {
        kill(first, SIGKILL);
        wait_for(first);  // Until all in the namespace are gone.
    }
    return program < 0 ? not_sandboxed(text_of("fork", failed)) : end_as(status);
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
        return not_sandboxed(text_of("no new privileges", errno));
    const bool is_apart = unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC) == 0;
    if (!jail::drop_capabilities()) return not_sandboxed(text_of("capabilities", errno));
    return is_apart ? run_in_namespace(given) : enter_and_execute(given);
}

}  // namespace reelsd::media
