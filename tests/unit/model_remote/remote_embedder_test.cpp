// Goal: vectors have length 1 and the order of their texts; malformed answers are refused; a
// request is sent once, and its billing is known; quantising keeps directions.
#include "remote_embedder.hpp"

#include "support/scripted_server.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/model/dense_embedder.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace reelsd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

const std::vector<std::string> two_texts{"one", "two"};

embedder_settings of_model(std::string model, int dimensions = 768) {
    return {
        .url = "",
        .key = "",
        .model = std::move(model),
        .dimensions = dimensions,
        .ca_file = "",
        .by_proxy = {}};
}

TEST(GeminiEmbeddings, NameTaskSizeAndModelForEachText) {
    const auto body = json::parse(gemini_embedding_body(
        of_model("gemini-embedding-001"), two_texts, embedding_purpose::document));
    ASSERT_EQ(body["requests"].size(), 2U);
    const auto& first = body["requests"][0];
    EXPECT_EQ(first["model"], "models/gemini-embedding-001");
    EXPECT_EQ(first["content"], json::parse(R"({"parts":[{"text":"one"}]})"));
    EXPECT_EQ(first["taskType"], "RETRIEVAL_DOCUMENT");
    EXPECT_EQ(first["outputDimensionality"], 768);
}

// Its task is part of the text, and its size may be the default.
TEST(GeminiEmbeddings, ALaterModelHasItsTaskInTheText) {
    const auto body = json::parse(gemini_embedding_body(
        of_model("gemini-embedding-2", 0), two_texts, embedding_purpose::query));
    const auto& first = body["requests"][0];
    EXPECT_EQ(first["content"]["parts"][0]["text"], "task: search result | query: one");
    EXPECT_FALSE(first.contains("taskType"));
    EXPECT_FALSE(first.contains("outputDimensionality"));
}

TEST(GeminiEmbeddings, AreNormalised) {
    const auto embedded =
        gemini_embeddings(json::parse(R"({"embeddings":[{"values":[3,4]},{"values":[0,-2]}]})"), 2);
    ASSERT_TRUE(embedded);
    EXPECT_THAT(embedded->vectors[0], ElementsAre(FloatNear(0.6F, 1e-6F), FloatNear(0.8F, 1e-6F)));
    EXPECT_THAT(embedded->vectors[1], ElementsAre(0.0F, -1.0F));
}

TEST(GeminiEmbeddings, OtherAnswersAreRefused) {
    for (const auto* const text :
         {"null",
          "[]",
          "{}",
          R"({"embeddings":[{"values":[1]}]})",
          R"({"embeddings":[{"values":[1]},{"values":[]}]})",
          R"({"embeddings":[{"values":[1]},{"values":["1"]}]})",
          R"({"embeddings":[{"values":[1]},{"values":[1e400]}]})"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(gemini_embeddings(json::parse(text, nullptr, false), 2));
    }
}

TEST(OpenAiEmbeddings, AreSortedByTheirIndex) {
    const auto embedded = openai_embeddings(
        json::parse(R"({"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[5,0]}],
                        "usage":{"prompt_tokens":9,"total_tokens":9}})"),
        2);
    ASSERT_TRUE(embedded);
    EXPECT_THAT(embedded->vectors[0], ElementsAre(1.0F, 0.0F));
    EXPECT_THAT(embedded->vectors[1], ElementsAre(0.0F, 1.0F));
    EXPECT_EQ(embedded->tokens, 9);
}

TEST(OpenAiEmbeddings, AVectorWithoutUsableComponentsIsEmpty) {
    const auto embedded = openai_embeddings(
        json::parse(R"({"data":[{"index":1,"embedding":[null,2]},{"index":0,"embedding":[5,0]},
                                {"index":2,"embedding":[0,0]}]})"),
        3);
    ASSERT_TRUE(embedded);
    EXPECT_THAT(embedded->vectors[0], ElementsAre(1.0F, 0.0F));
    EXPECT_THAT(embedded->vectors[1], ElementsAre());
    EXPECT_THAT(embedded->vectors[2], ElementsAre());
    EXPECT_FALSE(openai_embeddings(
        json::parse(R"({"data":[{"index":0,"embedding":[null]},{"index":0,"embedding":[1]}]})"),
        2));
}

TEST(OpenAiEmbeddings, TokensMayBeWrittenWithAFraction) {
    const auto embedded = openai_embeddings(
        json::parse(R"({"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":9.0}})"), 1);
    ASSERT_TRUE(embedded);
    EXPECT_EQ(embedded->tokens, 9);
}

