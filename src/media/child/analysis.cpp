#include "../sound/sound.hpp"
#include "../text/text_reader.hpp"
#include "commands.hpp"
#include "jail_settings.hpp"
#include "passes.hpp"
#include "thumbnail_maker.hpp"
#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/invariant.hpp>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace reelsd::media {
namespace {

audio_report analyze_sound(sound::speech_recognizer& recognizer, const audio_samples& samples) {
    audio_report report;
    const bool is_empty = samples.for_speech.empty() || sound::is_silent(samples.for_speech);
    report.silent = is_empty && samples.is_decodable;
    if (is_empty) return report;
    report.speech = recognizer.recognize(samples.for_speech);
    report.music = sound::detect_music(samples.for_music, report.speech.segments);
    return report;
}

/// A thread that waits for one task. It is started before the jail is sealed, because the jail
/// forbids the calls that start one.
class waiting_thread {
public:
    /// Returns when the thread runs. `niceness`: as nice(2), of this thread alone.
    explicit waiting_thread(int niceness = 0)
        : thread_{[this, niceness] {
              ::setpriority(PRIO_PROCESS, 0, niceness);
              started_.set_value();
              if (const auto task = task_.get_future().get()) task();
          }} {
        started_.get_future().wait();
    }
    ~waiting_thread() {
        if (!has_task_) task_.set_value({});
        thread_.join();
    }

    /// Call once. The future throws the exceptions of the task, such as std::bad_alloc.
    template <class Function>
    [[nodiscard]] auto run(Function function) {
        invariant(!has_task_);
        has_task_ = true;
        using value = decltype(function());
        const auto task = std::make_shared<std::packaged_task<value()>>(std::move(function));
        auto outcome = task->get_future();
        task_.set_value([task] { (*task)(); });
        return outcome;
    }

private:
    std::promise<void> started_;
    std::promise<std::function<void()>> task_;
    bool has_task_ = false;
    std::thread thread_;  // Last: it uses the others.
};

/// Reads the frames in their order on another thread.
class parallel_text_reader final : public text::text_reader {
public:
    /// Both outlive it.
    parallel_text_reader(text::text_reader& reader, waiting_thread& thread)
        : reader_{reader}, texts_{thread.run([this] { return read_frames(); })} {}
    ~parallel_text_reader() override {
        if (!texts_.valid()) return;
        put({});
        texts_.wait();
    }

    void add_frame(const picture::view& frame, double seconds) override {
        const auto bytes = frame.stride * (frame.height - 1) + std::ptrdiff_t{3} * frame.width;
        put({.pixels = {frame.pixels, frame.pixels + bytes}, .frame = frame, .seconds = seconds});
    }

    std::vector<timed_text> finish(double duration_seconds) override {
        put({.seconds = duration_seconds});
        return texts_.get();
    }

private:
    struct item {
        std::vector<std::uint8_t> pixels{};  ///< Empty at the end of the video.
        picture::view frame{};
        double seconds = 0;
    };

    void put(item next) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return !waiting_ || ended_; });
        waiting_ = std::move(next);
        changed_.notify_all();
    }

    item take() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return waiting_.has_value(); });
        item next = std::move(*waiting_);
        waiting_.reset();
        changed_.notify_all();
        return next;
    }

    std::vector<timed_text> read_frames() {
        try {
            while (true) {
                item next = take();
                if (next.pixels.empty()) return reader_.finish(next.seconds);
                next.frame.pixels = next.pixels.data();
                reader_.add_frame(next.frame, next.seconds);
            }
        } catch (...) {
            // finish() throws it; add_frame() must not wait any longer.
            const std::scoped_lock lock{mutex_};
            ended_ = true;
            changed_.notify_all();
            throw;
        }
    }

    text::text_reader& reader_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<item> waiting_;  // One frame has 3 MB.
    bool ended_ = false;
    std::future<std::vector<timed_text>> texts_;  // Last: its task uses the others.
};

/// The moments whose stills standard input asks for; none if it asks for none.
result<std::vector<double>> requested_moments(std::size_t stills_max) {
    constexpr std::size_t number_bytes_max = 32;  // "86400.000000" and a comma.
    const auto text = read_at_most(STDIN_FILENO, number_bytes_max * stills_max);
    std::vector<double> moments;
    if (!text || text->empty()) return moments;
    if (!set_moments(moments, *text) || moments.size() > stills_max)
        return error{errc::media_failed, "standard input is no list of moments"};
    return moments;
}

