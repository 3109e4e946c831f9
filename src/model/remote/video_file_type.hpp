#pragma once

#include <filesystem>
#include <string_view>

namespace reelsd::model {

/// "video/mp4" or "video/webm", by the file's first bytes; what is neither is taken for the first.
[[nodiscard]] std::string_view video_mime_type(const std::filesystem::path& file);

}  // namespace reelsd::model
