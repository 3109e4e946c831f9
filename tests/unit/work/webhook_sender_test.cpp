// Goal: how responses are interpreted, and which addresses get no request. Method: a server that
// sends scripted bytes.
#include "support/scripted_server.hpp"
#include <reelsd/domain/webhooks/delivery.hpp>
#include <reelsd/work/webhooks/webhook_sender.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;

webhooks::claimed_delivery delivery_to(std::string url) {
    webhooks::claimed_delivery delivery;
    delivery.message_id = "msg_1";
    delivery.url = std::move(url);
    delivery.job.id = job_id{42};
    delivery.job.url = "https://www.instagram.com/reel/a/";
    delivery.job.status = jobs::job_status::done;
    delivery.job.result = R"({"visual":{}})";
    delivery.secrets.push_back(webhooks::generate_webhook_secret());
    return delivery;
}

const webhook_sender& loose_sender() {
    static const webhook_sender sender{
        {.networks = {*ip_network::parse("127.0.0.0/8")}, .user_agent = "reelsd/test"}};
    return sender;
}

/// Sends a delivery to a server that sends this response and then closes the connection.
sent_webhook try_at(const std::string& answer, std::string* request = nullptr) {
    test::scripted_server server{[&](test::scripted_server::connection& link) {
        auto asked = link.read_request();
        if (request != nullptr) *request = std::move(asked);
        link.write(answer);
    }};
    return loose_sender().send(delivery_to(server.origin() + "/hook?k=v"), {});
}

TEST(WebhookSender, PostsTheJobSigned) {
    std::string request;
    const auto sent = try_at("HTTP/1.1 204 No Content\r\n\r\n", &request);
    EXPECT_EQ(sent.ended.status_code, 204);
    EXPECT_TRUE(request.starts_with("POST /hook?k=v HTTP/1.1\r\n")) << request;
    for (const auto* const field :
         {"Content-Type: application/json\r\n",
          "User-Agent: reelsd/test\r\n",
          "Connection: close\r\n",
          "webhook-id: msg_1\r\n",
          "webhook-timestamp: 1",
          "webhook-signature: v1,"}) {
        EXPECT_NE(request.find(field), std::string::npos) << field << request;
    }
    EXPECT_TRUE(request.ends_with(R"(,"result":{"visual":{}}})")) << request;
}

TEST(WebhookSender, KeepsTheFirstBytesOfAnAnswer) {
    EXPECT_EQ(try_at("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").ended.answer, "ok");
    const auto long_answer =
        try_at("HTTP/1.1 500 No\r\nContent-Length: 3000\r\n\r\n" + std::string(3000, 'x'));
    EXPECT_EQ(long_answer.ended.answer, std::string(1024, 'x'));
}

TEST(WebhookSender, ATestSaysSo) {
    auto delivery = delivery_to("https://a.test/");
    delivery.is_test = true;
    EXPECT_TRUE(
        webhooks::delivery_body(delivery).starts_with(R"({"type":"webhook.test","id":42,)"));
}

