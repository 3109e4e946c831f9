// Goal: a server needs a certificate for its name that the configured bundle trusts. Method: a TLS
// server on loopback with a generated certificate.
#include "support/scripted_server.hpp"
#include <reelsd/net/http_client.hpp>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace reelsd::net {
namespace {

template <auto Free>
struct freed {
    template <class Thing>
    void operator()(Thing* thing) const noexcept {
        Free(thing);
    }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed<EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, freed<X509_free>>;
using context_ptr = std::unique_ptr<SSL_CTX, freed<SSL_CTX_free>>;
using session_ptr = std::unique_ptr<SSL, freed<SSL_free>>;
using bio_ptr = std::unique_ptr<BIO, freed<BIO_free>>;

/// A self-signed certificate for "localhost".
certificate_ptr make_certificate(EVP_PKEY* key) {
    certificate_ptr certificate{X509_new()};
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME* name = X509_get_subject_name(certificate.get());
    const std::string common{"reelsd test"};
    X509_NAME_add_entry_by_txt(
        name,
        "CN",
        MBSTRING_ASC,
        reinterpret_cast<const unsigned char*>(common.data()),
        static_cast<int>(common.size()),
        -1,
        0);
    X509_set_issuer_name(certificate.get(), name);
    using extension_ptr = std::unique_ptr<X509_EXTENSION, freed<X509_EXTENSION_free>>;
    const extension_ptr names{
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost")};
    X509_add_ext(certificate.get(), names.get(), -1);
    X509_sign(certificate.get(), key, EVP_sha256());
    return certificate;
}

/// Answers one request per connection with "hello".
class tls_answer {
public:
    tls_answer() {
        const key_ptr key{EVP_EC_gen("P-256")};
        certificate_ = make_certificate(key.get());
        SSL_CTX_use_certificate(context_.get(), certificate_.get());
        SSL_CTX_use_PrivateKey(context_.get(), key.get());
    }

    void operator()(test::scripted_server::connection& peer) const {
        const session_ptr session{SSL_new(context_.get())};
        SSL_set_fd(session.get(), peer.socket());
        char buffer[4096];
        if (SSL_accept(session.get()) != 1) return;
        if (SSL_read(session.get(), buffer, sizeof buffer) <= 0) return;
        constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        SSL_write(session.get(), answer.data(), static_cast<int>(answer.size()));
        SSL_shutdown(session.get());
    }

    void write_bundle(const std::filesystem::path& file) const {
        const bio_ptr out{BIO_new_file(file.c_str(), "w")};
        PEM_write_bio_X509(out.get(), certificate_.get());
    }

private:
    context_ptr context_{SSL_CTX_new(TLS_server_method())};
    certificate_ptr certificate_;
};

result<http_response> get_over_tls(const std::string& url, const std::string& ca_file) {
    const http_client client{{.policy = {.allow_private = true}, .ca_file = ca_file}};
    return client.send({.url = url}, deadline::after(std::chrono::seconds{60}), {});
}

TEST(Tls, RequiresATrustedCertificateOfThatName) {
    // The server writes to clients that close because of its certificate.
    std::signal(SIGPIPE, SIG_IGN);
    const tls_answer answer;
    const test::scripted_server server{
        [&answer](test::scripted_server::connection& peer) { answer(peer); }};
    std::string bundle = std::filesystem::temp_directory_path() / "reelsd-ca-XXXXXX";
    const int descriptor = ::mkstemp(bundle.data());
    ASSERT_GE(descriptor, 0);
    ::close(descriptor);
    answer.write_bundle(bundle);
    const auto port = std::to_string(server.port());

    const auto known = get_over_tls("https://localhost:" + port + "/", bundle);
    EXPECT_TRUE(known) << known.error().to_string();
    if (known) {
        EXPECT_EQ(known->body, "hello");
    }
    const auto other_name = get_over_tls("https://127.0.0.1:" + port + "/", bundle);
    ASSERT_FALSE(other_name);
    EXPECT_EQ(other_name.error().code(), errc::connection_failed);

    const auto unknown = get_over_tls("https://localhost:" + port + "/", "");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code(), errc::connection_failed);

    const http_client careless{{.policy = {.allow_private = true}, .any_certificate = true}};
    const auto unverified = careless.send(
        {.url = "https://127.0.0.1:" + port + "/"}, deadline::after(std::chrono::seconds{60}), {});
    EXPECT_TRUE(unverified) << unverified.error().to_string();

    const auto no_bundle = get_over_tls("https://localhost:" + port + "/", bundle + ".missing");
    ASSERT_FALSE(no_bundle);
    EXPECT_EQ(no_bundle.error().code(), errc::connection_failed);
    std::filesystem::remove(bundle);
}

}  // namespace
}  // namespace reelsd::net
