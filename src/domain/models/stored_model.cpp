#include <reelsd/base/random.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/domain/models/stored_model.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace reelsd::models {

BOOST_DESCRIBE_STRUCT(sealed_model, (), (sealed, changed_at))

namespace {

static_assert(sealing_key::size == crypto_secretbox_KEYBYTES);

constexpr db::query find_query{"models.find", "SELECT sealed, changed_at FROM stored_model"};

constexpr db::query keep_query{"models.keep", R"sql(
    INSERT INTO stored_model AS kept (sealed) VALUES ($1)
    ON CONFLICT (singleton) DO UPDATE SET sealed = $1, changed_at = now())sql"};

constexpr db::query remove_query{"models.remove", "DELETE FROM stored_model"};

error failure(const std::filesystem::path& file, int code) {
    return error{
        code == ENOENT ? errc::not_found : errc::storage_failed,
        fmt::format("{}: {}", file.string(), errno_text(code))};
}

void prepare_library() {
    static const bool ready = sodium_init() >= 0;  // Harmless when it has been done.
    if (!ready) throw std::runtime_error{"no random bytes from the system"};
}

/// Writes a new key beside `file`, and links it to that name unless the name exists by then, so
/// that no process ever reads a part of a key.
result<void> create(const std::filesystem::path& file) {
    std::array<unsigned char, sealing_key::size> bytes{};
    randombytes_buf(bytes.data(), bytes.size());
    const auto draft = fmt::format("{}.{:016x}", file.string(), random_bits());
    const unique_fd opened{::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!opened) return failure(file, errno);
    const bool is_written =
        ::fchmod(opened.get(), 0600) == 0 &&
        ::write(opened.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
        ::fsync(opened.get()) == 0;
    const bool is_linked =
        is_written && (::link(draft.c_str(), file.c_str()) == 0 || errno == EEXIST);
    const int code = errno;
    static_cast<void>(::unlink(draft.c_str()));
    sodium_memzero(bytes.data(), bytes.size());
    if (!is_linked) return failure(file, code);
    return {};
}

const unsigned char* data_of(std::span<const std::byte> bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

result<sealing_key> sealing_key::load(const std::filesystem::path& file) {
    const unique_fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!opened) return failure(file, errno);
    std::array<unsigned char, size + 1> bytes{};
    const auto count = ::read(opened.get(), bytes.data(), bytes.size());
    if (count < 0) return failure(file, errno);
    if (count != static_cast<ssize_t>(size)) {
        return error{
            errc::storage_failed, fmt::format("{}: does not have {} bytes", file.string(), size)};
    }
    sealing_key key;
    std::copy_n(bytes.begin(), size, key.bytes_.begin());
    sodium_memzero(bytes.data(), bytes.size());
    return key;
}

result<sealing_key> sealing_key::load_or_create(const std::filesystem::path& file) {
    prepare_library();
    auto key = load(file);
    if (key || key.error().code() != errc::not_found) return key;
    if (const auto created = create(file); !created) {
        return error{errc::storage_failed, created.error().detail()};
    }
    return load(file);
}

std::vector<std::byte> sealing_key::seal(std::string_view text) const {
    prepare_library();
    std::vector<std::byte> sealed(
        crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + text.size());
    auto* const nonce = reinterpret_cast<unsigned char*>(sealed.data());
    randombytes_buf(nonce, crypto_secretbox_NONCEBYTES);
    crypto_secretbox_easy(
        nonce + crypto_secretbox_NONCEBYTES,
        reinterpret_cast<const unsigned char*>(text.data()),
        text.size(),
        nonce,
        bytes_.data());
    return sealed;
}

result<std::string> sealing_key::open(std::span<const std::byte> sealed) const {
    const error foreign{errc::invalid_argument, "another key has sealed it, or it was changed"};
    constexpr std::size_t overhead = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
    if (sealed.size() < overhead) return foreign;
    std::string text(sealed.size() - overhead, '\0');
    const auto box = sealed.subspan(crypto_secretbox_NONCEBYTES);
    const int opened = crypto_secretbox_open_easy(
        reinterpret_cast<unsigned char*>(text.data()),
        data_of(box),
        box.size(),
        data_of(sealed),
        bytes_.data());
    if (opened != 0) return foreign;
    return text;
}

awaitable<std::optional<sealed_model>> model_store::find(deadline by) {
    return read_optional<sealed_model>(by, find_query);
}

awaitable<void> model_store::keep(std::vector<std::byte> sealed, deadline by) {
    return execute(by, keep_query, std::move(sealed));
}

awaitable<bool> model_store::remove(deadline by) {
    return changed(by, remove_query);
}

}  // namespace reelsd::models
