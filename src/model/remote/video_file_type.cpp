#include "video_file_type.hpp"

#include <array>
#include <fstream>

namespace reelsd::model {

std::string_view video_mime_type(const std::filesystem::path& file) {
    constexpr std::string_view matroska{"\x1A\x45\xDF\xA3", 4};
    std::array<char, 4> begin{};
    std::ifstream{file, std::ios::binary}.read(begin.data(), begin.size());
    const bool is_matroska = std::string_view{begin.data(), begin.size()} == matroska;
    return is_matroska ? "video/webm" : "video/mp4";
}

}  // namespace reelsd::model
