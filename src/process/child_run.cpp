#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/process/child_run.hpp>

#include <boost/core/noncopyable.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ranges>
#include <span>
#include <system_error>
#include <utility>

namespace reelsd::process {
namespace {

namespace fs = std::filesystem;

/// A failed step of starting a child.
struct start_failure {
    std::string_view step;
    int code = 0;  ///< errno
};

template <class T>
using attempt = boost::system::result<T, start_failure>;

child_end not_started(const start_failure& why) {
    child_end end;
    end.outcome = child_outcome::not_started;
    end.status = why.code;
    end.error_output.append(why.step).append(": ").append(errno_text(why.code));
    return end;
}

struct pipe_ends {
    unique_fd reader;
    unique_fd writer;
};

/// Both ends close on exec and are above 2, so that they do not overwrite each other when they
/// become the child's standard streams.
attempt<pipe_ends> make_pipe() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return start_failure{"pipe", errno};
    pipe_ends raw{.reader = unique_fd{ends[0]}, .writer = unique_fd{ends[1]}};
    pipe_ends above{
        .reader = unique_fd{fcntl(ends[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1)},
        .writer = unique_fd{fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1)}};
    if (!above.reader || !above.writer) return start_failure{"pipe", errno};
    return above;
}

/// A pipe whose reader does not block.
attempt<pipe_ends> make_output_pipe() {
    auto ends = make_pipe();
    if (ends && fcntl(ends->reader.get(), F_SETFL, O_NONBLOCK) != 0)
        return start_failure{"pipe", errno};
    return ends;
}

class spawn_tables : boost::noncopyable {
public:
    spawn_tables() {
        invariant(posix_spawn_file_actions_init(&files) == 0);
        invariant(posix_spawnattr_init(&attributes) == 0);
    }
    ~spawn_tables() {
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&files);
    }

    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
};

/// Open descriptors for the standard streams; `input` -1: /dev/null.
struct standard_streams {
    int input;
    int output;
    int error_output;
};

/// The child's descriptors are 0 to 2, and `passed_descriptor` if any. All others are closed.
int lay_out_files(posix_spawn_file_actions_t& files, int passed, const standard_streams& streams) {
    int failed =
        streams.input < 0
            ? posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            : posix_spawn_file_actions_adddup2(&files, streams.input, STDIN_FILENO);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(&files, streams.output, STDOUT_FILENO);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(&files, streams.error_output, STDERR_FILENO);
    const int first_closed = passed < 0 ? passed_descriptor : passed_descriptor + 1;
    if (failed == 0 && passed >= 0)
        failed = posix_spawn_file_actions_adddup2(&files, passed, passed_descriptor);
    if (failed == 0) failed = posix_spawn_file_actions_addclosefrom_np(&files, first_closed);
    return failed;
}

