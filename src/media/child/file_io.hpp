#pragma once

#include "libav.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

/// How the bytes of files reach FFmpeg and leave it: through descriptors that were opened before
/// the jail closed.
namespace reelsd::media {

struct io_free {
    void operator()(AVIOContext* context) const noexcept;
};
using io_owner = std::unique_ptr<AVIOContext, io_free>;

/// A file to be read.
class input_file {
public:
    /// `media_failed` when `path` is no file that can be opened; `unsupported_format` when it is
    /// empty.
    static result<input_file> open(const std::string& path);

    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

    /// Reads from the start, independently of other readers. This file outlives it.
    [[nodiscard]] io_owner reader() const;

private:
    input_file(unique_fd file, std::int64_t size) noexcept : file_{std::move(file)}, size_{size} {}

    unique_fd file_;
    std::int64_t size_;
};

/// Where this process finds the file, empty, that the daemon has opened for its output.
inline constexpr int output_descriptor = 3;

/// `media_failed`: a full disk, for example.
[[nodiscard]] error cannot_write(int libav_code);

/// Puts `bytes` at the end of the output. `media_failed`.
[[nodiscard]] result<void> append_to_output(std::span<const std::byte> bytes);

/// An MP4 on its way into the output: add streams to context(), begin, write packets to it, finish.
class mp4_writer {
public:
    /// Where the index is. First costs a second writing of all bytes, and lets a reader begin
    /// before it has the whole file.
    enum class index : std::uint8_t { first, last };

    explicit mp4_writer(index place);

    [[nodiscard]] AVFormatContext& context() noexcept { return *context_; }

    /// unsupported_format: no MP4 holds such streams.
    [[nodiscard]] result<void> begin();
    /// The file's size in bytes. media_failed.
    [[nodiscard]] result<std::uint64_t> finish();

private:
    struct free_output {
        void operator()(AVFormatContext* context) const noexcept { avformat_free_context(context); }
    };

    index place_;
    io_owner io_;  // Before the context: that is freed first.
    std::unique_ptr<AVFormatContext, free_output> context_;
};

}  // namespace reelsd::media
