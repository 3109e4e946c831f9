#include "base64.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace reelsd::media {
namespace {

std::vector<std::byte> bytes_in(std::string_view text) {
    std::vector<std::byte> bytes(text.size());
    std::ranges::transform(text, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
    return bytes;
}

TEST(Base64, SpeaksAsTheStandardDoes) {
    // Source: RFC 4648 section 10.
    constexpr std::pair<const char*, const char*> cases[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (const auto& [plain, encoded] : cases) {
        EXPECT_EQ(base64::encode(bytes_in(plain)), encoded);
        EXPECT_EQ(base64::decode(encoded), bytes_in(plain)) << encoded;
    }
}

TEST(Base64, KeepsEveryByteAtEveryPlace) {
    std::vector<std::byte> bytes;
    for (int value = 0; value < 256; ++value) {
        bytes.insert(bytes.end(), 1 + static_cast<std::size_t>(value % 3), std::byte(value));
    }
    EXPECT_EQ(base64::decode(base64::encode(bytes)), bytes);
}

TEST(Base64, RefusesWhatItWouldNotWrite) {
    const std::string cases[] = {
        "Z",
        "Zg",
        "Zg=",
        "Zm9v\n",
        "Zm 9",
        "Zg==Zg==",
        "=Zg=",
        "Z===",
        "====",
        "Zh==",  // Bits left over.
        "Zm9=",
        "Zm9-",
        "Zm9_",
        std::string{"Zm\0v", 4},
        "Zm\xc3\xa9",
    };
    for (const auto& text : cases) EXPECT_FALSE(base64::decode(text)) << text;
}

}  // namespace
}  // namespace reelsd::media
