#pragma once

#include "support/paths.hpp"
#include <reelsd/base/clock.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace reelsd::db {

inline deadline soon() {
    constexpr std::chrono::seconds patience{120};
    return deadline::after(patience);
}

/// Another process that owns a cluster.
class owner_process {
public:
    explicit owner_process(
        const std::filesystem::path& data_dir,
        const std::filesystem::path& installations = "/usr/lib/postgresql") {
        std::array<int, 2> in{};
        std::array<int, 2> out{};
        if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error{"pipe2 failed"};
        }
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, in[0], 0);
        ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
        std::string program = REELSD_BINARY_DIR "/bin/cluster_owner";
        std::string folder = data_dir.native();
        std::string versions = installations.native();
        std::array<char*, 4> arguments{program.data(), folder.data(), versions.data(), nullptr};
        const int failed =
            ::posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(in[0]);
        ::close(out[1]);
        input_ = in[1];
        output_ = out[0];
        if (failed != 0) throw std::runtime_error{"cannot run " + program};
    }
    owner_process(const owner_process&) = delete;
    owner_process& operator=(const owner_process&) = delete;
    ~owner_process() {
        ::close(input_);
        ::close(output_);
        if (process_ > 0) end(SIGTERM);
    }

    /// Its first line.
    std::string line() const {
        std::string text;
        char next = 0;
        while (::read(output_, &next, 1) == 1 && next != '\n') text.push_back(next);
        return text;
    }

    void end(int signal) {
        ::kill(process_, signal);
        ::waitpid(process_, nullptr, 0);
        process_ = 0;
    }

private:
    pid_t process_ = 0;
    int input_ = -1;
    int output_ = -1;
};

}  // namespace reelsd::db
