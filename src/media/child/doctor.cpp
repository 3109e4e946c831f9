#include "../sound/sound.hpp"
#include "../text/text_reader.hpp"
#include "commands.hpp"
#include "jail.hpp"
#include "jail_settings.hpp"
#include "libav.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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

/// Versions of the loaded libraries, which may differ from those at compile time.
json library_versions() {
    return {
        {"libavformat", version_text(avformat_version())},
        {"libavcodec", version_text(avcodec_version())},
        {"libavutil", version_text(avutil_version())},
        {"libswscale", version_text(swscale_version())},
        {"libswresample", version_text(swresample_version())}};
}

/// Limit of jail_report_from_json().
constexpr std::size_t refusal_bytes_max = 500;

bool file_opens() {
    return static_cast<bool>(unique_fd{open("/etc/passwd", O_RDONLY | O_CLOEXEC)});
}

bool socket_opens() {
    return static_cast<bool>(unique_fd{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)});
}

bool creates_folder() {
    const auto path = "/tmp/reelsd-media-" + std::to_string(getpid());
    if (mkdir(path.c_str(), 0700) != 0) return false;
    rmdir(path.c_str());
    return true;
}

/// Whether the call reached the file system, which answers ENOENT.
bool unlink_is_allowed() {
    return unlink("/tmp/reelsd-media-no-such-file") == 0 || errno == ENOENT;
}

/// What a compromised decoder could do. Opening anything fails by the limit of descriptors alone;
/// folders, names and signals need none. Signals are tried only without the filter, which kills the
/// process for them.
std::vector<std::string> possible_actions(const jail::layers& held) {
    std::vector<std::string> possible;
    if (file_opens()) possible.emplace_back("open files");
    if (socket_opens()) possible.emplace_back("open sockets");
    if (creates_folder()) possible.emplace_back("make folders");
    if (!held.landlock && unlink_is_allowed()) possible.emplace_back("remove files");
    if (!held.system_call_filter && kill(getppid(), 0) == 0)
        possible.emplace_back("signal the process that started it");
    return possible;
}

}  // namespace

jail_report examine_jail(const arguments& given) {
    auto held = jail::confine(limits_for(given), given.parent);
    jail::seal(held, {});
    const std::map<std::string_view, bool> active{
        {"system_call_filter", held.system_call_filter},
        {"resource_limits", held.resource_limits},
        {"landlock", held.landlock},
        {"own_namespaces", held.own_namespaces},
        {"unprivileged_user", held.unprivileged_user},
        {"no_new_privileges", held.no_new_privileges}};
    jail_report report{
        .layers = {},
        .landlock_version = held.landlock_version,
        .reasons = held.reasons,
        .refusal = clean_text(refusal_of(held, given.jail), refusal_bytes_max),
        .possible = possible_actions(held)};
    for (const auto name : jail_layer_names())
        report.layers.push_back({.name = std::string{name}, .holds = active.at(name)});
    return report;
}

json examine(const arguments& given) {
    const auto reader = text::text_reader::load(given.text_models);
    const auto recognizer = sound::speech_recognizer::load(given.speech_models);
    return {
        {"jail", to_json(examine_jail(given))},
        {"text_models", model_state(given.text_models, reader)},
        {"speech_models", model_state(given.speech_models, recognizer)},
        {"libraries", library_versions()}};
}

}  // namespace reelsd::media
