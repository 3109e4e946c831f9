#include <reelsd/process/find_program.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

namespace reelsd::process {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& file) {
    std::error_code failure;
    return fs::is_regular_file(file, failure) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<fs::path> find_program(std::string_view name, std::string_view search_path) {
    if (name.empty()) return std::nullopt;
    if (name.find('/') != std::string_view::npos) {
        std::error_code failure;
        auto file = fs::absolute(name, failure);
        return !failure && is_program(file) ? std::optional{std::move(file)} : std::nullopt;
    }
    for (std::size_t start = 0; start < search_path.size();) {
        const auto end = std::min(search_path.find(':', start), search_path.size());
        const fs::path folder{search_path.substr(start, end - start)};
        if (folder.is_absolute() && is_program(folder / name)) return folder / name;
        start = end + 1;
    }
    return std::nullopt;
}

std::string_view search_path() {
    // Nobody changes the environment after the start of main().
    const char* const folders = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
    return folders == nullptr ? "/usr/local/bin:/usr/bin:/bin" : folders;
}

}  // namespace reelsd::process
