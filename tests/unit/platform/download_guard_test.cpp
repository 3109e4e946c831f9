// Goal: no media server can redirect a download to an internal address, exceed its time or replace
// its file. Method: whole downloads from scripted servers on loopback; this program's getaddrinfo()
// replaces the system's, so that tests decide on the result of each look-up.
#include "stand_in.hpp"
#include "support/scripted_server.hpp"
#include <reelsd/platform/downloader.hpp>
#include <reelsd/platform/source.hpp>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

namespace reelsd::platform {
namespace {

using reelsd::test::scripted_server;

/// The addresses of names, one per look-up; the last one is kept.
class name_book {
public:
    void set(const std::string& name, std::vector<std::string> addresses) {
        const std::scoped_lock hold{mutex_};
        names_[name] = {.addresses = std::move(addresses)};
    }
    /// The address of the next look-up; empty for names that are not in it.
    std::string look_up(const std::string& name) {
        const std::scoped_lock hold{mutex_};
        const auto found = names_.find(name);
        if (found == names_.end()) return {};
        auto& [addresses, count] = found->second;
        return addresses[std::min(count++, addresses.size() - 1)];
    }
    std::size_t count(const std::string& name) {
        const std::scoped_lock hold{mutex_};
        return names_[name].count;
    }

private:
    struct entry {
        std::vector<std::string> addresses = {};
        std::size_t count = 0;
    };
    std::mutex mutex_;
    std::map<std::string, entry> names_;
};

name_book& names() {
    static name_book one;
    return one;
}

}  // namespace
}  // namespace reelsd::platform

extern "C" int getaddrinfo(
    const char* node, const char* service, const addrinfo* hints, addrinfo** results) {
    using look_up = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto system = reinterpret_cast<look_up>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    const auto address =
        reelsd::platform::names().look_up(node == nullptr ? std::string{} : std::string{node});
    return system(address.empty() ? node : address.c_str(), service, hints, results);
}

namespace reelsd::platform {
namespace {

using test::patience;
using test::scratch_folder;

constexpr std::string_view video_head{
    "\0\0\0\x18"
    "ftypmp42",
    12};

std::string video_of(std::size_t bytes) {
    return std::string{video_head} + std::string(bytes - video_head.size(), 'v');
}

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream{file, std::ios::binary}.rdbuf();
    return text.str();
}

std::string answer_of(const std::string& status, const std::string& fields, std::size_t length) {
    return "HTTP/1.1 " + status + "\r\n" + fields + "Content-Length: " + std::to_string(length) +
           "\r\n\r\n";
}

class DownloadGuard : public ::testing::Test {
protected:
    result<download_outcome> download(
        const std::string& url, net::address_policy policy, downloader_settings settings = {},
        deadline by = patience()) {
        const net::http_client client{{.policy = std::move(policy)}};
        post subject;
        subject.media = remote_media{.url = url};
        return downloader{client, std::move(settings)}.download(subject, target_, by, {});
    }

    /// From a trusted server that redirects every request.
    result<download_outcome> redirected(const std::string& location, net::address_policy policy) {
        const scripted_server outer{[&](scripted_server::connection& peer) {
            peer.read_request();
            peer.write(answer_of("302 Found", "Location: " + location + "\r\n", 0));
        }};
        policy.trusted_origins = {outer.origin()};
        return download(outer.origin() + "/v/a.mp4", std::move(policy));
    }

    void expect_refused(const result<download_outcome>& got) const {
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code(), errc::address_refused) << got.error().to_string();
        EXPECT_TRUE(scratch_.is_empty());
    }

    scratch_folder scratch_;
    std::filesystem::path target_ = scratch_.path() / "video.mp4";
};

const std::vector<std::string> media_hosts{"cdninstagram.com", "fbcdn.net"};

/// Forbidden targets in all notations; "PORT" is a port that would answer.
constexpr const char* inward[] = {
    "http://127.0.0.1:PORT/",
    "//127.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f000001:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://[::1]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[::ffff:7f00:1]:PORT/",
    "http://localhost:PORT/",
    "http://0.0.0.0:PORT/",
    "https://127.0.0.1:PORT/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://localhost/",
    "https://10.0.0.1/",
    "https://167772161/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://3232235777/",
    "https://100.64.0.1/",
    "https://[fd00::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[64:ff9b::a00:1]/",
    "https://[2002:a00:1::]/",
};

