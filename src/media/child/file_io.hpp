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

/// Files of FFmpeg, through descriptors that were opened before the jail.
namespace reelsd::media {

struct io_free {
    void operator()(AVIOContext* context) const noexcept;
};
using io_owner = std::unique_ptr<AVIOContext, io_free>;

class input_file {
public:
    /// `media_failed` when `path` is not a file or cannot be opened; `unsupported_format` when it
    /// is empty.
    static result<input_file> open(const std::string& path);

    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

    /// A reader with its own position, at the start. The file outlives it.
    [[nodiscard]] io_owner reader() const;

private:
    input_file(unique_fd file, std::int64_t size) noexcept : file_{std::move(file)}, size_{size} {}

    unique_fd file_;
    std::int64_t size_;
};

/// Descriptor of the empty file that the daemon has opened for the output.
inline constexpr int output_descriptor = 3;

/// Whether FFmpeg's code means that writing the output failed: full, too large or broken.
[[nodiscard]] bool is_output_failure(int libav_code) noexcept;

/// `storage_failed` for a full or broken disk, else `media_failed`.
[[nodiscard]] error cannot_write(int libav_code);

/// Appends `bytes` to the output. Errors: those of cannot_write().
[[nodiscard]] result<void> append_to_output(std::span<const std::byte> bytes);

/// Writes an MP4 to the output: add streams to context(), begin(), write packets to it, finish().
class mp4_writer {
public:
    /// Position of the index. `first` writes all bytes twice; readers can then start before they
    /// have the whole file.
    enum class index : std::uint8_t { first, last };

    explicit mp4_writer(index place);

    [[nodiscard]] AVFormatContext& context() noexcept { return *context_; }

    /// `unsupported_format`: MP4 does not support these streams.
    [[nodiscard]] result<void> begin();
    /// Returns the file's size in bytes. `media_failed`.
    [[nodiscard]] result<std::uint64_t> finish();

private:
    struct free_output {
        void operator()(AVFormatContext* context) const noexcept { avformat_free_context(context); }
    };

    index place_;
    io_owner io_;  // Declared before the context, which is freed first.
    std::unique_ptr<AVFormatContext, free_output> context_;
};

}  // namespace reelsd::media
