// A compromised decoder: enters the jail, tries the action of its first argument, and writes
// "refused <errno>" or "done" to standard output. See jail_test.cpp.
#include "../../../src/media/child/jail.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

using namespace reelsd::media;

void print(const char* text) {
    if (write(STDOUT_FILENO, text, std::strlen(text)) < 0) _exit(9);
}

/// Reports one attempt; `failed`: whether the system denied it.
[[noreturn]] void report(bool failed) {
    char text[32];
    std::snprintf(text, sizeof text, "refused %d", errno);
    print(failed ? text : "done");
    _exit(0);
}

/// Allocates memory in steps of 16 MiB until that fails, and reports the MiB. Writes one byte of
/// each step: writing all would exceed the CPU time limit on machines with slow page faults.
[[noreturn]] void allocate_all(int flags) {
    constexpr std::size_t step = std::size_t{16} * 1024 * 1024;
    int megabytes = 0;
    for (;; megabytes += 16) {
        void* memory = mmap(nullptr, step, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (memory == MAP_FAILED) break;
        *static_cast<volatile char*>(memory) = 1;
    }
    char text[32];
    std::snprintf(text, sizeof text, "allocated %d", megabytes);
    print(text);
    _exit(0);
}

[[noreturn]] void spin() {
    volatile unsigned long turns = 0;
    for (;;) turns = turns + 1;
}

[[noreturn]] void connect_to_loopback() {
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (descriptor < 0) report(true);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(80);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    report(connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0);
}

[[noreturn]] void execute() {
    char program[] = "/bin/true";
    char* words[] = {program, nullptr};
    char* environment[] = {nullptr};
    report(execve(program, words, environment) != 0);
}

[[noreturn]] void make_code() {
    void* memory =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    report(memory == MAP_FAILED);
}

[[noreturn]] void attempt(std::string_view what, int video) {
    char byte = 0;
    if (what == "nothing") report(false);
    if (what == "read-video") report(read(video, &byte, 1) != 1);
    if (what == "read-input") report(read(STDIN_FILENO, &byte, 1) < 0);
    if (what == "home") report(open("/root/.profile", O_RDONLY) < 0);
    if (what == "passwd") report(open("/etc/passwd", O_RDONLY) < 0);
    if (what == "new-file") report(open("/tmp/hostile", O_WRONLY | O_CREAT, 0600) < 0);
    if (what == "new-folder") report(mkdir("/tmp/hostile", 0700) != 0);
    struct stat about = {};
    if (what == "stat") report(stat("/etc/passwd", &about) != 0);
    if (what == "socket") connect_to_loopback();
    if (what == "fork") report(fork() < 0);
    if (what == "exec") execute();
    if (what == "kill-parent") report(kill(getppid(), SIGTERM) != 0);
    if (what == "code") make_code();
    if (what == "memory") allocate_all(MAP_PRIVATE | MAP_ANONYMOUS);
    if (what == "shared-memory") allocate_all(MAP_SHARED | MAP_ANONYMOUS);
    if (what == "spin") spin();
    if (what == "abort") std::abort();
    _exit(8);
}

}  // namespace

/// hostile_child ATTEMPT FILE LAYERS. `LAYERS` is "all", or "unfiltered" for all but the filter.
int main(int count, char** values) {
    if (count != 4) return 64;
    const int video = open(values[2], O_RDONLY | O_CLOEXEC);
    const jail::limits within{
        .data_bytes_max = std::size_t{256} * 1024 * 1024, .cpu_seconds_max = 1};
    auto held = jail::confine(within, 0);
    if (std::string_view{values[3]} == "all") jail::seal(held, {.video = video});
    attempt(values[1], video);
}