TEST(OpenAiEmbeddings, TokensAreBounded) {
    const auto embedded = openai_embeddings(
        json::parse(R"({"data":[{"index":0,"embedding":[1]}],
                        "usage":{"prompt_tokens":18446744073709551615}})"),
        1);
    ASSERT_TRUE(embedded);
    EXPECT_EQ(embedded->tokens, 1'000'000'000);
}

TEST(OpenAiEmbeddings, ARepeatedOrInvalidIndexIsRefused) {
    for (const auto* const text :
         {R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})",
          R"({"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]})",
          R"({"data":[{"index":0,"embedding":[1]},{"embedding":[1]}]})"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(openai_embeddings(json::parse(text), 2));
    }
}

TEST(OpenAiEmbeddings, ASizeIsOnlySentIfConfigured) {
    const auto sized = json::parse(openai_embedding_body(of_model("m", 256), two_texts));
    EXPECT_EQ(sized["dimensions"], 256);
    EXPECT_EQ(sized["input"], json(two_texts));
    EXPECT_FALSE(
        json::parse(openai_embedding_body(of_model("m", 0), two_texts)).contains("dimensions"));
}

std::string embedding_response(int status, const std::string& body) {
    return fmt::format(
        "HTTP/1.1 {} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
        status,
        body.size(),
        body);
}

/// The outcome of one request to a scripted server, which accepts one connection.
embedding_reply reply_to(
    const std::string& answer, int dimensions = 2,
    std::unique_ptr<dense_embedder> (*embedder_with)(embedder_settings) = openai_embedder) {
    std::atomic<int> requests{0};
    const test::scripted_server server{[&](test::scripted_server::connection& peer) {
        static_cast<void>(peer.read_request());
        ++requests;
        peer.write(answer);
    }};
    auto with = of_model("m", dimensions);
    with.url = fmt::format("http://127.0.0.1:{}", server.port());
    const auto reply = embedder_with(with)->embed(
        two_texts, embedding_purpose::document, deadline::after(std::chrono::seconds{30}), {});
    EXPECT_EQ(requests, 1);
    return reply;
}

constexpr const char* two_vectors =
    R"({"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]}],
        "usage":{"prompt_tokens":9}})";
constexpr const char* two_vectors_and_an_error =
    R"({"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]}],
        "usage":{"prompt_tokens":9},"error":{}})";

TEST(EmbeddingRequest, EveryAnswerIsBilled) {
    for (const char* body : {two_vectors, two_vectors_and_an_error}) {
        const auto good = reply_to(embedding_response(200, body));
        ASSERT_TRUE(good.vectors);
        EXPECT_EQ(good.vectors->size(), 2U);
        EXPECT_EQ(good.billed, billing::counted);
        EXPECT_EQ(good.tokens, 9);
    }

    const auto odd = reply_to(embedding_response(200, two_vectors), 768);
    EXPECT_EQ(odd.vectors.error().code(), errc::model_misconfigured);
    EXPECT_EQ(odd.billed, billing::counted);
    EXPECT_EQ(odd.tokens, 9);

    const auto unreadable = reply_to(embedding_response(200, "?"));
    EXPECT_EQ(unreadable.vectors.error().code(), errc::model_unavailable);
    EXPECT_EQ(unreadable.billed, billing::counted);
    EXPECT_EQ(unreadable.tokens, 2) << "estimated";
}

// Otherwise one text would stop embedding for all accounts.
TEST(EmbeddingRequest, ATextWithoutAUsableVectorIsRefused) {
    const auto reply = reply_to(embedding_response(
        200,
        R"({"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[null,null]}],
            "usage":{"prompt_tokens":9}})"));
    EXPECT_EQ(reply.vectors.error().code(), errc::model_refused);
    EXPECT_EQ(reply.billed, billing::counted);
    EXPECT_EQ(reply.tokens, 9);
}

TEST(EmbeddingRequest, ARefusalIsNotBilled) {
    for (const int status : {400, 401, 429, 503}) {
        EXPECT_EQ(reply_to(embedding_response(status, "{}")).billed, billing::none) << status;
    }
}

