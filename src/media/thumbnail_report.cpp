#include "base64.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <cstdint>
#include <span>
#include <utility>

namespace reelsd::media {
namespace {

/// The second byte of a JPEG's markers. Source: ITU-T T.81 table B.1; JFIF 1.02.
namespace marker {
constexpr std::uint8_t huffman_tables = 0xc4;
constexpr std::uint8_t baseline_frame = 0xc0;
constexpr std::uint8_t start_of_image = 0xd8;
constexpr std::uint8_t end_of_image = 0xd9;
constexpr std::uint8_t start_of_scan = 0xda;
constexpr std::uint8_t quantization_tables = 0xdb;
constexpr std::uint8_t jfif = 0xe0;
}  // namespace marker

/// Reads a picture's structure from front to back. Browsers will be given these bytes, so nothing
/// passes but what our own encoder writes: one baseline picture, tables, and no text, no
/// application data, nothing after the end.
class jpeg_structure {
public:
    jpeg_structure(std::span<const std::byte> bytes, const thumbnail_bounds& within) noexcept
        : within_{within}, rest_{bytes} {}

    /// What is wrong with it; empty when nothing is.
    [[nodiscard]] std::string_view fault() {
        if (rest_.size() > within_.bytes_max) return "is too large";
        if (!takes_marker(marker::start_of_image)) return "does not begin as a JPEG";
        const auto fault_before_samples = fault_of_segments();
        if (!fault_before_samples.empty()) return fault_before_samples;
        return ends_with_samples() ? "" : "does not end as a JPEG";
    }

private:
    /// Of all that stands before the coded samples.
    std::string_view fault_of_segments() {
        for (auto kind = next_segment(); kind; kind = next_segment()) {
            if (*kind == marker::start_of_scan) return sized_ ? "" : "has no size";
            if (!takes_segment(*kind)) return "has an unexpected segment or a size out of bounds";
        }
        return "has a broken segment";
    }

    bool takes_segment(std::uint8_t kind) {
        switch (kind) {
            case marker::jfif:
            case marker::quantization_tables:
            case marker::huffman_tables: return true;
            case marker::baseline_frame: return !sized_ && reads_size();
            default: return false;
        }
    }

    [[nodiscard]] static std::size_t number(std::span<const std::byte> from, std::size_t at) {
        return std::to_integer<std::size_t>(from[at]) * 256 +
               std::to_integer<std::size_t>(from[at + 1]);
    }

    bool takes_marker(std::uint8_t kind) {
        if (rest_.size() < 2 || rest_[0] != std::byte{0xff} || rest_[1] != std::byte{kind}) {
            return false;
        }
        rest_ = rest_.subspan(2);
        return true;
    }

    /// The kind of the segment that stands here, which becomes `segment_` without marker and
    /// length.
    std::optional<std::uint8_t> next_segment() {
        if (rest_.size() < 4 || rest_[0] != std::byte{0xff}) return std::nullopt;
        const auto kind = std::to_integer<std::uint8_t>(rest_[1]);
        const std::size_t length = number(rest_, 2);  // With its own two bytes.
        if (length < 2 || length + 2 > rest_.size()) return std::nullopt;
        segment_ = rest_.subspan(4, length - 2);
        rest_ = rest_.subspan(2 + length);
        return kind;
    }

    /// Eight bits a sample, height, width, three components of three bytes each.
    bool reads_size() {
        constexpr std::size_t frame_bytes = 15;
        if (segment_.size() != frame_bytes || segment_[0] != std::byte{8}) return false;
        const int height = static_cast<int>(number(segment_, 1));
        const int width = static_cast<int>(number(segment_, 3));
        sized_ = height >= 1 && height <= within_.height_max && width >= 1 &&
                 width <= within_.width_max && segment_[5] == std::byte{3};
        return sized_;
    }

    /// Coded samples, in which FF is followed by 00, then the end of the picture and of the bytes.
    bool ends_with_samples() {
        if (rest_.size() < 2) return false;
        const auto samples = rest_.first(rest_.size() - 2);
        rest_ = rest_.last(2);
        for (std::size_t at = 0; at < samples.size(); ++at) {
            if (samples[at] != std::byte{0xff}) continue;
            ++at;
            if (at == samples.size() || samples[at] != std::byte{0}) return false;
        }
        return takes_marker(marker::end_of_image);
    }

    thumbnail_bounds within_;
    std::span<const std::byte> rest_;
    std::span<const std::byte> segment_;
    bool sized_ = false;
};

error malformed(std::string_view place, std::string_view what) {
    std::string detail{"the media helper's document: "};
    detail.append(place).append(" ").append(what);
    return error{errc::media_failed, std::move(detail)};
}

/// The member of `document` that is called `name`, of which faults speak as `place`.
result<std::vector<std::byte>> jpeg_in(
    const json& document, const char* name, std::string_view place,
    const thumbnail_bounds& within) {
    const auto text = document.find(name);
    if (text == document.end()) return malformed(place, "is missing");
    if (!text->is_string()) return malformed(place, "is no text");
    auto bytes = base64::decode(text->get_ref<const std::string&>());
    if (!bytes) return malformed(place, "is no base64");
    const auto fault = jpeg_structure{*bytes, within}.fault();
    if (!fault.empty()) return malformed(place, fault);
    return *std::move(bytes);
}

}  // namespace

json to_json(const thumbnail_report& report) {
    return {
        {"jpeg", base64::encode(report.jpeg)}, {"small_jpeg", base64::encode(report.small_jpeg)}};
}

result<thumbnail_report> thumbnail_report_from_json(const json& document) {
    if (!document.is_object()) return malformed("thumbnail", "is no object");
    auto large = jpeg_in(document, "jpeg", "thumbnail.jpeg", report_bounds::large_thumbnail);
    if (!large) return large.error();
    auto small =
        jpeg_in(document, "small_jpeg", "thumbnail.small_jpeg", report_bounds::small_thumbnail);
    if (!small) return small.error();
    if (document.size() != 2) return malformed("thumbnail", "has an unknown member");
    return thumbnail_report{.jpeg = *std::move(large), .small_jpeg = *std::move(small)};
}

}  // namespace reelsd::media
