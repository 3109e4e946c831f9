#pragma once

#include <cstdint>
#include <string_view>

/// Details of errc::unsupported_format that the media helper reports and that have a sentence of
/// their own for clients (failure_text.cpp).
namespace reelsd::format_fault {

/// 4096 x 2304: 4K in either orientation. Larger pictures would exceed the memory limit.
inline constexpr std::int64_t picture_pixels_max = std::int64_t{4096} * 2304;

inline constexpr std::string_view large_pictures = "its pictures have too many pixels";
inline constexpr std::string_view no_video = "it has no video stream";
inline constexpr std::string_view only_cover = "its only picture is a cover";
inline constexpr std::string_view single_picture = "it has a single picture";

}  // namespace reelsd::format_fault
