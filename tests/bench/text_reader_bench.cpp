// Reads one clip's on-screen text and writes the findings and the cost as JSON. By hand:
//   text_reader_bench clip.mp4 [folder of models]
// ffmpeg decodes and scales in a separate process, so that only the reader is measured.

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <text_reader.hpp>

#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace reelsd::media::text;

struct closing {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
};
using pipe_stream = std::unique_ptr<std::FILE, closing>;

pipe_stream run(const std::string& command) {
    return pipe_stream{popen(command.c_str(), "r")};
}

/// Height at a width of 720 pixels, even; 0 when ffprobe cannot tell.
int scaled_height(const std::string& clip) {
    const auto probe =
        run("ffprobe -v error -select_streams v:0 -show_entries stream=width,height -of csv=p=0 '" +
            clip + "'");
    int width = 0;
    int height = 0;
    if (!probe || std::fscanf(probe.get(), "%d,%d", &width, &height) != 2) return 0;
    return (height * frame_width / width + 1) / 2 * 2;
}

/// The clip's frames, from clip.rgb. ffmpeg writes that file at the first run, which makes later
/// runs fast.
pipe_stream frames_of(const std::string& clip, int height) {
    const std::string kept = "'" + clip + ".rgb'";
    // round=up: the picture that is on screen at the stated time.
    return run(
        "test -f " + kept + " || ffmpeg -v error -i '" + clip +
        "' -vf fps=4:round=up,scale=720:" + std::to_string(height) +
        ":flags=area -f rawvideo -pix_fmt rgb24 " + kept + " && cat " + kept);
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) return 2;
    const std::string clip{arguments[1]};
    const std::string models = count > 2 ? arguments[2] : INSTALLED_MODELS;
    const int height = scaled_height(clip);
    auto reader = text_reader::load(models);
    if (!reader || height == 0) return 1;
    const double started = cpu_seconds();
    const auto frames = frames_of(clip, height);
    std::vector<std::uint8_t> pixels(
        std::size_t{3} * frame_width * static_cast<std::size_t>(height));
    int index = 0;
    while (std::fread(pixels.data(), 1, pixels.size(), frames.get()) == pixels.size()) {
        (*reader)->add_frame(
            {pixels.data(), frame_width, height, std::ptrdiff_t{3} * frame_width},
            index++ / frames_per_second);
    }
    nlohmann::ordered_json report;
    report["lines"] = nlohmann::ordered_json::array();
    for (const auto& text : (*reader)->finish(index / frames_per_second)) {
        report["lines"].push_back(
            {{"text", text.text}, {"start", text.start_seconds}, {"end", text.end_seconds}});
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    report["cpu_seconds"] = cpu_seconds() - started;
    report["peak_kib"] = used.ru_maxrss;
    std::puts(report.dump(1).c_str());
    return 0;
}
