#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/s3_signature.hpp>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <new>

namespace reelsd::net {
namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view service = "s3";
constexpr std::size_t day_characters = 8;  ///< "20130524"

std::string hmac(std::string_view key, std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int bytes = 0;
    const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
    if (HMAC(
            EVP_sha256(),
            key.data(),
            static_cast<int>(key.size()),
            data,
            text.size(),
            digest.data(),
            &bytes) == nullptr) {
        throw std::bad_alloc{};
    }
    return {digest.begin(), digest.begin() + bytes};
}

std::string hexadecimal(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text.push_back(digits[value >> 4U]);
        text.push_back(digits[value & 0xFU]);
    }
    return text;
}

}  // namespace

std::string s3_date(std::chrono::system_clock::time_point now) {
    const auto seconds = std::chrono::system_clock::to_time_t(now);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    const auto length = std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
    return {text.data(), length};
}

std::string s3_authorization(
    const s3_credentials& by, const signed_parts& parts, std::string_view date) {
    auto headers = parts.headers;
    std::sort(headers.begin(), headers.end());
    std::string fields;
    std::string names;
    for (const auto& [name, value] : headers) {
        fields.append(name).append(":").append(value).append("\n");
        names.append(names.empty() ? "" : ";").append(name);
    }
    std::string canonical{parts.method};
    canonical.append("\n").append(parts.path).append("\n").append(parts.query);
    canonical.append("\n").append(fields).append("\n").append(names);
    canonical.append("\n").append(parts.payload_sha256);

    const std::string day{date.substr(0, day_characters)};
    std::string scope = day;
    scope.append("/").append(by.region).append("/").append(service).append("/aws4_request");
    std::string text{algorithm};
    text.append("\n").append(date).append("\n").append(scope);
    text.append("\n").append(sha256_of(canonical));

    auto key = hmac("AWS4" + by.secret_key, day);
    key = hmac(key, by.region);
    key = hmac(key, service);
    key = hmac(key, "aws4_request");
    std::string authorization{algorithm};
    authorization.append(" Credential=").append(by.access_key).append("/").append(scope);
    authorization.append(", SignedHeaders=").append(names);
    authorization.append(", Signature=").append(hexadecimal(hmac(key, text)));
    return authorization;
}

std::string s3_path(std::string_view path) {
    std::string encoded;
    for (;;) {
        const auto slash = path.find('/');
        encoded.append(percent_encoded(path.substr(0, slash)));
        if (slash == std::string_view::npos) return encoded;
        encoded.push_back('/');
        path.remove_prefix(slash + 1);
    }
}

std::string sha256_of(std::string_view text) {
    file_digest digest;
    digest.add(text);
    return digest.hex();
}

}  // namespace reelsd::net
