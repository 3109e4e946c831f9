#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <support/raw_http.hpp>
#include <support/tls_credentials.hpp>

#include <array>
#include <cerrno>
#include <memory>
#include <string>

namespace reelsd::http {

/// TLS settings of a client.
struct tls_client_options {
    int version_max = TLS1_3_VERSION;
    /// Protocols in the format of ALPN: each after its size. Empty: none.
    std::string protocols = {};
};

/// A raw client over TLS. Accepts every certificate: tests check it themselves.
class tls_client : public testing::raw_client {
public:
    explicit tls_client(std::uint16_t port, const tls_client_options& options = {})
        : raw_client{port} {
        using context_ptr = std::unique_ptr<SSL_CTX, testing::freed_by<&SSL_CTX_free>>;
        const context_ptr context{SSL_CTX_new(TLS_client_method())};
        // Level 0 allows the versions that the server should refuse.
        SSL_CTX_set_security_level(context.get(), 0);
        tls_.reset(SSL_new(context.get()));
        SSL_set_min_proto_version(tls_.get(), TLS1_VERSION);
        SSL_set_max_proto_version(tls_.get(), options.version_max);
        if (!options.protocols.empty()) {
            const std::basic_string<unsigned char> list{
                options.protocols.begin(), options.protocols.end()};
            SSL_set_alpn_protos(tls_.get(), list.data(), static_cast<unsigned>(list.size()));
        }
        SSL_set_fd(tls_.get(), socket());
        ERR_clear_error();
        is_agreed_ = SSL_connect(tls_.get()) == 1;
    }

    /// Whether the handshake succeeded.
    [[nodiscard]] bool is_agreed() const noexcept { return is_agreed_; }
    /// "TLSv1.3".
    [[nodiscard]] std::string version() const { return SSL_get_version(tls_.get()); }
    /// The protocol chosen by ALPN; empty if none.
    [[nodiscard]] std::string protocol() const {
        const unsigned char* name = nullptr;
        unsigned size = 0;
        SSL_get0_alpn_selected(tls_.get(), &name, &size);
        return {name, name + size};
    }
    /// The common name of the server's certificate.
    [[nodiscard]] std::string server_name() const {
        const testing::certificate_ptr shown{SSL_get1_peer_certificate(tls_.get())};
        std::array<char, 64> name{};
        auto* const subject = X509_get_subject_name(shown.get());
        X509_NAME_get_text_by_NID(subject, NID_commonName, name.data(), int{name.size()});
        return name.data();
    }
    /// Whether the server has sent close_notify.
    [[nodiscard]] bool received_close_notify() const noexcept {
        return (SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
    }
    /// Sends close_notify. Reading is still possible.
    void say_goodbye() { SSL_shutdown(tls_.get()); }

    bool send(std::string_view bytes) override {
        ERR_clear_error();
        std::size_t sent = 0;
        return SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &sent) == 1;
    }

protected:
    ssize_t receive_some(std::span<char> target) override {
        ERR_clear_error();
        errno = 0;
        std::size_t size = 0;
        const int read = SSL_read_ex(tls_.get(), target.data(), target.size(), &size);
        if (read == 1) return static_cast<ssize_t>(size);
        const bool at_end = SSL_get_error(tls_.get(), read) == SSL_ERROR_ZERO_RETURN;
        return at_end ? 0 : -1;
    }

private:
    std::unique_ptr<SSL, testing::freed_by<&SSL_free>> tls_;
    bool is_agreed_ = false;
};

}  // namespace reelsd::http
