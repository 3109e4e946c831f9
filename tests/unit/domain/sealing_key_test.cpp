// Goal: what is sealed can be opened by the same key only, unchanged, and the key's file is
// private.
#include <reelsd/domain/models/stored_model.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace reelsd::models {
namespace {

struct SealingKey : ::testing::Test {
    SealingKey() { std::filesystem::create_directories(folder); }
    ~SealingKey() override { std::filesystem::remove_all(folder); }

    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("reelsd-sealing-" + std::to_string(::getpid()));
    std::filesystem::path file = folder / "secret-key";
};

TEST_F(SealingKey, IsCreatedOnceAndPrivate) {
    EXPECT_EQ(sealing_key::load(file).error().code(), errc::not_found);
    const auto created = sealing_key::load_or_create(file);
    ASSERT_TRUE(created);
    struct ::stat state = {};
    ASSERT_EQ(::stat(file.c_str(), &state), 0);
    EXPECT_EQ(state.st_mode & 0777U, 0600U);
    EXPECT_EQ(state.st_size, static_cast<off_t>(sealing_key::size));
    EXPECT_EQ(
        sealing_key::load_or_create(file).value().open(created->seal("text")).value(), "text");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator{folder}, {}), 1) << "no draft";
}

TEST_F(SealingKey, OpensOnlyWhatItHasSealed) {
    const auto key = sealing_key::load_or_create(file).value();
    const auto other = sealing_key::load_or_create(folder / "other").value();
    auto sealed = key.seal("a key");
    EXPECT_NE(sealed, key.seal("a key")) << "a nonce is used once";
    EXPECT_FALSE(other.open(sealed));
    EXPECT_FALSE(key.open({}));
    EXPECT_FALSE(key.open(std::span{sealed}.first(sealed.size() - 1)));
    sealed.back() ^= std::byte{1};
    EXPECT_FALSE(key.open(sealed));
}

TEST_F(SealingKey, RefusesAFileOfAnotherSize) {
    for (const std::size_t bytes : {std::size_t{0}, sealing_key::size - 1, sealing_key::size + 1}) {
        std::ofstream{file} << std::string(bytes, 'k');
        EXPECT_EQ(sealing_key::load_or_create(file).error().code(), errc::storage_failed) << bytes;
    }
    EXPECT_EQ(
        sealing_key::load_or_create(folder / "missing" / "key").error().code(),
        errc::storage_failed);
}

}  // namespace
}  // namespace reelsd::models
