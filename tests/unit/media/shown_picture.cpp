#include "shown_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace reelsd::media {

int shown::at(double x, double y, int channel) const {
    const auto column = static_cast<std::size_t>(x * width);
    const auto row = static_cast<std::size_t>(y * height);
    const auto pixel = row * static_cast<std::size_t>(width) + column;
    return static_cast<unsigned char>(pixels.at(3 * pixel + static_cast<std::size_t>(channel)));
}

char shown::colour_at(double x, double y) const {
    for (int channel = 0; channel < 3; ++channel) {
        const int others = std::max(at(x, y, (channel + 1) % 3), at(x, y, (channel + 2) % 3));
        if (at(x, y, channel) > others + 80) return "rgb"[channel];
    }
    return '?';
}

double shown::share_of_column(double x, char colour) const {
    int count = 0;
    for (int row = 0; row < height; ++row) {
        if (colour_at(x, static_cast<double>(row) / height) == colour) ++count;
    }
    return static_cast<double>(count) / height;
}

int shown::brightest() const {
    int most = 0;
    for (const char sample : pixels) most = std::max<int>(most, static_cast<unsigned char>(sample));
    return most;
}

shown decoded(const video_maker& maker, std::span<const std::byte> jpeg) {
    const auto* text = reinterpret_cast<const char*>(jpeg.data());
    const auto file = maker.write("shown.jpg", std::string_view{text, jpeg.size()});
    std::filesystem::remove(maker.folder() / "shown.ppm");
    const auto ppm = bytes_of(maker.make("shown.ppm", "-i @shown.jpg -f image2 -c:v ppm"));
    shown picture;
    int consumed = 0;
    const int read =
        std::sscanf(ppm.c_str(), "P6 %d %d 255%n", &picture.width, &picture.height, &consumed);
    EXPECT_EQ(read, 2);
    picture.pixels = ppm.substr(static_cast<std::size_t>(consumed) + 1);
    return picture;
}

std::string quarters(const std::string& size) {
    return "-f lavfi -i color=c=red:s=" + size +
           ":r=10:d=1 -vf \"drawbox=y=ih/2:w=iw/2:h=ih/2:c=blue:t=fill,"
           "drawbox=x=iw/2:y=ih/2:w=iw/2:h=ih/2:c=0x00ff00:t=fill";
}

void expect_upright(const shown& picture) {
    EXPECT_EQ(picture.colour_at(0.25, 0.25), 'r');
    EXPECT_EQ(picture.colour_at(0.75, 0.25), 'r');
    EXPECT_EQ(picture.colour_at(0.25, 0.75), 'b');
    EXPECT_EQ(picture.colour_at(0.75, 0.75), 'g');
}

}  // namespace reelsd::media
