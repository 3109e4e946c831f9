#include <reelsd/http/tls_identity.hpp>

#include <gtest/gtest.h>
#include <support/tls_credentials.hpp>

#include <string>

// Goal: an operator learns which file is wrong, and how. Method: files made on the spot.
namespace reelsd::http {
namespace {

using testing::pem_folder;
using testing::tls_credentials;

TEST(TlsIdentity, IsLoadedOrTheFileIsNamed) {
    const pem_folder folder;
    const tls_credentials one;
    const tls_credentials other;
    const auto certificate = folder.write("certificate.pem", one.certificate_pem());
    const auto chain = folder.write("chain.pem", one.certificate_pem() + other.certificate_pem());
    const auto key = folder.write("key.pem", one.key_pem());
    const auto other_key = folder.write("other.pem", other.key_pem());
    const auto locked_key = folder.write("locked.pem", one.key_pem("secret"));
    const auto text = folder.write("text.pem", "certainly no PEM");
    const auto damaged =
        folder.write("damaged.pem", one.certificate_pem() + "-----BEGIN CERTIFICATE-----\nAAAA\n");
    const auto large = folder.write("large.pem", std::string(std::size_t{300} * 1024, 'x'));
    const auto missing = (folder.path / "missing.pem").string();
    struct test_case {
        std::string certificate;
        std::string key;
        std::string complaint;
    };
    const test_case cases[] = {
        {certificate, key, ""},
        {chain, key, ""},
        {missing, key, "the certificate " + missing + ": No such file or directory"},
        {folder.path, key, "the certificate " + folder.path.string() + ": Is a directory"},
        {text, key, "the certificate " + text + ": it holds no PEM certificate"},
        {key, key, "the certificate " + key + ": it holds no PEM certificate"},
        {large, key, "the certificate " + large + ": it is too large to be PEM"},
        {certificate, missing, "the key " + missing + ": No such file or directory"},
        {certificate, text, "the key " + text + ": it holds no PEM private key"},
        {certificate, certificate, "the key " + certificate + ": it holds no PEM private key"},
        {certificate,
         locked_key,
         "the key " + locked_key + ": it is encrypted, and nobody can type a password"},
        {certificate,
         other_key,
         "the key " + other_key + ": it does not fit the certificate " + certificate},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.certificate + " with " + expected.key);
        const auto loaded =
            tls_identity::load({.certificate = expected.certificate, .key = expected.key});
        EXPECT_EQ(loaded ? std::string{} : loaded.error().detail(), expected.complaint);
    }
    const auto cut = tls_identity::load({.certificate = damaged, .key = key});
    ASSERT_FALSE(cut);
    EXPECT_TRUE(cut.error().detail().starts_with(
        "the certificate " + damaged + ": its chain is damaged: "));
}

}  // namespace
}  // namespace reelsd::http
