#include "setting_readers.hpp"

#include <reelsd/base/text.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/source.hpp>

#include <algorithm>
#include <array>

namespace reelsd::app {
namespace {

template <class Enum, std::size_t Count>
bool read_named(
    std::string_view text, const std::array<std::pair<std::string_view, Enum>, Count>& values,
    Enum& target) {
    for (const auto& [name, value] : values) {
        if (name != text) continue;
        target = value;
        return true;
    }
    return false;
}

/// A list of elements of `known`, without repetition.
bool read_names(
    std::string_view text, const std::vector<std::string>& known,
    std::vector<std::string>& target) {
    std::vector<std::string> names;
    if (!read_list(text, names)) return false;
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::find(known.begin(), known.end(), *name) == known.end()) return false;
        if (std::find(names.begin(), name, *name) != name) return false;
    }
    target = std::move(names);
    return true;
}

}  // namespace

bool read_number(std::string_view text, double least, double most, double& target) {
    const auto value = parse_number<double>(text);
    // Also false for NaN.
    if (!value || !(*value >= least && *value <= most)) return false;
    target = *value;
    return true;
}

bool read_days(std::string_view text, seconds_f& target) {
    constexpr double days_max = 36'500;
    constexpr double day_seconds = 86'400;
    double days = 0;
    if (!read_number(text, 0, days_max, days)) return false;
    target = seconds_f{days * day_seconds};
    return true;
}

bool read_whole_seconds(std::string_view text, std::chrono::seconds& target) {
    std::int64_t seconds = 0;
    if (!read_integer<std::int64_t>(text, 1, 600, seconds)) return false;
    target = std::chrono::seconds{seconds};
    return true;
}

bool read_flag(std::string_view text, bool& target) {
    if (text == "true" || text == "1" || text == "yes" || text == "on") return target = true;
    if (text != "false" && text != "0" && text != "no" && text != "off") return false;
    target = false;
    return true;
}

bool read_cache_size(std::string_view text, std::optional<std::size_t>& target) {
    std::size_t bytes = 0;
    const bool is_automatic = text == "auto";
    if (!is_automatic && !read_integer<std::size_t>(text, 0, 68'719'476'736, bytes)) return false;
    target = is_automatic ? std::nullopt : std::optional{bytes};
    return true;
}

bool read_text(std::string_view text, std::string& target) {
    if (text.empty()) return false;
    target = text;
    return true;
}

bool read_field(std::string_view text, std::string& target) {
    constexpr std::size_t characters_max = 512;
    const bool is_printable =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return is_printable && text.size() <= characters_max && read_text(text, target);
}

bool read_plain(std::string_view text, std::string& target) {
    return text.find_first_of(" \"") == std::string_view::npos && read_field(text, target);
}

bool read_model_name(std::string_view text, std::string& target) {
    return text.find_first_of("/?#%:\\") == std::string_view::npos && read_plain(text, target);
}

bool read_platform_id(std::string_view text, std::string& target) {
    constexpr std::size_t digits_max = 20;
    const bool is_number =
        std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
    return is_number && text.size() <= digits_max && read_text(text, target);
}

bool read_bot_token(std::string_view text, std::string& target) {
    constexpr std::size_t token_bytes_max = 256;
    // It becomes part of a URL without escaping.
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
        return is_alphanumeric(c) || c == ':' || c == '_' || c == '-';
    });
    if (!is_plain || text.size() > token_bytes_max) return false;
    target = text;
    return true;
}

bool read_list(std::string_view text, std::vector<std::string>& target) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const auto end = std::min(text.find(',', start), text.size());
        const auto part = trimmed(text.substr(start, end - start), " ");
        if (part.empty()) return false;
        parts.emplace_back(part);
        start = end + 1;
    }
    target = std::move(parts);
    return true;
}

bool read_resolvers(std::string_view text, std::vector<std::string>& target) {
    return read_names(text, platform::known_resolvers(), target);
}

bool read_analyzers(std::string_view text, std::vector<std::string>& target) {
    if (text != "auto") return read_names(text, {"gemini", "openai", "local"}, target);
    target = {"auto"};
    return true;
}

bool read_proxy(std::string_view text, std::optional<net::proxy>& target) {
    std::vector<net::proxy> proxies;
    if (!read_elements(text, proxies) || proxies.size() > 1) return false;
    target = proxies.empty() ? std::nullopt : std::optional{std::move(proxies.front())};
    return true;
}

bool read_outgoing_address(std::string_view text, std::string& target) {
    constexpr std::size_t device_bytes_max = 15;  // IFNAMSIZ without its null byte.
    const bool is_device =
        !text.empty() && text.size() <= device_bytes_max && !is_digit(text.front()) &&
        std::all_of(text.begin(), text.end(), [](char c) {
            return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '@';
        });
    if (!is_device && !parse_ip_address(text)) return false;
    target = text == "none" ? "" : text;
    return true;
}

bool read_endpoint(std::string_view text, http::listen_address& target) {
    auto address = http::parse_listen_address(text);
    if (!address) return false;
    target = std::move(*address);
    return true;
}