struct analyzed_file {
    input_file file;
    first_pass first;
    analysis_report report;
};

/// An analysis without a thumbnail is still an analysis.
std::optional<thumbnail_report> thumbnail_if_any(const thumbnail_maker& maker) {
    try {
        return maker.finish();
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

result<analyzed_file> analyze_file(const arguments& given) {
    auto file = input_file::open(given.video);
    if (!file) return file.error();
    // Otherwise each thread would keep its own free memory: 12 MiB more at the peak. Larger blocks
    // are returned to the system as soon as they are freed, which saves another 10 MiB.
    mallopt(M_ARENA_MAX, 1);
    constexpr int returned_bytes_min = 256 * 1024;
    mallopt(M_MMAP_THRESHOLD, returned_bytes_min);
    auto reading = std::async(std::launch::async, text::text_reader::load, given.text_models);
    auto recognizer = sound::speech_recognizer::load(given.speech_models);
    auto reader = reading.get();  // Joins the thread, because the jail needs a process with one.
    if (!reader) return reader.error();
    if (!recognizer) return recognizer.error();
    auto held = jail::confine(limits_for(given), given.parent);
    // On two cores, sound ends together with text and the pictures that text waits for. Measured
    // on four videos: with 0 or 2, two of them take 3 to 9 % longer.
    constexpr int after_text = 1;
    waiting_thread sound_thread{after_text};
    waiting_thread text_thread;
    const int input = given.stills_max == 0 ? -1 : STDIN_FILENO;
    jail::seal(held, {.video = file->descriptor(), .input = input});
    const auto enough = check_jail(held, given);
    if (!enough) return enough.error();

    auto first = run_first_pass(*file, given.seconds_max, audio_decoding::all);
    if (!first) return first.error();
    // With two cores, three threads take the least time whether pictures, text or sound need most.
    // Frees the networks of speech before those of text have ended.
    auto heard = sound_thread.run(
        [recognizer = *std::move(recognizer), sound = std::move(first->sound)]() mutable {
            auto report = analyze_sound(*recognizer, sound);
            recognizer.reset();
            return report;
        });
    parallel_text_reader text{**reader, text_thread};

    thumbnail_maker thumbnails;
    auto seen = run_second_pass(*file, *first, given.seconds_max, text, thumbnails);
    if (!seen) return seen.error();

    analysis_report report;
    report.probe = first->probe;
    report.texts = std::move(seen->texts);
    report.picture = std::move(seen->picture);
    report.thumbnail = thumbnail_if_any(thumbnails);
    report.audio = heard.get();
    tidy(report);
    return analyzed_file{*std::move(file), *std::move(first), std::move(report)};
}

}  // namespace

result<probe_report> probe(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    auto pass = run_first_pass(*file, given.seconds_max, audio_decoding::none);
    if (!pass) return pass.error();
    return std::move(pass->probe);
}

bool analyze(const arguments& given) {
    const auto analyzed = analyze_file(given);
    if (!analyzed) return write_error(analyzed.error());
    if (!write_ok(to_json(analyzed->report))) return false;
    if (given.stills_max == 0) return true;
    const auto moments = requested_moments(given.stills_max);
    if (!moments) return write_error(moments.error());
    if (moments->empty()) return true;
    return write_result(stills_at(*moments, analyzed->file, analyzed->first, given.seconds_max));
}

result<audio_report> listen(const arguments& given) {
    const auto file = input_file::open(given.video);
    if (!file) return file.error();
    auto recognizer = sound::speech_recognizer::load(given.speech_models);
    if (!recognizer) return recognizer.error();
    const auto entered = enter_jail(given, {.video = file->descriptor()});
    if (!entered) return entered.error();
    const auto first = run_first_pass(*file, given.seconds_max, audio_decoding::all);
    if (!first) return first.error();
    auto report = analyze_sound(**recognizer, first->sound);
    tidy(report, first->probe.duration_seconds);
    return report;
}

result<thumbnail_report> thumbnail(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    auto opened = container::open(*file, given.seconds_max);
    if (!opened) return opened.error();
    thumbnail_maker maker;
    const auto decoded = decode_pictures(*opened, [&](const AVFrame& frame) {
        maker.add(*opened, frame);
        return !maker.done();
    });
    if (!decoded) return decoded.error();
    if (maker.empty()) return error{errc::unsupported_format, "no picture can be decoded"};
    return maker.finish();
}

}  // namespace reelsd::media
