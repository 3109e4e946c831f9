#pragma once

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

namespace reelsd::testing {

template <auto Free>
struct freed_by {
    template <class Thing>
    void operator()(Thing* thing) const noexcept {
        Free(thing);
    }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<&EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, freed_by<&X509_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<&BIO_free>>;

/// A key and a certificate that vouches for itself and for the name "localhost" alone, an hour
/// long.
struct tls_credentials {
    explicit tls_credentials(const std::string& common_name = "reelsd test")
        : key{EVP_EC_gen("P-256")}, certificate{X509_new()} {
        if (!key || !certificate) throw std::runtime_error{"OpenSSL makes no key"};
        constexpr long hour = 3600;
        X509_set_version(certificate.get(), X509_VERSION_3);
        ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
        X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -hour);
        X509_gmtime_adj(X509_getm_notAfter(certificate.get()), hour);
        X509_set_pubkey(certificate.get(), key.get());
        X509_NAME* const name = X509_get_subject_name(certificate.get());
        const std::basic_string<unsigned char> text{common_name.begin(), common_name.end()};
        const auto size = static_cast<int>(text.size());
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text.data(), size, -1, 0);
        X509_set_issuer_name(certificate.get(), name);
        using extension_ptr = std::unique_ptr<X509_EXTENSION, freed_by<&X509_EXTENSION_free>>;
        const extension_ptr names{
            X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost")};
        X509_add_ext(certificate.get(), names.get(), -1);
        if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) {
            throw std::runtime_error{"OpenSSL signs no certificate"};
        }
    }

    [[nodiscard]] std::string certificate_pem() const {
        const bio_ptr out{BIO_new(BIO_s_mem())};
        PEM_write_bio_X509(out.get(), certificate.get());
        return text_of(out.get());
    }

    /// Encrypted if there is a `password`.
    [[nodiscard]] std::string key_pem(const char* password = nullptr) const {
        const bio_ptr out{BIO_new(BIO_s_mem())};
        const EVP_CIPHER* const cipher = password == nullptr ? nullptr : EVP_aes_128_cbc();
        const void* const untyped = password;
        PEM_write_bio_PKCS8PrivateKey(
            out.get(), key.get(), cipher, nullptr, 0, nullptr, const_cast<void*>(untyped));
        return text_of(out.get());
    }

    key_ptr key;
    certificate_ptr certificate;

private:
    static std::string text_of(BIO* memory) {
        std::string text(BIO_ctrl_pending(memory), '\0');
        std::size_t size = 0;
        BIO_read_ex(memory, text.data(), text.size(), &size);
        text.resize(size);
        return text;
    }
};

/// A separate folder for PEM files.
struct pem_folder {
    pem_folder() {
        auto pattern = (std::filesystem::temp_directory_path() / "reelsd-tls-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no folder"};
        path = pattern;
    }
    pem_folder(const pem_folder&) = delete;
    pem_folder& operator=(const pem_folder&) = delete;
    ~pem_folder() { std::filesystem::remove_all(path); }

    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        const auto file = path / name;
        std::ofstream{file} << text;
        return file;
    }

    std::filesystem::path path;
};

}  // namespace reelsd::testing
