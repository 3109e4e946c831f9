#include "transport.hpp"
#include <reelsd/http/tls_identity.hpp>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <new>
#include <utility>
#include <vector>

namespace reelsd::http {

namespace {

/// A chain of four certificates is 8 KiB. A larger file is not PEM.
constexpr std::size_t pem_bytes_max = std::size_t{256} * 1024;

/// Of TLS 1.2; all ciphers of 1.3 are acceptable.
constexpr auto ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr auto curves = "X25519:P-256:P-384";

template <auto Free>
struct freed_by {
    template <class Thing>
    void operator()(Thing* thing) const noexcept {
        Free(thing);
    }
};
using bio_ptr = std::unique_ptr<BIO, freed_by<&BIO_free>>;
using certificate_ptr = std::unique_ptr<X509, freed_by<&X509_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<&EVP_PKEY_free>>;

error refused(std::string_view what, const std::string& file, std::string_view why) {
    std::string detail{what};
    detail.append(" ").append(file).append(": ").append(why);
    return error{errc::conflict, std::move(detail)};
}

result<std::string> read_pem(std::string_view what, const std::string& file) {
    errno = 0;
    std::ifstream stream{file, std::ios::binary};
    std::string text(pem_bytes_max + 1, '\0');
    if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.is_open() || stream.bad()) {
        return refused(what, file, errno_text(errno));
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > pem_bytes_max) return refused(what, file, "it is too large to be PEM");
    return text;
}

bio_ptr reader_of(const std::string& text) {
    bio_ptr reader{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
    if (!reader) throw std::bad_alloc{};
    return reader;
}

/// Without this callback OpenSSL would ask for a password on the terminal.
int no_password(char* /*target*/, int /*size*/, int /*is_new*/, void* /*unused*/) {
    return -1;
}

result<std::vector<certificate_ptr>> read_chain(const std::string& file) {
    constexpr std::string_view what = "the certificate";
    const auto text = read_pem(what, file);
    if (!text) return text.error();
    const auto reader = reader_of(*text);
    std::vector<certificate_ptr> chain;
    for (;;) {
        certificate_ptr next{PEM_read_bio_X509(reader.get(), nullptr, &no_password, nullptr)};
        if (!next) break;
        chain.push_back(std::move(next));
    }
    // After the last certificate PEM's reader reports that none begins; other errors are damage.
    const auto ended = ERR_peek_last_error();
    const auto reasons = take_openssl_errors();
    if (chain.empty()) return refused(what, file, "it contains no PEM certificate");
    const bool at_end =
        ERR_GET_LIB(ended) == ERR_LIB_PEM && ERR_GET_REASON(ended) == PEM_R_NO_START_LINE;
    if (!at_end) return refused(what, file, "its chain is damaged: " + reasons);
    return chain;
}

result<key_ptr> read_key(const std::string& file) {
    constexpr std::string_view what = "the key";
    auto text = read_pem(what, file);
    if (!text) return text.error();
    const bool is_encrypted = text->find("ENCRYPTED") != std::string::npos;
    const auto reader = reader_of(*text);
    key_ptr key{PEM_read_bio_PrivateKey(reader.get(), nullptr, &no_password, nullptr)};
    ERR_clear_error();  // They repeat the two messages below.
    OPENSSL_cleanse(text->data(), text->size());
    if (key) return key;
    if (is_encrypted) return refused(what, file, "it is encrypted");
    return refused(what, file, "it contains no PEM private key");
}

/// HTTP/1.1, or 1.0 for a client that offers nothing newer. A client that offers only other
/// protocols gets an alert (RFC 7301 3.2).
int choose_protocol(
    SSL* /*session*/, const unsigned char** chosen, unsigned char* chosen_size,
    const unsigned char* offered, unsigned offered_size, void* /*unused*/) {
    static constexpr std::array<unsigned char, 18> ours{
        8, 'h', 't', 't', 'p', '/', '1', '.', '1', 8, 'h', 't', 't', 'p', '/', '1', '.', '0'};
    unsigned char* selected = nullptr;
    const int outcome = SSL_select_next_proto(
        &selected, chosen_size, ours.data(), unsigned{ours.size()}, offered, offered_size);
    *chosen = selected;
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// False when this build of OpenSSL lacks a requested setting.
bool configure(SSL_CTX* context) {
    SSL_CTX_set_options(
        context,
        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
            // Requests carry their length: an abrupt end cannot truncate one unnoticed.
            SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(
        context,
        // An idle connection has no buffer, and a response is written as its client reads it.
        SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // Session tickets are stored by the clients; a cache would grow on the server.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context, &choose_protocol, nullptr);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(context, ciphers) == 1 &&
           SSL_CTX_set1_groups_list(context, curves) == 1;
}

result<void> use_chain(
    SSL_CTX* context, const std::vector<certificate_ptr>& chain, const std::string& file) {
    bool is_used = SSL_CTX_use_certificate(context, chain.front().get()) == 1;
    for (std::size_t at = 1; is_used && at < chain.size(); ++at) {
        is_used = SSL_CTX_add1_chain_cert(context, chain[at].get()) == 1;
    }
    if (!is_used) return refused("the certificate", file, take_openssl_errors());
    return {};
}

result<void> use_key(SSL_CTX* context, EVP_PKEY* key, const tls_files& files) {
    const auto* const certificate = SSL_CTX_get0_certificate(context);
    if (X509_check_private_key(certificate, key) != 1) {
        ERR_clear_error();
        return refused(
            "the key", files.key, "it does not fit the certificate " + files.certificate);
    }
    if (SSL_CTX_use_PrivateKey(context, key) == 1) return {};
    return refused("the key", files.key, take_openssl_errors());
}

tls_identity::time end_of(const X509* certificate) {
    tm parts{};
    // Fails only for a malformed time, which the parser of certificates rejects.
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) return {};
    return tls_identity::time{std::chrono::seconds{::timegm(&parts)}};
}

}  // namespace

void tls_identity::context_deleter::operator()(ssl_ctx_st* context) const noexcept {
    SSL_CTX_free(context);
}

tls_identity::tls_identity(context_ptr context, time expires_at)
    : context_{std::move(context)}, expires_at_{expires_at} {}

tls_identity::~tls_identity() = default;

result<std::shared_ptr<const tls_identity>> tls_identity::load(const tls_files& files) {
    ERR_clear_error();
    const auto chain = read_chain(files.certificate);
    if (!chain) return chain.error();
    const auto key = read_key(files.key);
    if (!key) return key.error();

    context_ptr context{SSL_CTX_new(TLS_server_method())};
    if (!context || !configure(context.get())) {
        return error{errc::internal, "OpenSSL cannot serve TLS: " + take_openssl_errors()};
    }
    if (const auto used = use_chain(context.get(), *chain, files.certificate); !used)
        return used.error();
    if (const auto used = use_key(context.get(), key->get(), files); !used) return used.error();
    const auto expires_at = end_of(chain->front().get());
    return std::make_shared<const tls_identity>(std::move(context), expires_at);
}

}  // namespace reelsd::http
