#include "answer_maker.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace reelsd::fuzz {
namespace {

using document = nlohmann::json;

/// Upper bound on values taken from a text, for speed.
constexpr std::size_t value_bytes_max = 64 * 1024;
constexpr std::size_t nodes_max = 2000;
/// Deeper values are generated but not parsed again, because the library is recursive.
constexpr std::ptrdiff_t depth_max = 200;
constexpr int places_tried = 4;

/// Tokens that no JSON library writes; the document contains placeholders, "@0" and so on.
constexpr auto raw_values = std::to_array<std::string_view>(
    {"-0",
     "-1",
     "1e999",
     "-1e-999",
     "0.1e1",
     "1E+2",
     "18446744073709551615",
     "18446744073709551616",
     "9223372036854775808",
     "-9223372036854775809",
     "12345678901234567890123456789012345678901234567890",
     "NaN",
     "01",
     R"("\ud83d")",
     R"("\ude00\ud83d")",
     R"("DYexample01\ud83d")",
     R"("DYexample01\u0000")",
     R"("\u0000\u0001\u001f\u007f")",
     R"("\x41")",
     "\"\xff\xfe\"",
     "\"\xc0\x80\"",
     "\"\xed\xa0\x80\"",
     "\"raw \n line\"",
     "tru",
     "",
     R"({"a":1,"a":2,"code":"DYexample01","code":"DYother0001"})"});

constexpr auto texts = std::to_array<std::string_view>(
    {"",
     "DYexample01",
     "DYother0001",
     "DYexample01aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "https://scontent.cdninstagram.com/v/a.mp4?oe=1&x=2",
     "http://a",
     "https://",
     "https://a/\n\t b",
     "https://\xc3\xa4/\xf0\x9f\x98\x80",
     "javascript:alert(1)",
     "file:///etc/passwd",
     "//a/b",
     "GraphVideo",
     "XDTGraphSidecar",
     "GraphImage",
     "playlist",
     "dash-1",
     "none",
     "101",
     "execution error",
     "Rate limit exceeded",
     "comet.igweb.PolarisErrorRoute",
     "httpErrorPage",
     "#a #b @c. @d.. #\xd1\x82\xd0\xb5\xd0\xb3 &#x @@ ## #e\xcc\x81",
     "e\xcc\x81\xcc\x81\xcc\x81 #\xef\xb8\x8f \xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd"});

using vocabulary = std::span<const std::string>;

/// Names known to some parser, and a few similar ones.
const std::string& any_name(vocabulary words, std::mt19937_64& dice) {
    if (!words.empty() && below(2, dice) == 0) return words[below(words.size(), dice)];
    static const auto names = std::to_array<std::string>(
        {"xig_polaris_media",
         "xdt_api__v1__media__shortcode__web_info",
         "xdt_shortcode_media",
         "shortcode_media",
         "if_not_gated_logged_out",
         "gating_ruling",
         "items",
         "code",
         "shortcode",
         "media_type",
         "video_versions",
         "image_versions2",
         "carousel_media",
         "edge_sidecar_to_children",
         "edges",
         "node",
         "url",
         "video_url",
         "width",
         "height",
         "type",
         "user",
         "owner",
         "username",
         "full_name",
         "is_verified",
         "is_video",
         "__typename",
         "caption",
         "caption_text",
         "text",
         "description",
         "like_count",
         "play_count",
         "count",
         "taken_at",
         "timestamp",
         "display_uri",
         "display_url",
         "thumbnail",
         "thumbnails",
         "candidates",
         "location",
         "name",
         "title",
         "canonicalRouteName",
         "pageID",
         "data",
         "path",
         "errors",
         "message",
         "id",
         "entries",
         "formats",
         "format_id",
         "vcodec",
         "protocol",
         "_type",
         "channel",
         "constructor",
         ""});
    return names[below(names.size(), dice)];
}

std::vector<document*> nodes_of(document& root) {
    std::vector<document*> nodes{&root};
    for (std::size_t at = 0; at < nodes.size() && nodes.size() < nodes_max; ++at) {
        for (auto& child : *nodes[at]) {
            if (nodes[at]->is_structured()) nodes.push_back(&child);
        }
    }
    return nodes;
}

document odd_value(vocabulary words, std::mt19937_64& dice) {
    switch (below(11, dice)) {
        case 0: return nullptr;
        case 1: return below(2, dice) == 0;
        case 2: return static_cast<std::int64_t>(dice());
        case 3: return below(20, dice);
        case 4: return document::array();
        case 5: return document::object();
        case 6: return std::string{texts[below(texts.size(), dice)]};
        case 7: return any_name(words, dice);
        case 8: return static_cast<double>(below(100'000, dice)) / 1000;
        case 9: return "@deep" + std::to_string(below(3000, dice));
        default: return "@" + std::to_string(below(raw_values.size(), dice));
    }
}

/// Renames a member of an object.
void rename(document& object, vocabulary words, std::mt19937_64& dice) {
    auto member = object.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(below(object.size(), dice)));
    auto value = std::move(*member);
    object.erase(member);
    object[any_name(words, dice)] = std::move(value);
}

void drop(document& from, std::mt19937_64& dice) {
    auto victim = from.begin();
    std::advance(victim, static_cast<std::ptrdiff_t>(below(from.size(), dice)));
    from.erase(victim);
}

void change_node(document& node, document copy, vocabulary words, std::mt19937_64& dice) {
    const auto kind = below(9, dice);
    if (kind == 0) {
        node = std::move(copy);
    } else if (kind == 1 && node.is_array()) {
        for (auto count = below(30, dice); count > 0; --count) node.push_back(copy);
    } else if (kind <= 2 && node.is_object()) {
        node[any_name(words, dice)] = std::move(copy);
    } else if (kind == 3 && node.is_object() && !node.empty()) {
        rename(node, words, dice);
    } else if (kind == 4 && node.is_structured() && !node.empty()) {
        drop(node, dice);
    } else if (kind == 5) {
        node = document::array({std::move(node)});
    } else if (kind == 6) {
        auto inside = std::move(node);
        node = document::object({{any_name(words, dice), std::move(inside)}});
    } else if (kind == 7 && node.is_object()) {
        node[any_name(words, dice)] = odd_value(words, dice);
    } else {
        node = odd_value(words, dice);
    }
}

std::string deep_value(std::size_t depth) {
    std::string text;
    for (std::size_t at = 0; at < depth; ++at) text += at % 2 == 0 ? "[" : R"({"a":)";
    text += "1";
    for (std::size_t at = depth; at > 0; --at) text += at % 2 == 1 ? "]" : "}";
    return text;
}

/// The token of a placeholder; empty for other texts.
std::optional<std::string> raw_value(const std::string& mark) {
    constexpr std::string_view deep = "@deep";
    const auto number = mark.find_first_of("0123456789");
    if (!mark.starts_with('@') || number == std::string::npos) return std::nullopt;
    const auto value = std::strtoull(mark.c_str() + number, nullptr, 10);
    if (mark.starts_with(deep)) return deep_value(value % 10'000);
    if (number != 1 || value >= raw_values.size()) return std::nullopt;
    return std::string{raw_values[value]};
}

/// The position after the string literal at `at`, or the text's end.
std::size_t behind_literal(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return std::min(at + 1, text.size());
}

/// A literal with some of its letters escaped needlessly.
std::string respelled(std::string_view literal, std::mt19937_64& dice) {
    constexpr auto digits = "0123456789aBcDeF";
    std::string text;
    for (std::size_t at = 0; at < literal.size(); ++at) {
        const char c = literal[at];
        if (c == '\\') {
            text.append(literal.substr(at++, 2));
        } else if (c == '/') {
            text += below(2, dice) == 0 ? "\\/" : "/";
        } else if (c > '@' && c <= '~' && below(8, dice) == 0) {
            const auto byte = static_cast<unsigned>(c);
            text.append("\\u00").append(1, digits[byte / 16]).append(1, digits[byte % 16]);
        } else {
            text += c;
        }
    }
    return text;
}

/// JSON as text, with placeholders replaced and unusual spellings.
std::string written(const document& value, std::mt19937_64& dice) {
    const bool is_odd = below(3, dice) == 0;
    const auto plain = value.dump(
        below(8, dice) == 0 ? 1 : -1, ' ', below(2, dice) == 0, document::error_handler_t::replace);
    std::string text;
    for (std::size_t at = 0; at < plain.size();) {
        if (plain[at] != '"') {
            text += plain[at++];
            continue;
        }
        const auto end = behind_literal(plain, at);
        const auto literal = std::string_view{plain}.substr(at, end - at);
        at = end;
        const auto raw = raw_value(std::string{literal.substr(1, literal.size() - 2)});
        text += raw ? *raw : is_odd ? respelled(literal, dice) : std::string{literal};
    }
    return text;
}

/// The size of the JSON value that begins `text` with a bracket; 0 when it does not end, or is too
/// deep.
std::size_t value_size(std::string_view text) {
    std::ptrdiff_t depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '{' || text[at] == '[') ++depth;
        if (text[at] == '}' || text[at] == ']') --depth;
        at = text[at] == '"' ? behind_literal(text, at) : at + 1;
        if (depth == 0) return at;
        if (depth > depth_max) return 0;
    }
    return 0;
}

std::optional<document> parsed(std::string_view text) {
    auto value = document::parse(text, nullptr, false);
    return value.is_discarded() ? std::nullopt : std::optional{std::move(value)};
}

/// Another value of the same type, which may be valid too.
void change_value(document& node, vocabulary words, std::mt19937_64& dice) {
    if (node.is_boolean()) {
        node = !node.get<bool>();
    } else if (node.is_string()) {
        node = any_name(words, dice);
    } else if (node.is_number() && below(2, dice) == 0) {
        node = below(2000, dice);
    } else {
        node = static_cast<double>(below(20'000, dice)) / 1000;
    }
}

/// Changes one value only, to pass parsers that reject any other change.
void change_one_value(document& root, vocabulary words, std::mt19937_64& dice) {
    auto nodes = nodes_of(root);
    std::erase_if(nodes, [](const document* node) { return node->is_structured(); });
    if (!nodes.empty()) change_value(*nodes[below(nodes.size(), dice)], words, dice);
}

void change_document(document& root, vocabulary words, std::mt19937_64& dice) {
    for (auto count = below(3, dice) + 1; count > 0; --count) {
        const auto nodes = nodes_of(root);
        // Copied first, because a node may be inserted below itself.
        document copy = *nodes[below(nodes.size(), dice)];
        change_node(*nodes[below(nodes.size(), dice)], std::move(copy), words, dice);
    }
}

/// A record in a JSON string, as in embed pages.
bool change_context(std::string& text, vocabulary words, std::mt19937_64& dice) {
    constexpr std::string_view name = "\"contextJSON\":\"";
    const auto at = text.find(name);
    if (at == std::string::npos) return false;
    const auto start = at + name.size() - 1;
    const auto end = behind_literal(text, start);
    const auto literal = parsed(std::string_view{text}.substr(start, end - start));
    if (!literal || !literal->is_string()) return false;
    const auto& inside = literal->get_ref<const std::string&>();
    auto context = parsed(std::string_view{inside}.substr(0, value_size(inside)));
    if (!context) return false;
    change_document(*context, words, dice);
    text.replace(start, end - start, written(written(*context, dice), dice));
    return true;
}

}  // namespace

bool change_json(
    std::string& text, std::span<const std::string> words, json_change how, std::mt19937_64& dice) {
    if (change_context(text, words, dice)) return true;
    for (int tries = 0; tries < places_tried; ++tries) {
        const auto start = text.find('{', tries == 0 ? 0 : below(text.size() + 1, dice));
        if (start == std::string::npos) continue;
        const auto found = std::string_view{text}.substr(start, value_bytes_max);
        const auto size = value_size(found);
        auto value = parsed(found.substr(0, size));
        if (!value) continue;
        if (how == json_change::one_value) {
            change_one_value(*value, words, dice);
        } else {
            change_document(*value, words, dice);
        }
        text.replace(start, size, written(*value, dice));
        return true;
    }
    return false;
}

}  // namespace reelsd::fuzz