bool read_optional_endpoint(std::string_view text, std::optional<http::listen_address>& target) {
    http::listen_address address;
    const bool is_set = text != "none";
    if (is_set && !read_endpoint(text, address)) return false;
    target = is_set ? std::optional{std::move(address)} : std::nullopt;
    return true;
}

bool read_origin(std::string_view text, std::string& target) {
    if (text.ends_with('/')) text.remove_suffix(1);
    const auto scheme = text.find("://");
    if (scheme == std::string_view::npos) return false;
    const auto name = text.substr(0, scheme);
    const auto host = text.substr(scheme + 3);
    if (name != "http" && name != "https") return false;
    if (host.empty() || host.find_first_of("/?#@ ") != std::string_view::npos) return false;
    target = text;
    return true;
}

bool read_base_address(std::string_view text, std::string& target) {
    const auto address = net::url::parse(text);
    if (!address || text.find_first_of("?#") != std::string_view::npos) return false;
    for (const std::string_view end : {"/", "/v1", "/v1beta", "/"}) {
        if (text.ends_with(end)) text.remove_suffix(end.size());
    }
    target = text;
    return true;
}

bool read_database_url(std::string_view text, std::string& target) {
    const bool is_uri = text.starts_with("postgresql://") || text.starts_with("postgres://");
    if (!is_uri && text.find('=') == std::string_view::npos) return false;
    target = text;
    return true;
}

bool read_media_store(std::string_view text, std::optional<media_bucket>& target) {
    constexpr std::string_view scheme = "s3://";
    constexpr std::size_t prefix_bytes_max = 512;
    if (text == "database") {
        target.reset();
        return true;
    }
    if (!text.starts_with(scheme)) return false;
    text.remove_prefix(scheme.size());
    if (text.ends_with('/')) text.remove_suffix(1);
    const auto bucket = text.substr(0, text.find('/'));
    const auto prefix = text.substr(std::min(text.size(), bucket.size() + 1));
    const auto is_of_bucket = [](char c) {
        return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.';
    };
    const auto is_of_prefix = [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '/';
    };
    if (bucket.size() < 3 || bucket.size() > 63 || prefix.size() > prefix_bytes_max ||
        !std::all_of(bucket.begin(), bucket.end(), is_of_bucket) ||
        !std::all_of(prefix.begin(), prefix.end(), is_of_prefix) ||
        bucket.find("..") != std::string_view::npos ||
        prefix.find("//") != std::string_view::npos ||
        prefix.find("..") != std::string_view::npos || prefix.starts_with('/') ||
        (prefix.empty() && text.size() > bucket.size())) {
        return false;
    }
    target = media_bucket{.name = std::string{bucket}, .prefix = std::string{prefix}};
    return true;
}

bool read_canary(std::string_view text, std::string& target) {
    if (text != "none" && !platform::parse_link(text)) return false;
    target = text == "none" ? "" : text;
    return true;
}

bool is_listed(std::string_view word, std::string_view phrase) {
    while (!phrase.empty()) {
        const auto end = std::min({phrase.find(", "), phrase.find(" or "), phrase.size()});
        if (phrase.substr(0, end) == word) return true;
        phrase.remove_prefix(end);
        phrase.remove_prefix(std::min(phrase.find(' ', 1), phrase.size()));
        phrase = trimmed(phrase, " ");
    }
    return false;
}

bool read_log_level(std::string_view text, log::level& target) {
    constexpr std::array<std::pair<std::string_view, log::level>, 4> levels{
        {{"debug", log::level::debug},
         {"info", log::level::info},
         {"warning", log::level::warning},
         {"error", log::level::error}}};
    return read_named(text, levels, target);
}

bool read_log_format(std::string_view text, log::format& target) {
    constexpr std::array<std::pair<std::string_view, log::format>, 2> formats{
        {{"text", log::format::text}, {"json", log::format::json}}};
    return read_named(text, formats, target);
}

bool read_jail_policy(std::string_view text, media::jail_policy& target) {
    const auto policy = media::jail_policy_named(text);
    if (policy) target = *policy;
    return policy.has_value();
}

bool read_openai_mode(std::string_view text, model::openai_mode& target) {
    constexpr std::array<std::pair<std::string_view, model::openai_mode>, 4> modes{
        {{"video", model::openai_mode::video},
         {"video+audio", model::openai_mode::video_audio},
         {"frames+audio", model::openai_mode::frames_audio},
         {"frames", model::openai_mode::frames}}};
    return read_named(text, modes, target);
}

bool read_thinking(std::string_view text, std::string& target) {
    constexpr int tokens_max = 32'768;
    int tokens = 0;
    if (!read_integer(text, -1, tokens_max, tokens) &&
        !is_listed(text, "auto, none, minimal, low, medium, high")) {
        return false;
    }
    target = text;
    return true;
}

bool read_prices(std::string_view text, std::string& target) {
    model::price_table checked;
    return checked.put_first(text).has_value() && read_text(text, target);
}

}  // namespace reelsd::app