/// Forbidden also where private addresses are allowed.
constexpr const char* to_metadata[] = {
    "https://169.254.169.254/latest/meta-data/",
    "http://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://0xa9fea9fe/",
    "https://0251.0376.0251.0376/",
    "https://169.16689662/",
    "https://[fe80::1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[::a9fe:a9fe]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[2002:a9fe:a9fe::]/",
    "https://0.0.0.0/",
    "https://[::]/",
};

std::string with_port(std::string location, const scripted_server& server) {
    const auto origin = server.origin();
    const auto at = location.find("PORT");
    if (at != std::string::npos) location.replace(at, 4, origin.substr(origin.rfind(':') + 1));
    return location;
}

TEST_F(DownloadGuard, RefusesRedirectsToInternalAddresses) {
    std::atomic<int> reached{0};
    const scripted_server inner{[&](scripted_server::connection&) { ++reached; }};
    for (const char* location : inward) {
        SCOPED_TRACE(location);
        expect_refused(redirected(with_port(location, inner), {.host_suffixes = media_hosts}));
        // Without a list of hosts, only the address decides.
        expect_refused(redirected(with_port(location, inner), {}));
    }
    EXPECT_EQ(reached, 0);
}

// Allowing private addresses adds no host to the list.
TEST_F(DownloadGuard, RefusesRedirectsToUnlistedPrivateHosts) {
    std::atomic<int> reached{0};
    const scripted_server inner{[&](scripted_server::connection&) { ++reached; }};
    for (const char* location :
         {"http://127.0.0.2:PORT/",
          "http://2130706434:PORT/",
          "http://localhost:PORT/",
          "http://[::ffff:127.0.0.1]:PORT/",
          "https://10.0.0.1/",
          "https://[::1]/"}) {
        SCOPED_TRACE(location);
        const net::address_policy policy{.host_suffixes = {"127.0.0.1"}, .allow_private = true};
        expect_refused(redirected(with_port(location, inner), policy));
        expect_refused(download(with_port(location, inner), policy));
    }
    EXPECT_EQ(reached, 0);
}

TEST_F(DownloadGuard, RefusesRedirectsToCloudMetadata) {
    for (const char* location : to_metadata) {
        SCOPED_TRACE(location);
        for (const bool allow_private : {false, true}) {
            const net::address_policy any{.allow_private = allow_private};
            expect_refused(redirected(location, any));
            expect_refused(redirected(
                location, {.host_suffixes = media_hosts, .allow_private = allow_private}));
        }
    }
}

TEST_F(DownloadGuard, ChecksTheAddressOfAName) {
    for (const char* address :
         {"127.0.0.1",
          "10.0.0.1",
          "192.168.1.1",
          "169.254.169.254",
          "::1",
          "fd00:ec2::254",
          "fe80::1",
          "::ffff:127.0.0.1",
          "::ffff:169.254.169.254"}) {
        SCOPED_TRACE(address);
        names().set("inward.cdninstagram.com", {address});
        const std::string url = "https://inward.cdninstagram.com/v/a.mp4";
        expect_refused(download(url, {.host_suffixes = media_hosts}));
        expect_refused(redirected(url, {.host_suffixes = media_hosts}));
        EXPECT_EQ(names().count("inward.cdninstagram.com"), 2U);
    }
}

// A name with a public address at the check, and another address at the connection.
TEST_F(DownloadGuard, ChecksEachAddressOfAName) {
    const std::string name = "changing.cdninstagram.com";
    names().set(name, {"127.0.0.1", "169.254.169.254"});
    const auto url_of = [&](const scripted_server& server) {
        return "http://" + name + server.origin().substr(server.origin().rfind(':'));
    };
    std::atomic<int> reached{0};
    const scripted_server second{[&](scripted_server::connection&) { ++reached; }};
    const scripted_server first{[&](scripted_server::connection& peer) {
        ++reached;
        peer.read_request();
        peer.write(answer_of("302 Found", "Location: " + url_of(second) + "/v/b.mp4\r\n", 0));
    }};
    expect_refused(download(
        url_of(first) + "/v/a.mp4", {.host_suffixes = media_hosts, .allow_private = true}));
    EXPECT_EQ(reached, 1);
    EXPECT_EQ(names().count(name), 2U);
}

