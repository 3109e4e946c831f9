#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" char** environ;

namespace reelsd::test {

/// A stand-in program (tests/support/*.py) that prints its port and ends with our end of its input.
class stand_in_process {
public:
    /// `arguments`: behind the script's own "--port 0 --exit-with-stdin". Throws when it does not
    /// start.
    explicit stand_in_process(const std::string& script, std::vector<std::string> arguments = {}) {
        std::array<int, 2> input{};
        std::array<int, 2> output{};
        if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0)
            throw std::runtime_error{"stand_in_process: no pipe"};
        keep_alive_ = input[1];

        std::vector<std::string> words{
            "/usr/bin/python3", "-B", script, "--port", "0", "--exit-with-stdin"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (auto& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);

        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
        const int failure =
            ::posix_spawn(&child_, argv[0], &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        ::close(input[0]);
        ::close(output[1]);
        std::string line;
        char c = 0;
        while (failure == 0 && ::read(output[0], &c, 1) == 1 && c != '\n') line.push_back(c);
        ::close(output[0]);
        if (line.empty()) {
            stop();
            throw std::runtime_error{"stand_in_process: " + script + " does not start"};
        }
        origin_ = "http://127.0.0.1:" + line;
    }

    ~stand_in_process() { stop(); }
    stand_in_process(const stand_in_process&) = delete;
    stand_in_process& operator=(const stand_in_process&) = delete;

    /// "http://127.0.0.1:<port>"
    [[nodiscard]] const std::string& origin() const noexcept { return origin_; }

private:
    void stop() {
        ::close(keep_alive_);
        if (child_ > 0) ::waitpid(child_, nullptr, 0);
        child_ = -1;
    }

    int keep_alive_ = -1;
    pid_t child_ = -1;
    std::string origin_;
};

}  // namespace reelsd::test
