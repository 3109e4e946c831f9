#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace reelsd::media {

/// Arguments of ffmpeg for the usual video stream, encoded as fast as possible.
inline constexpr auto h264 = " -c:v libx264 -preset ultrafast -pix_fmt yuv420p";

/// Generates small videos in a temporary folder, which the destructor removes.
class video_maker {
public:
    video_maker();
    video_maker(const video_maker&) = delete;
    video_maker& operator=(const video_maker&) = delete;
    ~video_maker();

    /// Runs `ffmpeg -y <arguments> <folder>/<name>`, once for each name. "@name" in the arguments
    /// is another file of the folder. Throws when ffmpeg fails.
    std::filesystem::path make(const std::string& name, std::string arguments) const;

    /// Copies `source`, an MP4 file whose first track is the video, to `name` with a rotation in
    /// the header of that track, as phones write it.
    [[nodiscard]] std::filesystem::path rotate(
        const std::string& name, const std::string& source, int clockwise_degrees) const;

    /// Writes a file with these bytes.
    [[nodiscard]] std::filesystem::path write(
        const std::string& name, std::string_view bytes) const;

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

private:
    std::filesystem::path folder_;
};

[[nodiscard]] std::string bytes_of(const std::filesystem::path& file);

/// Overwrites the big-endian number `offset` bytes after the first `box` of an MP4 file. Throws
/// when there is none.
[[nodiscard]] std::string with_number(
    std::string mp4, std::string_view box, std::size_t offset, std::uint64_t number, int bytes);

}  // namespace reelsd::media
