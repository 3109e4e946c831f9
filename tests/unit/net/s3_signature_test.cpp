// Goal: requests are signed as S3 requires. Method: the examples of AWS's "Signature Calculations
// for the Authorization Header: Transferring Payload in a Single Chunk".
#include <reelsd/net/s3_store.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace reelsd::net {
namespace {

constexpr std::string_view example_date = "20130524T000000Z";
constexpr std::string_view no_content =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

s3_credentials example_credentials() {
    return {
        .region = "us-east-1",
        .access_key = "AKIAIOSFODNN7EXAMPLE",
        .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
}

std::string signed_by_example(const signed_parts& parts) {
    return s3_authorization(example_credentials(), parts, example_date);
}

TEST(S3Signature, OfGetWithARange) {
    const signed_parts parts{
        .method = "GET",
        .path = "/test.txt",
        .query = {},
        .headers =
            {{"range", "bytes=0-9"},
             {"x-amz-date", std::string{example_date}},
             {"host", "examplebucket.s3.amazonaws.com"},
             {"x-amz-content-sha256", std::string{no_content}}},
        .payload_sha256 = std::string{no_content}};
    EXPECT_EQ(
        signed_by_example(parts),
        "AWS4-HMAC-SHA256 "
        "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(S3Signature, OfPut) {
    const auto digest = sha256_of("Welcome to Amazon S3.");
    EXPECT_EQ(digest, "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
    const signed_parts parts{
        .method = "PUT",
        .path = s3_path("/test$file.text"),
        .query = {},
        .headers =
            {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
             {"host", "examplebucket.s3.amazonaws.com"},
             {"x-amz-content-sha256", digest},
             {"x-amz-date", std::string{example_date}},
             {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
        .payload_sha256 = digest};
    EXPECT_TRUE(signed_by_example(parts).ends_with(
        "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(S3Signature, OfQueries) {
    struct test_case {
        const char* query;
        const char* signature;
    };
    constexpr test_case cases[] = {
        {"lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
        {"max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
    };
    for (const auto& [query, signature] : cases) {
        const signed_parts parts{
            .method = "GET",
            .path = "/",
            .query = query,
            .headers =
                {{"host", "examplebucket.s3.amazonaws.com"},
                 {"x-amz-content-sha256", std::string{no_content}},
                 {"x-amz-date", std::string{example_date}}},
            .payload_sha256 = std::string{no_content}};
        EXPECT_TRUE(signed_by_example(parts).ends_with(signature)) << query;
    }
}

TEST(S3Signature, EncodesPathsAndDates) {
    EXPECT_EQ(s3_path("/media/a b+c=d@e/~x_.-"), "/media/a%20b%2Bc%3Dd%40e/~x_.-");
    EXPECT_EQ(s3_path("/\xC3\xA9"), "/%C3%A9");
    const std::chrono::sys_days day{std::chrono::year{2013} / 5 / 24};
    EXPECT_EQ(s3_date(day + std::chrono::seconds{3723}), "20130524T010203Z");
}

}  // namespace
}  // namespace reelsd::net
