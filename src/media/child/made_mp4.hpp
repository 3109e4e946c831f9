#pragma once

#include "libav.hpp"
#include <reelsd/base/result.hpp>

#include <cstdint>

namespace reelsd::media {

/// An MP4 on its way into the made file: add streams to context(), begin, write packets to it,
/// finish.
class made_mp4 {
public:
    /// Where the index stands. First costs a second writing of all bytes, and lets a reader begin
    /// before it has the whole file.
    enum class index : std::uint8_t { first, last };

    explicit made_mp4(index place);

    [[nodiscard]] AVFormatContext& context() noexcept { return *context_; }

    /// unsupported_format: no MP4 holds such streams.
    [[nodiscard]] result<void> begin();
    /// The file's size in bytes. media_failed.
    [[nodiscard]] result<std::int64_t> finish();

private:
    struct free_output {
        void operator()(AVFormatContext* context) const noexcept { avformat_free_context(context); }
    };

    index place_;
    io_owner io_;  // Before the context: that is freed first.
    std::unique_ptr<AVFormatContext, free_output> context_;
};

}  // namespace reelsd::media
