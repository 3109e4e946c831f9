#include "fence_files.hpp"

#include <glob.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace reelsd::media {
namespace {

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

}  // namespace

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

}  // namespace reelsd::media
