#pragma once

#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace reelsd::net {

/// A part of a file. The file must not change while it is sent.
struct file_range {
    std::filesystem::path file;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// A request body too large for memory: a sequence of texts, files and base64-encoded files, read
/// while it is sent. A plain value that opens no file.
class request_body {
public:
    void add_text(std::string text);
    void add_file(file_range range);
    /// Standard base64 with padding, without line breaks.
    void add_base64(file_range range);

    /// Bytes of the whole encoded body.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

private:
    friend class body_reader;

    enum class encoding : std::uint8_t { raw, base64 };
    struct encoded_file {
        file_range range;
        encoding how = encoding::raw;
    };
    std::vector<std::variant<std::string, encoded_file>> pieces_;
    std::uint64_t size_ = 0;
};

/// Reads a body sequentially. Holds one open file and a fixed buffer.
class body_reader {
public:
    /// `body` must outlive the reader.
    explicit body_reader(const request_body& body);
    ~body_reader();

    /// Reads up to `target.size()` bytes and returns their number; 0 at the end. Errors:
    /// storage_failed when a file cannot be read or has become shorter.
    [[nodiscard]] result<std::size_t> read(std::span<char> target);

    /// Restarts at the first byte.
    void rewind() noexcept;

    [[nodiscard]] bool at_end() const noexcept { return piece_ == body_.pieces_.size(); }

private:
    class open_range;

    [[nodiscard]] result<std::size_t> read_piece(std::span<char> target);

    const request_body& body_;
    std::size_t piece_ = 0;
    std::size_t text_position_ = 0;
    std::unique_ptr<open_range> range_;
};

}  // namespace reelsd::net
