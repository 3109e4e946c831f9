#include <reelsd/base/unique_fd.hpp>
#include <reelsd/net/request_body.hpp>

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace reelsd::net {
namespace {

/// Bytes per file read. A multiple of 3, so that base64 has padding only at the end.
constexpr std::size_t chunk_bytes = std::size_t{48} * 1024;
static_assert(chunk_bytes % 3 == 0);

constexpr std::uint64_t base64_size(std::uint64_t bytes) {
    return (bytes + 2) / 3 * 4;
}

error unreadable(int code) {
    return error{errc::storage_failed, "reading a file to send: " + errno_text(code)};
}

}  // namespace

void request_body::add_text(std::string text) {
    if (text.empty()) return;
    size_ += text.size();
    pieces_.emplace_back(std::move(text));
}

void request_body::add_file(file_range range) {
    if (range.bytes == 0) return;
    size_ += range.bytes;
    pieces_.emplace_back(encoded_file{std::move(range), encoding::raw});
}

void request_body::add_base64(file_range range) {
    if (range.bytes == 0) return;
    size_ += base64_size(range.bytes);
    pieces_.emplace_back(encoded_file{std::move(range), encoding::base64});
}

/// An open file range with a buffer of encoded bytes that read() has not returned yet.
class body_reader::open_range {
public:
    open_range(unique_fd file, const request_body::encoded_file& piece)
        : file_{std::move(file)},
          is_base64_{piece.how == request_body::encoding::base64},
          position_{piece.range.offset},
          left_{piece.range.bytes} {}

    [[nodiscard]] bool at_end() const noexcept { return left_ == 0 && taken_ == ready_; }

    result<std::size_t> read(std::span<char> target) {
        if (taken_ == ready_) {
            const auto filled = fill();
            if (!filled) return filled.error();
        }
        const auto count = std::min(target.size(), ready_ - taken_);
        std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(taken_), count, target.begin());
        taken_ += count;
        return count;
    }

private:
    result<void> fill() {
        const auto chunk = static_cast<std::size_t>(std::min<std::uint64_t>(left_, chunk_bytes));
        std::size_t got = 0;
        while (got < chunk) {
            const auto count = ::pread(
                file_.get(), in_.data() + got, chunk - got, static_cast<off_t>(position_ + got));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return unreadable(errno);
            if (count == 0)
                return error{errc::storage_failed, "a file became shorter while it was sent"};
            got += static_cast<std::size_t>(count);
        }
        position_ += got;
        left_ -= got;
        taken_ = 0;
        ready_ = encode(got);
        return {};
    }

    std::size_t encode(std::size_t count) {
        if (!is_base64_) {
            std::copy_n(in_.begin(), count, out_.begin());
            return count;
        }
        // EVP_EncodeBlock() appends a NUL; the buffer has room for it.
        return static_cast<std::size_t>(
            EVP_EncodeBlock(out_.data(), in_.data(), static_cast<int>(count)));
    }

    unique_fd file_;
    bool is_base64_;
    std::uint64_t position_;
    std::uint64_t left_;
    std::array<unsigned char, chunk_bytes> in_{};
    std::array<unsigned char, base64_size(chunk_bytes) + 1> out_{};
    std::size_t taken_ = 0;
    std::size_t ready_ = 0;
};

body_reader::body_reader(const request_body& body) : body_{body} {}
body_reader::~body_reader() = default;

void body_reader::rewind() noexcept {
    piece_ = 0;
    text_position_ = 0;
    range_.reset();
}

result<std::size_t> body_reader::read(std::span<char> target) {
    std::size_t done = 0;
    while (done < target.size() && !at_end()) {
        const auto count = read_piece(target.subspan(done));
        if (!count) return count.error();
        done += *count;
    }
    return done;
}

result<std::size_t> body_reader::read_piece(std::span<char> target) {
    const auto& piece = body_.pieces_[piece_];
    if (const auto* text = std::get_if<std::string>(&piece)) {
        const auto count = text->copy(target.data(), target.size(), text_position_);
        text_position_ += count;
        if (text_position_ == text->size()) {
            text_position_ = 0;
            ++piece_;
        }
        return count;
    }
    if (!range_) {
        const auto& encoded = std::get<request_body::encoded_file>(piece);
        unique_fd file{::open(encoded.range.file.c_str(), O_RDONLY | O_CLOEXEC)};
        if (!file) return unreadable(errno);
        range_ = std::make_unique<open_range>(std::move(file), encoded);
    }
    auto count = range_->read(target);
    if (count && range_->at_end()) {
        range_.reset();
        ++piece_;
    }
    return count;
}

}  // namespace reelsd::net