/// A new process group, so that one kill reaches all. No blocked or ignored signal is inherited.
int lay_out_signals(posix_spawnattr_t& attributes) {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawnattr_setpgroup(&attributes, 0);
    if (failed == 0) failed = posix_spawnattr_setsigmask(&attributes, &none);
    if (failed == 0) failed = posix_spawnattr_setsigdefault(&attributes, &all);
    if (failed == 0) {
        failed = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    return failed;
}

/// execve takes mutable text, but does not change it.
std::vector<char*> pointers_to(std::span<const std::string> texts) {
    std::vector<char*> pointers;
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

attempt<pid_t> spawn(const child_command& command, const standard_streams& streams) {
    spawn_tables tables;
    int failed = lay_out_files(tables.files, command.passed, streams);
    if (failed == 0 && !command.folder.empty())
        failed = posix_spawn_file_actions_addchdir_np(&tables.files, command.folder.c_str());
    if (failed == 0) failed = lay_out_signals(tables.attributes);
    if (failed != 0) return start_failure{"preparing", failed};

    std::vector<std::string> words{command.program};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    const auto arguments = pointers_to(words);
    const auto environment = pointers_to(command.environment);
    pid_t child = -1;
    failed = posix_spawn(
        &child,
        command.program.c_str(),
        &tables.files,
        &tables.attributes,
        arguments.data(),
        environment.data());
    if (failed != 0) return start_failure{command.program, failed};
    return child;
}

/// A child that is killed with its group and reaped when this goes out of scope.
class running_child {
public:
    explicit running_child(pid_t child)
        : child_{child}, pidfd_{static_cast<int>(syscall(SYS_pidfd_open, child, 0))} {}
    ~running_child() { reap(); }

    /// Becomes readable when the child ends.
    [[nodiscard]] const unique_fd& ended() const noexcept { return pidfd_; }

    /// The group's number is not reused before the leader is reaped.
    void kill_group() const noexcept { kill(-child_, SIGKILL); }

    struct end_report {
        int status = 0;
        rusage usage{};
    };
    end_report reap() noexcept {
        end_report report;
        if (child_ < 0) return report;
        kill_group();
        while (wait4(child_, &report.status, 0, &report.usage) < 0 && errno == EINTR) {
        }
        child_ = -1;
        return report;
    }

private:
    pid_t child_;
    unique_fd pidfd_;
};

void keep_tail(std::string& tail, std::string_view more) {
    tail.append(more);
    if (tail.size() > child_error_output_bytes_max) {
        tail.erase(0, tail.size() - child_error_output_bytes_max);
    }
}

class output_reader {
public:
    struct sources {
        unique_fd output;
        unique_fd error_output;
        const unique_fd& ended;
        int stop_event;
    };

    /// `input`: the writer of the child's standard input, for the command's reply.
    output_reader(sources from, unique_fd input, const child_command& command)
        : output_{std::move(from.output)},
          error_output_{std::move(from.error_output)},
          ended_{from.ended},
          stop_event_{from.stop_event},
          input_{std::move(input)},
          command_{command} {}

    child_outcome read_until_end(child_end& end, deadline by) {
        for (;;) {
            std::array<pollfd, 4> waited{
                pollfd{output_.get(), POLLIN, 0},
                pollfd{error_output_.get(), POLLIN, 0},
                pollfd{ended_.get(), POLLIN, 0},
                pollfd{stop_event_, POLLIN, 0}};
            wait(waited, by);
            if (waited[3].revents != 0) return child_outcome::stopped;
            if (waited[0].revents != 0) read_some(output_, end);
            if (waited[1].revents != 0) read_some(error_output_, end);
            if (end.output.size() > command_.output_bytes_max) return child_outcome::flooding;
            if (input_ && end.output.ends_with('\n')) reply_to(std::exchange(end.output, {}));
            if (waited[2].revents != 0) return child_outcome::exited;
            if (by.passed()) return child_outcome::overdue;
        }
    }

    /// Reads the rest of the pipes after the child's end. A pipe holds 64 KiB (pipe(7)); sixteen
    /// times that means that a descendant still writes.
    void drain(child_end& end) {
        for (int round = 0; round < 64 && (output_ || error_output_); ++round) {
            const bool more = read_some(output_, end);
            if (!read_some(error_output_, end) && !more) return;
        }
    }

private:
    void reply_to(const std::string& output) {
        const auto reply = command_.reply(output);
        invariant(reply.size() <= reply_bytes_max);
        // It does not fail or block: this process has the reader open too, and the pipe is empty.
        static_cast<void>(write_all(input_.get(), reply));
        input_.close();
    }

    /// Waits until the deadline at most. An interruption returns no events.
    static void wait(std::array<pollfd, 4>& waited, deadline by) {
        const auto left = std::chrono::ceil<std::chrono::nanoseconds>(by.remaining()).count();
        const timespec timeout{
            .tv_sec = static_cast<time_t>(left / 1'000'000'000),
            .tv_nsec = static_cast<long>(left % 1'000'000'000)};
        if (ppoll(waited.data(), waited.size(), &timeout, nullptr) < 0) {
            for (auto& source : waited) source.revents = 0;
        }
    }

    /// Reads once; false when there was nothing. A pipe at its end is closed; poll ignores its -1.
    bool read_some(unique_fd& from, child_end& end) {
        if (!from) return false;
        std::array<char, std::size_t{16} * 1024> buffer{};
        const ssize_t count = read(from.get(), buffer.data(), buffer.size());
        if (count < 0) return errno == EINTR;
        if (count == 0) {
            from.close();
            return false;
        }
        const std::string_view piece{buffer.data(), static_cast<std::size_t>(count)};
        if (&from == &output_) {
            end.output.append(piece);
        } else {
            keep_tail(end.error_output, piece);
        }
        return true;
    }

    unique_fd output_;
    unique_fd error_output_;
    const unique_fd& ended_;
    int stop_event_;
    unique_fd input_;
    const child_command& command_;
};

bool is_program(const fs::path& file) {
    std::error_code failure;
    return fs::is_regular_file(file, failure) && ::access(file.c_str(), X_OK) == 0;
}

std::chrono::duration<double> seconds_of(const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
}

}  // namespace

child_end run_child(const child_command& command, deadline by, const std::stop_token& stop) {
    auto output = make_output_pipe();
    if (!output) return not_started(output.error());
    auto error_output = make_output_pipe();
    if (!error_output) return not_started(error_output.error());
    auto input = command.reply ? make_pipe() : pipe_ends{};
    if (!input) return not_started(input.error());
    const unique_fd stop_event{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!stop_event) return not_started({.step = "eventfd", .code = errno});
    const std::stop_callback wake{stop, [&stop_event] { eventfd_write(stop_event.get(), 1); }};

    const auto started = deadline::clock::now();
    const bool is_kept = command.standard_output < 0;
    const auto spawned = spawn(
        command,
        {.input = input->reader.get(),
         .output = is_kept ? output->writer.get() : command.standard_output,
         .error_output = error_output->writer.get()});
    if (!spawned) return not_started(spawned.error());
    running_child child{*spawned};
    if (!child.ended()) return not_started({.step = "pidfd_open", .code = errno});
    // Only the child has the write ends now: the pipes end with it.
    output->writer.close();
    error_output->writer.close();

    child_end end;
    output_reader reader{
        {.output = std::move(output->reader),
         .error_output = std::move(error_output->reader),
         .ended = child.ended(),
         .stop_event = stop_event.get()},
        std::move(input->writer),
        command};
    end.outcome = reader.read_until_end(end, by);
    const auto report = child.reap();
    reader.drain(end);
    end.lived = deadline::clock::now() - started;
    end.computed = seconds_of(report.usage.ru_utime) + seconds_of(report.usage.ru_stime);
    if (end.outcome != child_outcome::exited) return end;
    if (WIFSIGNALED(report.status)) {
        end.outcome = child_outcome::signalled;
        end.status = WTERMSIG(report.status);
    } else {
        end.status = WEXITSTATUS(report.status);
    }
    if (end.output.size() > command.output_bytes_max) end.outcome = child_outcome::flooding;
    return end;
}

result<void> check_kernel() {
    const unique_fd self{static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0))};
    if (self) return {};
    return error{
        errc::internal,
        "pidfd_open: " + errno_text(errno) +
            "; reelsd needs Linux 5.3 or later, and a container engine that allows this call"};
}

std::string signal_name(int number) {
    const char* name = sigabbrev_np(number);
    return name == nullptr ? "signal " + std::to_string(number) : std::string{"SIG"} + name;
}

std::optional<fs::path> find_program(std::string_view name, std::string_view search_path) {
    if (name.empty()) return std::nullopt;
    if (name.find('/') != std::string_view::npos) {
        std::error_code failure;
        auto file = fs::absolute(name, failure);
        return !failure && is_program(file) ? std::optional{std::move(file)} : std::nullopt;
    }
    for (const auto part : std::views::split(search_path, ':')) {
        const fs::path folder{part.begin(), part.end()};
        if (folder.is_absolute() && is_program(folder / name)) return folder / name;
    }
    return std::nullopt;
}

std::string_view search_path() {
    // No thread changes the environment.
    const char* const folders = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
    return folders == nullptr ? "/usr/local/bin:/usr/bin:/bin" : folders;
}

}  // namespace reelsd::process
