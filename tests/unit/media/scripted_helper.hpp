#pragma once

#include <reelsd/media/media_client.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace reelsd::media {

[[nodiscard]] inline deadline far_away() {
    return deadline::after(std::chrono::seconds{60});
}

/// A helper that is a shell script, in its own folder.
class scripted_helper {
public:
    explicit scripted_helper(const std::string& script) {
        std::string name = std::filesystem::temp_directory_path() / "reelsd-media-XXXXXX";
        folder_ = mkdtemp(name.data());
        std::ofstream{path()} << "#!/bin/sh\n" << script << "\n";
        chmod(path().c_str(), 0700);
    }
    scripted_helper(const scripted_helper&) = delete;
    scripted_helper& operator=(const scripted_helper&) = delete;
    ~scripted_helper() { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::filesystem::path path() const { return folder_ / "helper"; }
    [[nodiscard]] std::filesystem::path folder() const { return folder_; }

    [[nodiscard]] media_options options() const { return {.helper = path()}; }

private:
    std::filesystem::path folder_;
};

}  // namespace reelsd::media
