#pragma once

#include <reelsd/base/result.hpp>

#include <chrono>
#include <memory>
#include <string>

/// OpenSSL's own name; only src/http sees more of it.
struct ssl_ctx_st;

namespace reelsd::http {

/// Where a server's certificate and its key are read from. Both are PEM.
struct tls_files {
    std::string certificate;  ///< The server's own certificate first, then the rest of its chain.
    std::string key;          ///< Not encrypted: nobody is there to type its password.
};

/// What a server shows to prove who it is, and how it speaks TLS: versions 1.2 and 1.3 with
/// authenticated ciphers and forward secrecy (the "intermediate" choice of Mozilla's server side
/// guidelines, version 5.7, without finite-field Diffie-Hellman, which nobody needs who has
/// elliptic curves), HTTP/1.1 by ALPN, stateless session tickets, neither renegotiation nor
/// compression. Constant once loaded, and shared: connections go on with the identity that they
/// began with.
class tls_identity {
    struct context_deleter {
        void operator()(ssl_ctx_st* context) const noexcept;
    };

public:
    using context_ptr = std::unique_ptr<ssl_ctx_st, context_deleter>;
    using time = std::chrono::sys_seconds;

    /// Reads both files: blocking. Errors: invalid_argument, whose detail names the file and what
    /// is wrong with it (unreadable, not PEM, encrypted, too weak a key, a key that does not fit).
    [[nodiscard]] static result<std::shared_ptr<const tls_identity>> load(const tls_files& files);

    /// For load() alone, which fills the context.
    tls_identity(context_ptr context, time expires_at);
    tls_identity(const tls_identity&) = delete;
    tls_identity& operator=(const tls_identity&) = delete;
    ~tls_identity();

    /// When the server's own certificate ends to be valid.
    [[nodiscard]] time expires_at() const noexcept { return expires_at_; }
    /// For sessions alone. Lives as long as this object.
    [[nodiscard]] ssl_ctx_st* context() const noexcept { return context_.get(); }

private:
    context_ptr context_;
    time expires_at_;
};

}  // namespace reelsd::http
