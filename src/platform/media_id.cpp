#include <reelsd/platform/link.hpp>

#include <algorithm>

namespace reelsd::platform {
namespace {

__extension__ using wide = unsigned __int128;

constexpr std::string_view digits64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t follower_key_length = 28;
constexpr wide wide_max = ~wide{0};

/// `number * base + digit`, or empty when that does not fit.
std::optional<wide> appended(wide number, unsigned base, unsigned digit) {
    if (number > (wide_max - digit) / base) return std::nullopt;
    return number * base + digit;
}

}  // namespace

std::string_view public_code(std::string_view code) noexcept {
    if (code.size() > follower_key_length) code.remove_suffix(follower_key_length);
    return code;
}

std::optional<std::string> media_id_of(std::string_view code) {
    code = public_code(code);
    if (code.empty()) return std::nullopt;
    std::optional<wide> number{0};
    for (const char c : code) {
        const auto digit = digits64.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        number = appended(*number, 64, static_cast<unsigned>(digit));
        if (!number) return std::nullopt;
    }
    std::string text;
    do {
        text.push_back(static_cast<char>('0' + static_cast<int>(*number % 10)));
        *number /= 10;
    } while (*number != 0);
    std::reverse(text.begin(), text.end());
    return text;
}

std::optional<std::string> code_of(std::string_view media_id) {
    media_id = media_id.substr(0, media_id.find('_'));
    if (media_id.empty()) return std::nullopt;
    std::optional<wide> number{0};
    for (const char c : media_id) {
        if (c < '0' || c > '9') return std::nullopt;
        number = appended(*number, 10, static_cast<unsigned>(c - '0'));
        if (!number) return std::nullopt;
    }
    std::string code;
    do {
        code.push_back(digits64[static_cast<std::size_t>(*number % 64)]);
        *number /= 64;
    } while (*number != 0);
    std::reverse(code.begin(), code.end());
    return code;
}

}  // namespace reelsd::platform
