// A child that misbehaves as its first argument says; see child_run_test.cpp and
// media_client_test.cpp.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

extern char** environ;

namespace {

[[noreturn]] void hang() {
    for (;;) pause();
}

/// Prints its process id and that of a descendant in its group, which holds its pipes; then hangs.
[[noreturn]] void leave_a_descendant() {
    const pid_t descendant = fork();
    if (descendant == 0) hang();
    std::printf("%d %d\n", static_cast<int>(getpid()), static_cast<int>(descendant));
    std::fflush(stdout);
    hang();
}

[[noreturn]] void spin() {
    volatile unsigned long turns = 0;
    for (;;) turns = turns + 1;
}

[[noreturn]] void flood(int descriptor) {
    const std::string chunk(65'536, 'x');
    for (;;) {
        if (write(descriptor, chunk.data(), chunk.size()) < 0) _exit(0);
    }
}

void list_environment() {
    for (char** one = environ; *one != nullptr; ++one) std::puts(*one);
}

/// Which of the first 256 descriptors are open.
void list_descriptors() {
    for (int number = 0; number < 256; ++number) {
        if (dup2(number, number) == number) std::printf("%d ", number);
    }
}

}  // namespace

int main(int count, char** values) {
    if (count < 2) return 64;
    const std::string_view mode = values[1];
    if (mode == "echo") return std::fputs(values[2], stdout) < 0;
    if (mode == "exit") return std::atoi(values[2]);
    if (mode == "print_error") {
        std::fprintf(stderr, "%s%s", std::string(5'000, 'a').c_str(), "last words");
        return 3;
    }
    if (mode == "environment") list_environment();
    if (mode == "descriptors") list_descriptors();
    if (mode == "crash") std::raise(SIGSEGV);
    if (mode == "raise") std::raise(std::atoi(values[2]));
    if (mode == "hang") hang();
    if (mode == "spin") spin();
    if (mode == "flood") flood(STDOUT_FILENO);
    if (mode == "flood-errors") flood(STDERR_FILENO);
    if (mode == "stubborn") {
        std::signal(SIGTERM, SIG_IGN);
        std::signal(SIGINT, SIG_IGN);
        hang();
    }
    if (mode == "descendant") leave_a_descendant();
    if (mode == "orphan") {
        // Ends immediately, while a descendant keeps the pipes open.
        if (fork() == 0) hang();
        std::printf("{}");
    }
    return 0;
}
