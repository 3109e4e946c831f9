#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace reelsd::media {

/// A folder with small generated videos that is removed with this.
class video_maker {
public:
    video_maker();
    video_maker(const video_maker&) = delete;
    video_maker& operator=(const video_maker&) = delete;
    ~video_maker();

    /// Runs `ffmpeg -y <arguments> <folder>/<name>` once a name. "@name" in the arguments is
    /// another file of this folder. Throws when ffmpeg fails.
    std::filesystem::path make(const std::string& name, std::string arguments) const;

    /// A file of these bytes.
    [[nodiscard]] std::filesystem::path write(
        const std::string& name, std::string_view bytes) const;

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

private:
    std::filesystem::path folder_;
};

[[nodiscard]] std::string bytes_of(const std::filesystem::path& file);

/// Overwrites the big-endian number that stands `offset` bytes after the first `box` of an mp4
/// file. Throws when there is none.
[[nodiscard]] std::string with_number(
    std::string mp4, std::string_view box, std::size_t offset, std::uint64_t number, int bytes);

}  // namespace reelsd::media