TEST(WebhookSender, AStatusIsAnAnswer) {
    EXPECT_EQ(try_at("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").ended.status_code, 200);
    EXPECT_EQ(
        try_at("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
            .ended.status_code,
        302);
    const auto busy =
        try_at("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n").ended;
    EXPECT_EQ(busy.status_code, 503);
    EXPECT_EQ(busy.retry_after, seconds_f{7});
}

TEST(WebhookSender, ATruncatedResponseDoesNotCount) {
    for (const auto* const answer :
         {"",
          "HTTP/1.1 200",
          "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
          "hello\r\n\r\n"}) {
        SCOPED_TRACE(answer);
        const auto sent = try_at(answer);
        EXPECT_EQ(sent.ended.status_code, std::nullopt);
        EXPECT_EQ(sent.ended.failure, errc::connection_failed);
    }
}

TEST(WebhookSender, ALongResponseIsNotReadToItsEnd) {
    const auto sent =
        try_at("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + std::string(100'000, 'x'));
    EXPECT_EQ(sent.ended.status_code, 200);
}

TEST(WebhookSender, AStopAbortsIt) {
    std::stop_source stop;
    test::scripted_server server{[&](test::scripted_server::connection& link) {
        link.read_request();
        stop.request_stop();
        link.wait_for_close();
    }};
    const auto sent = loose_sender().send(delivery_to(server.origin() + "/"), stop.get_token());
    EXPECT_EQ(sent.ended.failure, errc::cancelled);
}

TEST(WebhookSender, NothingIsSentToPrivateAddresses) {
    int connections = 0;
    test::scripted_server server{[&](test::scripted_server::connection&) { ++connections; }};
    const webhook_sender sender{{}};
    for (const auto& url : {server.origin() + "/", std::string{"https://localhost/"}}) {
        const auto sent = sender.send(delivery_to(url), {});
        EXPECT_EQ(sent.ended.failure, errc::address_refused) << url;
    }
    EXPECT_EQ(connections, 0);
}

// A host name may resolve to an address outside the networks that the operator allows.
TEST(WebhookSender, PlainHttpStaysInItsNetworks) {
    int connections = 0;
    test::scripted_server server{[&](test::scripted_server::connection&) { ++connections; }};
    const webhook_sender sender{{.networks = {*ip_network::parse("10.0.0.0/8")}}};
    const auto port = server.origin().substr(server.origin().rfind(':'));
    const auto sent = sender.send(delivery_to("http://localhost" + port + "/"), {});
    EXPECT_EQ(sent.ended.failure, errc::address_refused);
    EXPECT_NE(sent.detail.find("webhook-networks"), std::string::npos) << sent.detail;
    EXPECT_EQ(connections, 0);
}

TEST(WebhookSender, ExplainsWhatAnAddressMustBe) {
    const webhook_sender strict{{}};
    const auto why = [](const webhook_sender& sender, std::string_view url) {
        const auto checked = sender.check(url);
        return checked ? std::string{} : checked.error().detail();
    };
    const auto* const shape =
        "must be an https URL without user name and password, in ASCII (punycode, percent "
        "escapes), with a valid port";
    EXPECT_EQ(why(strict, "https://example.org/a?b"), "");
    EXPECT_EQ(why(strict, "HTTPS://EXAMPLE.ORG:443"), "");
    EXPECT_EQ(why(strict, "https://a.test/" + std::string(2033, 'a')), "");
    EXPECT_EQ(
        why(strict, "https://a.test/" + std::string(2034, 'a')), "must be at most 2048 characters");
    for (const auto* const url :
         {"",
          "example.org",
          "//example.org/",
          "https://",
          "https://a@b/",
          "https://a b/",
          "https://b\xc3\xbc.test/",
          "file:///etc/passwd",
          "https://127.0.0.1./",
          "https://0x7f000001./",
          "https://127.1./",
          "https://1.2.3.4.5/",
          "https://999999999999/",
          "https://example.org:65536/",
          "https://a\\b/"}) {
        EXPECT_EQ(why(strict, url), shape) << url;
    }
    const auto* const inward =
        "must lead to a public address, or to a private network in REELSD_WEBHOOK_NETWORKS";
    const auto* const plain = "must be an https URL; http is only for REELSD_WEBHOOK_NETWORKS";
    EXPECT_EQ(why(strict, "http://example.org/"), plain);
    EXPECT_EQ(why(strict, "https://example.org:444/"), "must not name a port other than 443");
    EXPECT_EQ(why(strict, "https://0x7f.1/"), inward);
    EXPECT_EQ(why(strict, "http://127.0.0.1:8000/"), inward);
    EXPECT_EQ(why(loose_sender(), "http://127.0.0.1:8000/"), "");
    EXPECT_EQ(why(loose_sender(), "http://receiver.test:8000/"), "");
    EXPECT_EQ(why(loose_sender(), "http://169.254.169.254/"), inward);
    EXPECT_EQ(why(loose_sender(), "https://10.0.0.1:444/"), inward);
    EXPECT_EQ(why(loose_sender(), "http://1.1.1.1/"), plain);
    EXPECT_EQ(why(loose_sender(), "https://1.1.1.1:444/"), "must not name a port other than 443");
    EXPECT_EQ(
        why(loose_sender(), "ftp://example.org/"),
        "must be an http or https URL without user name and password, in ASCII (punycode, percent "
        "escapes), with a valid port");
}

}  // namespace
}  // namespace reelsd::work