TEST_F(DownloadGuard, ResumesOnlyTheSameFile) {
    const auto other = video_of(3000);
    std::vector<std::string> requests;
    const scripted_server server{[&](scripted_server::connection& peer) {
        requests.push_back(peer.read_request());
        if (requests.size() == 1) {
            peer.write(answer_of("200 OK", "ETag: \"one\"\r\n", 2000) + video_of(1000));
        } else if (requests.size() == 2) {
            const std::string range = "Content-Range: bytes 1000-2999/3000\r\n";
            peer.write(answer_of("206 Partial Content", range, 2000) + other.substr(1000));
        } else {
            peer.write(answer_of("200 OK", "", other.size()) + other);
        }
    }};
    const auto got = download(server.origin() + "/v/a.mp4", {.trusted_origins = {server.origin()}});
    ASSERT_TRUE(got) << got.error().to_string();
    EXPECT_EQ(text_of(std::get<media_file>(*got).file), other);
    ASSERT_EQ(requests.size(), 3U);
    EXPECT_THAT(requests[1], ::testing::HasSubstr("Range: bytes=1000-\r\n"));
    EXPECT_THAT(requests[1], ::testing::HasSubstr("If-Range: \"one\"\r\n"));
    EXPECT_THAT(requests[2], ::testing::Not(::testing::HasSubstr("Range:")));
}

// Aborted because it is too slow, and resumed.
TEST_F(DownloadGuard, HasAMinimumSpeed) {
    const auto video = video_of(2000);
    std::atomic<int> requests{0};
    const scripted_server server{[&](scripted_server::connection& peer) {
        const auto request = peer.read_request();
        if (++requests == 1) {
            peer.write(answer_of("200 OK", "", video.size()) + video.substr(0, 1000));
            peer.wait_for_close();
        } else if (request.find("Range: bytes=1000-\r\n") != std::string::npos) {
            const std::string range = "Content-Range: bytes 1000-1999/2000\r\n";
            peer.write(answer_of("206 Partial Content", range, 1000) + video.substr(1000));
        }
    }};
    const auto got = download(
        server.origin() + "/v/a.mp4",
        {.trusted_origins = {server.origin()}},
        {.slowest = {.bytes_per_second = 1024, .during = std::chrono::seconds{1}}});
    ASSERT_TRUE(got) << got.error().to_string();
    EXPECT_EQ(text_of(std::get<media_file>(*got).file), video);
    EXPECT_EQ(requests, 2);
}

TEST_F(DownloadGuard, EndsAtTheDeadlineDuringABody) {
    const scripted_server server{[&](scripted_server::connection& peer) {
        peer.read_request();
        peer.write(answer_of("200 OK", "", 2000) + video_of(1000));
        peer.wait_for_close();
    }};
    const auto got = download(
        server.origin() + "/v/a.mp4",
        {.trusted_origins = {server.origin()}},
        {},
        deadline::after(std::chrono::milliseconds{300}));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), errc::timed_out) << got.error().to_string();
    EXPECT_TRUE(scratch_.is_empty());
}

result<net::http_response> look_up(const source_settings& settings) {
    const auto platform = net::url::parse(settings.platform_url);
    const net::http_client client{{.policy = lookup_policy(settings, *platform)}};
    return client.send({.url = settings.platform_url + "/reel/abc/"}, patience(), {});
}

// Only an origin that the operator configured may have a private address.
TEST(LookUpGuard, RefusesAPrivateAddressOfThePublicPlatform) {
    for (const char* address :
         {"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254"}) {
        SCOPED_TRACE(address);
        names().set("www.instagram.com", {address});
        const auto got = look_up({});
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code(), errc::address_refused) << got.error().to_string();
        EXPECT_EQ(names().count("www.instagram.com"), 1U);
    }
}

TEST(LookUpGuard, AllowsAPrivateOriginOfTheOperator) {
    const scripted_server server{[](scripted_server::connection& peer) {
        peer.read_request();
        peer.write(answer_of("200 OK", "", 0));
    }};
    const auto got = look_up({.platform_url = server.origin()});
    ASSERT_TRUE(got) << got.error().to_string();
    EXPECT_EQ(got->status(), 200);
}

}  // namespace
}  // namespace reelsd::platform
