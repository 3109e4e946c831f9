#include "listener_thread.hpp"

#include <reelsd/base/invariant.hpp>

#include <exception>
#include <utility>

namespace reelsd::media {
namespace {

audio_report hear_all(sound::speech_recognizer& recognizer, const heard_samples& samples) {
    audio_report report;
    report.silent = samples.for_speech.empty() || sound::is_silent(samples.for_speech);
    if (report.silent) return report;
    report.speech = recognizer.recognize(samples.for_speech);
    report.music = sound::detect_music(samples.for_music, report.speech.segments);
    return report;
}

}  // namespace

listener_thread::listener_thread(std::unique_ptr<sound::speech_recognizer> recognizer)
    : thread_{[recognizer = std::move(recognizer), question = question_.get_future(),
               &begun = begun_, &answer = answer_]() mutable {
          begun.set_value();
          // Nothing may leave a thread: the one that asked gets it, be it out of memory or the end.
          try {
              answer.set_value(hear_all(*recognizer, question.get()));
          } catch (...) {
              answer.set_exception(std::current_exception());
          }
      }} {
    begun_.get_future().wait();
}

listener_thread::~listener_thread() {
    if (!asked_) question_.set_value({});
    thread_.join();
}

std::future<audio_report> listener_thread::hear(heard_samples samples) {
    invariant(!asked_);
    asked_ = true;
    auto answer = answer_.get_future();
    question_.set_value(std::move(samples));
    return answer;
}

}  // namespace reelsd::media