// Otherwise a rate limit would be charged, and end embedding until the next start.
TEST(EmbeddingRequest, AnErrorWithStatus200IsAFailureOfItsOwnStatus) {
    struct test_case {
        const char* body;
        std::unique_ptr<dense_embedder> (*embedder_with)(embedder_settings);
        errc why;
        billing billed;
    };
    const test_case cases[] = {
        {R"({"error":{"message":"Rate limit exceeded","code":429}})",
         openai_embedder,
         errc::model_unavailable,
         billing::none},
        {R"({"error":{"message":"Rate limit exceeded","code":504}})",
         openai_embedder,
         errc::model_unavailable,
         billing::unknown},
        {R"({"object":"error","message":"Rate limit exceeded"})",
         openai_embedder,
         errc::model_unavailable,
         billing::none},
        {R"({"error":{"message":"Rate limit exceeded: too large","code":"422"}})",
         openai_embedder,
         errc::model_refused,
         billing::none},
        {R"({"error":{"code":429,"message":"Rate limit exceeded","status":"RESOURCE_EXHAUSTED"}})",
         gemini_embedder,
         errc::model_unavailable,
         billing::none},
    };
    for (const auto& expected : cases) {
        const auto reply =
            reply_to(embedding_response(200, expected.body), 2, expected.embedder_with);
        ASSERT_FALSE(reply.vectors) << expected.body;
        EXPECT_EQ(reply.vectors.error().code(), expected.why) << expected.body;
        EXPECT_THAT(reply.vectors.error().detail(), ::testing::HasSubstr("Rate limit exceeded"));
        EXPECT_EQ(reply.billed, expected.billed) << expected.body;
    }
}

TEST(EmbeddingRequest, ATextThatIsTooLongIsRefused) {
    for (const int status : {400, 413, 422}) {
        const auto reply = reply_to(embedding_response(status, "{}"));
        EXPECT_EQ(reply.vectors.error().code(), errc::model_refused) << status;
    }
    const auto longer = reply_to(embedding_response(
        400, R"({"error":{"message":"This model's maximum context length is 512 tokens"}})"));
    EXPECT_EQ(longer.vectors.error().code(), errc::model_refused);
    for (const int status : {401, 404, 429, 500, 502, 503}) {
        const auto reply = reply_to(embedding_response(status, "{}"));
        EXPECT_NE(reply.vectors.error().code(), errc::model_refused) << status;
    }
}

// Otherwise a passing fault would shorten a vector for good.
TEST(EmbeddingRequest, AFaultOfTheServerRefusesATextOnlyIfItNamesTheLength) {
    struct test_case {
        const char* message;
        std::unique_ptr<dense_embedder> (*embedder_with)(embedder_settings);
        errc why;
    };
    const test_case cases[] = {
        {"input (992 tokens) is too large to process. increase the physical batch size",
         openai_embedder,
         errc::model_refused},
        {"the input length exceeds the context length", openai_embedder, errc::model_refused},
        {"failed to encode response: json: unsupported value: NaN",
         openai_embedder,
         errc::model_refused},
        {"The server had an error processing your request",
         openai_embedder,
         errc::model_unavailable},
        {"An internal error has occurred. Please retry", gemini_embedder, errc::model_unavailable},
        {"the text is too long", gemini_embedder, errc::model_unavailable},
    };
    for (const auto& expected : cases) {
        const auto body =
            fmt::format(R"({{"error":{{"code":500,"message":"{}"}}}})", expected.message);
        const auto reply = reply_to(embedding_response(500, body), 2, expected.embedder_with);
        EXPECT_EQ(reply.vectors.error().code(), expected.why) << expected.message;
    }
}

// The server had the whole request, so a second one could be billed again.
TEST(EmbeddingRequest, ALostAnswerMayBeBilledAndIsNotRetried) {
    const auto reply = reply_to("");
    EXPECT_EQ(reply.vectors.error().code(), errc::model_unavailable);
    EXPECT_EQ(reply.billed, billing::unknown);
}

TEST(DenseVector, QuantisingKeepsDirections) {
    dense_vector vector;
    dense_vector other;
    for (int at = 0; at < 768; ++at) {
        vector.push_back(static_cast<float>(std::sin(at * 0.7)));
        other.push_back(static_cast<float>(std::sin(at * 0.7) + 0.5 * std::cos(at * 1.3)));
    }
    ASSERT_TRUE(normalise(vector));
    ASSERT_TRUE(normalise(other));
    double exact = 0;
    for (std::size_t at = 0; at < vector.size(); ++at)
        exact += double{vector[at]} * double{other[at]};
    EXPECT_NEAR(similarity(vector, quantised(other)).value(), exact, 0.01);
    EXPECT_NEAR(similarity(vector, quantised(vector)).value(), 1.0, 0.01);
}

TEST(DenseVector, VectorsWithoutDirectionAreUnchanged) {
    dense_vector empty;
    EXPECT_FALSE(normalise(empty));
    dense_vector zero{0, 0};
    EXPECT_FALSE(normalise(zero));
    dense_vector broken{1, std::numeric_limits<float>::quiet_NaN()};
    EXPECT_FALSE(normalise(broken));
}

TEST(DenseVector, VectorsOfOtherSizesAreNotCompared) {
    EXPECT_FALSE(similarity({1, 0}, quantised({1, 0, 0})));
    EXPECT_FALSE(similarity({1, 0}, {}));
}

}  // namespace
}  // namespace reelsd::model
