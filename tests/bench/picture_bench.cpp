// Prints the findings of the picture analysis of one video, without text, sound or a jail. For
// cuts_bench.py and its generated clips.
#include "child/passes.hpp"
#include <reelsd/base/json.hpp>

#include <cstdio>

namespace {

using namespace reelsd;

class no_reader : public media::text::text_reader {
public:
    void add_frame(const media::picture::view& /*frame*/, double /*seconds*/) override {}
    std::vector<media::timed_text> finish(double /*duration_seconds*/) override { return {}; }
};

result<media::analysis_report> look(const char* path) {
    constexpr double seconds_max = 90;
    const auto file = media::input_file::open(path);
    if (!file) return file.error();
    const auto first = media::run_first_pass(*file, seconds_max, media::audio_decoding::none);
    if (!first) return first.error();
    no_reader reader;
    media::thumbnail_maker thumbnails;
    auto seen = media::run_second_pass(*file, *first, seconds_max, reader, thumbnails);
    if (!seen) return seen.error();
    media::analysis_report report;
    report.probe = first->probe;
    report.picture = seen->picture;
    return report;
}

}  // namespace

int main(int count, char** values) {
    if (count != 2) return 64;
    const auto report = look(values[1]);
    if (!report) {
        std::fprintf(stderr, "%s\n", report.error().to_string().c_str());
        return 1;
    }
    std::puts(media::to_json(*report)["picture"].dump().c_str());
}
