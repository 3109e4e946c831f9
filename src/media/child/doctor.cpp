#include "doctor.hpp"

#include "../sound/sound.hpp"
#include "../text/text_reader.hpp"
#include "jail.hpp"
#include "jail_settings.hpp"
#include "libav.hpp"
#include <reelsd/base/json.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace reelsd::media {
namespace {

template <class Loaded>
json model_state(const std::string& path, const Loaded& loaded) {
    json state{{"path", path}, {"loads", loaded.has_value()}};
    if (!loaded) state["detail"] = loaded.error().detail();
    return state;
}

std::string version_text(unsigned version) {
    return std::to_string(AV_VERSION_MAJOR(version)) + "." +
           std::to_string(AV_VERSION_MINOR(version)) + "." +
           std::to_string(AV_VERSION_MICRO(version));
}

/// What was compiled in and what is loaded may differ: the loaded one counts.
json library_versions() {
    return {
        {"libavformat", version_text(avformat_version())},
        {"libavcodec", version_text(avcodec_version())},
        {"libavutil", version_text(avutil_version())},
        {"libswscale", version_text(swscale_version())},
        {"libswresample", version_text(swresample_version())}};
}

/// Tries what a taken-over decoder would try first.
bool file_opens() {
    const int descriptor = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) close(descriptor);
    return descriptor >= 0;
}

bool socket_opens() {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0) close(descriptor);
    return descriptor >= 0;
}

json jail_state(const jail::layers& held) {
    return {
        {"no_new_privileges", held.no_new_privileges},
        {"resource_limits", held.resource_limits},
        {"unprivileged_user", held.unprivileged_user},
        {"own_namespaces", held.own_namespaces},
        {"landlock", held.landlock},
        {"landlock_version", held.landlock_version},
        {"system_call_filter", held.system_call_filter},
        {"reasons", held.reasons},
        {"opens_files", file_opens()},
        {"opens_sockets", socket_opens()}};
}

}  // namespace

json examine(const arguments& given) {
    const auto reader = text::text_reader::load(given.tessdata);
    const auto recognizer = sound::speech_recognizer::load(given.speech_model);
    auto held = jail::confine(limits_for(given), given.parent);
    jail::seal(held, {});
    return {
        {"jail", jail_state(held)},
        {"tessdata", model_state(given.tessdata, reader)},
        {"speech_model", model_state(given.speech_model, recognizer)},
        {"libraries", library_versions()}};
}

}  // namespace reelsd::media
