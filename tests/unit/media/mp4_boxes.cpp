#include "mp4_boxes.hpp"

namespace reelsd::media::mp4 {
namespace {

/// Bits as H.264 writes them, most significant first.
class bit_writer {
public:
    bit_writer& fixed(std::uint64_t value, int bits) {
        for (int at = bits - 1; at >= 0; --at) bits_.push_back(((value >> at) & 1U) != 0);
        return *this;
    }
    /// An exponential Golomb code, ue(v).
    bit_writer& golomb(std::uint64_t value) {
        int bits = 0;
        while (((value + 1) >> bits) > 1) ++bits;
        return fixed(0, bits).fixed(value + 1, bits + 1);
    }
    /// With the stop bit and the emulation prevention bytes.
    [[nodiscard]] std::string bytes() const {
        auto bits = bits_;
        bits.push_back(true);
        while (bits.size() % 8 != 0) bits.push_back(false);
        std::string text;
        int zeros = 0;
        for (std::size_t at = 0; at < bits.size(); at += 8) {
            unsigned byte = 0;
            for (std::size_t bit = 0; bit < 8; ++bit) byte = byte * 2 + (bits[at + bit] ? 1 : 0);
            if (zeros >= 2 && byte <= 3) {
                text.push_back('\3');
                zeros = 0;
            }
            text.push_back(static_cast<char>(byte));
            zeros = byte == 0 ? zeros + 1 : 0;
        }
        return text;
    }

private:
    std::vector<bool> bits_;
};

constexpr int baseline = 66;
constexpr int level_5_1 = 51;

std::string sequence_of(const h264_picture& picture) {
    bit_writer bits;
    bits.fixed(baseline, 8).fixed(0, 8).fixed(level_5_1, 8).golomb(0);
    bits.golomb(0).golomb(2);    // Numbers of pictures; their order is that of decoding.
    bits.golomb(1).fixed(0, 1);  // One reference, no gaps.
    bits.golomb(picture.width_blocks - 1).golomb(picture.height_blocks - 1);
    bits.fixed(1, 1).fixed(1, 1).fixed(0, 1).fixed(0, 1);  // Whole frames, uncropped.
    return '\x67' + bits.bytes();
}

std::string picture_parameters() {
    bit_writer bits;
    bits.golomb(0).golomb(0).fixed(0, 2).golomb(0).golomb(0).golomb(0).fixed(0, 3);
    bits.golomb(0).golomb(0).golomb(0).fixed(0, 3);
    return '\x68' + bits.bytes();
}

std::string matrix() {
    std::string text;
    for (const std::uint32_t entry : {0x10000U, 0U, 0U, 0U, 0x10000U, 0U, 0U, 0U, 0x40000000U})
        text += number(entry);
    return text;
}

std::string zeros(std::size_t bytes) {
    return std::string(bytes, '\0');
}

std::string sample_table(const track& samples) {
    return box(
        "stbl",
        full_box("stsd", number(1) + samples.entry) +
            full_box(
                "stts", number(1) + number(samples.samples) + number(samples.sample_duration)) +
            full_box("stsc", number(1) + number(1) + number(samples.samples) + number(1)) +
            full_box("stsz", number(samples.sample_bytes) + number(samples.samples)) +
            full_box("stco", number(1) + number(samples.offset)));
}

}  // namespace

std::string number(std::uint64_t value, int bytes) {
    std::string text;
    for (int at = bytes - 1; at >= 0; --at)
        text.push_back(static_cast<char>((value >> (8U * static_cast<unsigned>(at))) & 0xffU));
    return text;
}

std::string box(std::string_view type, std::string_view content) {
    return number(content.size() + 8).append(type).append(content);
}

std::string full_box(std::string_view type, std::string_view content, std::uint32_t flags) {
    return box(type, number(flags).append(content));
}

std::string file_type() {
    return box("ftyp", "isom" + number(512) + "isomiso2avc1mp41");
}

std::string sample_entry(const h264_picture& picture) {
    const auto sequence = sequence_of(picture);
    const auto parameters = picture_parameters();
    const auto configuration = '\1' + sequence.substr(1, 3) + "\xff\xe1" +
                               number(sequence.size(), 2) + sequence + '\1' +
                               number(parameters.size(), 2) + parameters;
    return box(
        "avc1",
        zeros(6) + number(1, 2) + zeros(16) + number(picture.width_blocks * 16, 2) +
            number(picture.height_blocks * 16, 2) + number(0x480000) + number(0x480000) + zeros(4) +
            number(1, 2) + zeros(32) + number(24, 2) + "\xff\xff" + box("avcC", configuration));
}

std::string sample(const h264_picture& /*picture*/) {
    bit_writer header;
    header.golomb(0).golomb(7).golomb(0).fixed(0, 4).golomb(0).fixed(0, 2).golomb(0);
    const auto slice = '\x65' + header.bytes() + std::string(200, '\x55');
    return number(slice.size()) + slice;
}

std::string sample_entry(const sound_entry& sound) {
    return box(
        sound.type,
        zeros(6) + number(1, 2) + zeros(8) + number(sound.channels, 2) + number(sound.bits, 2) +
            zeros(4) + number(sound.rate_hz, 2) + zeros(2) + sound.more);
}

std::string track_box(const track& source) {
    const auto duration = source.samples * source.sample_duration;
    const auto header = zeros(8) + number(1) + zeros(4) + number(duration) + zeros(16) + matrix() +
                        number(176U << 16U) + number(320U << 16U);
    const auto media_header = zeros(8) + number(source.timescale) + number(duration) + number(0);
    const std::string handler = source.is_video ? "vide" : "soun";
    const auto kind = source.is_video ? full_box("vmhd", zeros(8), 1) : full_box("smhd", zeros(4));
    const auto data_source = box("dinf", full_box("dref", number(1) + full_box("url ", "", 1)));
    const auto media = full_box("mdhd", media_header) +
                       full_box("hdlr", zeros(4) + handler + zeros(13)) +
                       box("minf", kind + data_source + sample_table(source));
    return box("trak", full_box("tkhd", header, 3) + source.edits + box("mdia", media));
}

std::string edits(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& entries) {
    auto list = number(entries.size());
    for (const auto& [length, start] : entries)
        list.append(number(length)).append(number(start)).append(number(0x10000));
    return box("edts", full_box("elst", list));
}

std::string movie_box(const movie& about, std::string_view tracks) {
    const auto header = zeros(8) + number(about.timescale) + number(about.duration) +
                        number(0x10000) + number(0x100, 2) + zeros(10) + matrix() + zeros(24) +
                        number(99);
    return box("moov", full_box("mvhd", header).append(tracks));
}

std::string file_of(const file& video) {
    const auto picture = sample(video.picture);
    std::string data;
    for (std::uint32_t count = 0; count < video.pictures; ++count) data += picture;
    const track pictures{
        .entry = sample_entry(video.picture),
        .samples = video.pictures,
        .sample_bytes = static_cast<std::uint32_t>(picture.size()),
        .offset = static_cast<std::uint32_t>(file_type().size() + 8),
        .edits = video.edits};
    return file_type() + box("mdat", data) +
           movie_box(video.about, track_box(pictures) + video.tracks);
}

std::string file_of(const fragments& video) {
    const track empty{.entry = sample_entry(h264_picture{}), .samples = 0};
    const auto defaults = number(video.sample_duration) + number(video.sample_bytes);
    const auto extends =
        box("mvex", full_box("trex", number(1) + number(1) + defaults + number(0)));
    const auto fragment = [&](std::uint64_t offset) {
        // Duration and size of all samples are in the header; offsets count from this box.
        auto track_fragment = full_box("tfhd", number(1) + defaults, 0x20018);
        track_fragment += full_box("tfdt", number(0));
        for (std::uint32_t run = 0; run < video.runs; ++run)
            track_fragment += full_box("trun", number(video.samples_a_run) + number(offset), 1);
        return box("moof", full_box("mfhd", number(1)) + box("traf", track_fragment));
    };
    return file_type() + movie_box({.duration = 0}, track_box(empty) + extends) +
           fragment(fragment(0).size() + 8) + box("mdat", video.data);
}

}  // namespace reelsd::media::mp4
