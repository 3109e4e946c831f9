#include "made_mp4.hpp"

#include "made_file.hpp"

extern "C" {
#include <libavutil/dict.h>
}

#include <cerrno>
#include <new>

namespace reelsd::media {
namespace {

/// To put the index first, FFmpeg reads what it has written. It opens nothing but that.
int open_again(
    AVFormatContext* /*of*/, AVIOContext** opened, const char* /*address*/, int flags,
    AVDictionary** /*options*/) {
    if (flags != AVIO_FLAG_READ) return AVERROR(EACCES);
    *opened = made_file_reader().release();
    return 0;
}

int close_again(AVFormatContext* /*of*/, AVIOContext* opened) {
    made_reader_free{}(opened);
    return 0;
}

}  // namespace

made_mp4::made_mp4(index place) : place_{place}, io_{made_file_writer()} {
    AVFormatContext* raw = nullptr;
    if (avformat_alloc_output_context2(&raw, nullptr, "mp4", nullptr) < 0) throw std::bad_alloc{};
    context_.reset(raw);
    context_->pb = io_.get();
    context_->flags |= AVFMT_FLAG_CUSTOM_IO;
    context_->io_open = &open_again;
    context_->io_close2 = &close_again;
}

result<void> made_mp4::begin() {
    AVDictionary* options = nullptr;
    if (place_ == index::first) av_dict_set(&options, "movflags", "+faststart", 0);
    const int begun = avformat_write_header(context_.get(), &options);
    av_dict_free(&options);
    if (begun < 0) {
        return error{
            errc::unsupported_format, "no MP4 holds these tracks: " + libav_message(begun)};
    }
    return {};
}

result<std::int64_t> made_mp4::finish() {
    const int ended = av_write_trailer(context_.get());
    if (ended < 0) return cannot_write(ended);
    avio_flush(io_.get());
    if (io_->error < 0) return cannot_write(io_->error);
    const std::int64_t size = lseek(made_descriptor, 0, SEEK_END);
    if (size <= 0) return cannot_write(AVERROR(errno));
    return size;
}

}  // namespace reelsd::media
