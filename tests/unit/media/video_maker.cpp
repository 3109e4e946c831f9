#include "video_maker.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace reelsd::media {

video_maker::video_maker() {
    std::string name = std::filesystem::temp_directory_path() / "reelsd-videos-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
        throw std::runtime_error{"cannot create a folder for videos"};
    folder_ = name;
}

video_maker::~video_maker() {
    std::filesystem::remove_all(folder_);
}

std::filesystem::path video_maker::make(const std::string& name, std::string arguments) const {
    const auto path = folder_ / name;
    if (std::filesystem::exists(path)) return path;
    for (auto at = arguments.find('@'); at != std::string::npos; at = arguments.find('@', at)) {
        arguments.replace(at, 1, folder_.string() + "/");
    }
    const auto line = "ffmpeg -nostdin -v error -threads 1 -y " + arguments + " " + path.string();
    if (std::system(line.c_str()) != 0) throw std::runtime_error{"failed: " + line};
    return path;
}

std::filesystem::path video_maker::rotate(
    const std::string& name, const std::string& source, int clockwise_degrees) const {
    constexpr std::size_t matrix_offset =
        40;  // In a header of version 0 (ISO/IEC 14496-12, 8.3.2).
    constexpr int sines[] = {0, 1, 0, -1};
    const int turns = clockwise_degrees / 90;
    const int sine = sines[turns % 4];
    const int cosine = sines[(turns + 1) % 4];
    auto mp4 = bytes_of(folder_ / source);
    auto offset = matrix_offset;
    for (const int number : {cosine, sine, 0, -sine, cosine}) {  // With 16 binary places.
        mp4 = with_number(std::move(mp4), "tkhd", offset, std::uint64_t(number) << 16U, 4);
        offset += 4;
    }
    return write(name, mp4);
}

std::filesystem::path video_maker::write(const std::string& name, std::string_view bytes) const {
    const auto path = folder_ / name;
    std::ofstream{path, std::ios::binary}.write(
        bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
}

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::string with_number(
    std::string mp4, std::string_view box, std::size_t offset, std::uint64_t number, int bytes) {
    const auto start = mp4.find(box);
    if (start == std::string::npos) throw std::runtime_error{"missing box " + std::string{box}};
    for (int at = bytes - 1; at >= 0; --at, number >>= 8U) {
        mp4.at(start + box.size() + offset + static_cast<std::size_t>(at)) =
            static_cast<char>(number & 0xffU);
    }
    return mp4;
}

}  // namespace reelsd::media
