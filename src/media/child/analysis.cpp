#include "analysis.hpp"

#include "../sound/sound.hpp"
#include "../text/text_reader.hpp"
#include "document.hpp"
#include "first_pass.hpp"
#include "jail_settings.hpp"
#include "listener_thread.hpp"
#include "second_pass.hpp"
#include "thumbnail_image.hpp"

#include <utility>

namespace reelsd::media {

result<probe_report> probe(const arguments& given) {
    auto file = video_file::open(given.video);
    if (!file) return file.error();
    const auto entered = enter_jail(given, {.video = file->descriptor()});
    if (!entered) return entered.error();

    auto opened = container::open(*file, given.seconds_max);
    if (!opened) return opened.error();
    auto pass = run_first_pass(*opened, given.seconds_max, listening::no);
    if (!pass) return pass.error();
    return std::move(pass->probe);
}

result<analysis_report> analyze(const arguments& given) {
    auto file = video_file::open(given.video);
    if (!file) return file.error();
    auto reader = text::text_reader::load(given.tessdata);
    if (!reader) return reader.error();
    auto recognizer = sound::speech_recognizer::load(given.speech_model);
    if (!recognizer) return recognizer.error();
    auto held = jail::confine(limits_for(given), given.parent);
    listener_thread listener{std::move(*recognizer)};
    jail::seal(held, {.video = file->descriptor()});
    const auto enough = check_jail(held, given);
    if (!enough) return enough.error();

    // Each pass opens the container anew: a decoder that was fed and a seek in a broken index
    // differ from file to file, a fresh start does not.
    auto first_time = container::open(*file, given.seconds_max);
    if (!first_time) return first_time.error();
    auto first = run_first_pass(*first_time, given.seconds_max, listening::all);
    if (!first) return first.error();
    auto heard = listener.hear(std::move(first->sound));

    auto second_time = container::open(*file, given.seconds_max);
    if (!second_time) return second_time.error();
    auto seen = run_second_pass(*second_time, *first, given.seconds_max, **reader);
    if (!seen) return seen.error();

    analysis_report report;
    report.probe = std::move(first->probe);
    report.texts = std::move(seen->texts);
    report.picture = std::move(seen->picture);
    report.audio = heard.get();
    tidy(report);
    return report;
}

result<thumbnail_report> thumbnail(const arguments& given) {
    auto file = video_file::open(given.video);
    if (!file) return file.error();
    const auto entered = enter_jail(given, {.video = file->descriptor()});
    if (!entered) return entered.error();

    auto opened = container::open(*file, given.seconds_max);
    if (!opened) return opened.error();
    const auto chosen = choose_frame(*opened);
    if (!chosen) return chosen.error();
    return thumbnail_of(*chosen);
}

}  // namespace reelsd::media
