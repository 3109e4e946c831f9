#include "media_reader.hpp"
#include <reelsd/base/text.hpp>

#include <pugixml.hpp>

#include <cstdint>
#include <tuple>

namespace reelsd::platform {
namespace {

/// Observed manifests have 5 to 30 KB.
constexpr std::size_t manifest_bytes_max = std::size_t{1024} * 1024;

/// `kind` is "video" for contentType="video" or mimeType="video/mp4", on either element.
bool is_of_kind(const pugi::xml_node& set, const pugi::xml_node& track, std::string_view kind) {
    for (const auto& node : {track, set}) {
        if (const auto type = node.attribute("contentType")) return type.value() == kind;
        const std::string_view mime = node.attribute("mimeType").value();
        if (!mime.empty()) return mime.substr(0, mime.find('/')) == kind;
    }
    return false;
}

/// The URL of a track; empty if it is not http or https.
std::string address_of(const pugi::xml_node& track) {
    std::string address{trimmed(track.child("BaseURL").text().get())};
    return is_http_url(address) ? address : std::string{};
}

bool is_h264(const pugi::xml_node& set, const pugi::xml_node& track) {
    for (const auto& node : {track, set}) {
        const std::string_view codecs = node.attribute("codecs").value();
        if (!codecs.empty()) return codecs.starts_with("avc1") || codecs.starts_with("avc3");
    }
    return false;
}

/// Criteria of comparison, the most important first.
using rank = std::tuple<bool, std::int64_t, std::int64_t>;

struct candidate {
    rank worth;
    std::string address;
};

std::int64_t number_at(const pugi::xml_node& node, const char* name) {
    constexpr std::int64_t number_max = 1'000'000'000;
    const auto number = node.attribute(name).as_llong();
    return number < 0 || number > number_max ? 0 : number;
}

void keep_better(std::optional<candidate>& best, candidate next) {
    if (next.address.empty()) return;
    if (!best || next.worth > best->worth) best = std::move(next);
}

}  // namespace

std::optional<dash_tracks> best_tracks(std::string_view manifest) {
    if (manifest.size() > manifest_bytes_max) return std::nullopt;
    pugi::xml_document parsed;
    // Without document types and processing instructions no entity is expanded.
    if (!parsed.load_buffer(manifest.data(), manifest.size(), pugi::parse_default))
        return std::nullopt;
    std::optional<candidate> picture;
    std::optional<candidate> sound;
    for (const auto& set : parsed.child("MPD").child("Period").children("AdaptationSet")) {
        for (const auto& track : set.children("Representation")) {
            const auto bits = number_at(track, "bandwidth");
            if (is_of_kind(set, track, "video")) {
                const auto area = number_at(track, "width") * number_at(track, "height");
                keep_better(picture, {{is_h264(set, track), area, bits}, address_of(track)});
            } else if (is_of_kind(set, track, "audio")) {
                keep_better(sound, {{true, 0, bits}, address_of(track)});
            }
        }
    }
    if (!picture) return std::nullopt;
    return dash_tracks{
        .picture_url = std::move(picture->address),
        .sound_url = sound ? std::move(sound->address) : std::string{}};
}

}  // namespace reelsd::platform
