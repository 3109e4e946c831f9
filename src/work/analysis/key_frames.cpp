#include "key_frames.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/media/media_client.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace reelsd::work {

result<jobs::frame_set> take_frames(
    const media::media_client& media, const json& document, const std::filesystem::path& video,
    deadline by, const std::stop_token& stop) {
    std::vector<double> moments;
    for (const auto& moment : document.at("content").at("key_moments"))
        moments.push_back(moment.at("seconds").get<double>());
    jobs::frame_set frames;
    if (moments.empty()) return frames;
    const auto stills = media.stills(video, moments, by, stop);
    if (!stills) return stills.error();
    for (const auto& jpeg : stills->jpegs) {
        frames.numbers.push_back(static_cast<std::int32_t>(frames.numbers.size()));
        frames.sizes.push_back(static_cast<std::int32_t>(jpeg.size()));
        frames.jpegs.insert(frames.jpegs.end(), jpeg.begin(), jpeg.end());
    }
    return frames;
}

void show_frames(json& document, job_id job, const jobs::frame_set& frames) {
    auto& moments = document.at("content").at("key_moments");
    for (auto& moment : moments) moment.erase("frame");
    for (const auto number : frames.numbers) {
        const auto index = static_cast<std::size_t>(number);
        if (index >= moments.size()) continue;
        moments[index]["frame"] = fmt::format("/api/v1/reels/{}/frames/{}", job.value, number);
    }
}

}  // namespace reelsd::work
