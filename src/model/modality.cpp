#include <reelsd/base/invariant.hpp>
#include <reelsd/model/analyzer.hpp>

namespace reelsd::model {

std::string_view name_of(modality kind) noexcept {
    switch (kind) {
        case modality::text: return "text";
        case modality::image: return "image";
        case modality::video: return "video";
        case modality::audio: return "audio";
        case modality::document: return "document";
        case modality::other: return "other";
    }
    invariant(false);
    return {};
}

}  // namespace reelsd::model
