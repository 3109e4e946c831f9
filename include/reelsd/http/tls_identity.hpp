#pragma once

#include <reelsd/base/result.hpp>

#include <chrono>
#include <memory>
#include <string>

/// OpenSSL's type; only src/http includes its headers.
struct ssl_ctx_st;

namespace reelsd::http {

/// The files of a server's certificate and its key. Both are PEM.
struct tls_files {
    std::string certificate;  ///< The server's own certificate first, then the rest of its chain.
    std::string key;          ///< Not encrypted.
};

/// A server's certificate, key and TLS settings: versions 1.2 and 1.3 with authenticated ciphers
/// and forward secrecy (the "intermediate" configuration of Mozilla's server side guidelines,
/// version 5.7, without finite-field Diffie-Hellman), HTTP/1.1 by ALPN, stateless session tickets,
/// neither renegotiation nor compression. Immutable and shared: a connection keeps the identity
/// that it began with.
class tls_identity {
    struct context_deleter {
        void operator()(ssl_ctx_st* context) const noexcept;
    };

public:
    using context_ptr = std::unique_ptr<ssl_ctx_st, context_deleter>;
    using time = std::chrono::sys_seconds;

    /// Reads both files. Blocking. Errors: conflict, because the files may be renewed just now; its
    /// detail names the file and the reason (unreadable, not PEM, encrypted, key too weak, key of
    /// another certificate).
    [[nodiscard]] static result<std::shared_ptr<const tls_identity>> load(const tls_files& files);

    /// Only for load(), which fills the context.
    tls_identity(context_ptr context, time expires_at);
    ~tls_identity();

    /// When the server's own certificate expires.
    [[nodiscard]] time expires_at() const noexcept { return expires_at_; }
    /// Only for sessions. Lives as long as this object.
    [[nodiscard]] ssl_ctx_st* context() const noexcept { return context_.get(); }

private:
    context_ptr context_;
    time expires_at_;
};

}  // namespace reelsd::http
