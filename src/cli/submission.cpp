#include "submission.hpp"

#include "text.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

namespace reelsd::cli {
namespace {

/// Size in a JSON array, with its comma.
std::size_t json_bytes_of(const std::string& link) {
    return dumped(link).size() + 1;
}

json body_with(const char* name, json links, bool fresh, const analysis_options& analysis) {
    auto body = analysis.members();
    body[name] = std::move(links);
    body["queue"] = true;
    if (fresh) body["fresh"] = true;
    return body;
}

/// A file's name as a quoted parameter of Content-Disposition.
std::string quoted_name(const std::filesystem::path& file) {
    std::string quoted = "\"";
    for (const char c : file.filename().string()) {
        if (c == '"') quoted.push_back('\\');
        quoted.push_back(c == '\r' || c == '\n' ? ' ' : c);
    }
    return quoted + "\"";
}

}  // namespace

std::string complete_link(std::string_view link) {
    const auto lower = ascii_lower(link);
    for (const char* host : {"instagram.com/", "www.instagram.com/", "m.instagram.com/"}) {
        if (lower.starts_with(host)) return "https://" + std::string{link};
    }
    return std::string{link};
}

std::vector<std::string> links_in(std::string_view text) {
    constexpr std::string_view whitespace = " \t\r\v\f";
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    std::vector<std::string> links;
    std::set<std::string> known;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        for (;;) {
            line = trimmed(line, whitespace);
            if (line.empty() || line.front() == '#') break;
            const auto word = line.substr(0, line.find_first_of(whitespace));
            line.remove_prefix(word.size());
            auto link = complete_link(word);
            if (known.insert(link).second) links.push_back(std::move(link));
        }
    }
    return links;
}

std::string read_text(std::FILE* in, std::size_t bytes_max) {
    std::string text(bytes_max, '\0');
    text.resize(std::fread(text.data(), 1, bytes_max, in));
    return text;
}

std::string key_of_links(const std::vector<std::string>& links, std::string_view options) {
    file_digest digest;
    for (const auto& link : links) digest.add(link + "\n");
    digest.add(options);
    constexpr std::size_t digits = 32;
    return digest.hex().substr(0, digits);
}

bool is_video_file(const std::string& argument) {
    if (contains(argument, "://")) return false;
    std::error_code failure;
    if (std::filesystem::is_regular_file(argument, failure)) return true;
    const auto extension = ascii_lower(std::filesystem::path{argument}.extension().string());
    return extension == ".mp4" || extension == ".mov" || extension == ".m4v" ||
           extension == ".webm";
}

result<std::uint64_t> readable_bytes_of(const std::filesystem::path& file) {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file, failure);
    if (!failure && access(file.c_str(), R_OK) != 0) failure = {errno, std::generic_category()};
    if (!failure) return bytes;
    return error{
        errc::storage_failed,
        fmt::format("{} cannot be read: {}", one_line(file.string()), failure.message())};
}

bool is_too_long(std::string_view link) {
    return code_point_count(link) > bounds::url_characters_max;
}

std::vector<std::size_t> parts_of(
    const std::vector<std::string>& links, std::size_t options_bytes) {
    std::vector<std::size_t> parts;
    std::size_t bytes = 0;
    for (const auto& link : links) {
        const auto more = json_bytes_of(link);
        const bool begins =
            parts.empty() || parts.back() == list_links_max || bytes + more > list_bytes_max;
        if (begins) {
            parts.push_back(0);
            bytes = options_bytes;
        }
        ++parts.back();
        bytes += more;
    }
    return parts;
}

json analysis_options::members() const {
    auto named = json::object();
    if (language) named["language"] = *language;
    if (instructions) named["instructions"] = *instructions;
    if (!extract.is_null()) named["extract"] = extract;
    if (analyzer) named["analyzer"] = *analyzer;
    return named;
}

std::string text_of_json(const json& document) {
    return dumped(document);
}

json body_of(const submission& one) {
    return body_with("url", complete_link(one.link), one.fresh, one.analysis);
}

json body_of(const submission_list& list) {
    auto links = json::array();
    for (const auto& link : list.links) links.push_back(complete_link(link));
    return body_with("urls", std::move(links), list.fresh, list.analysis);
}

net::request_body form_of(
    const submission& options, const net::file_range& video, std::string_view boundary) {
    const auto part = [boundary](std::string_view disposition) {
        return fmt::format(
            "--{}\r\nContent-Disposition: form-data; name={}\r\n", boundary, disposition);
    };
    auto fields = body_of(options);
    if (options.link.empty()) fields.erase("url");
    net::request_body form;
    for (const auto& [name, value] : fields.items()) {
        const auto text = value.is_string() ? value.get<std::string>() : text_of_json(value);
        form.add_text(fmt::format("{}\r\n{}\r\n", part(fmt::format("\"{}\"", name)), text));
    }
    form.add_text(fmt::format(
        "{}Content-Type: application/octet-stream\r\n\r\n",
        part(fmt::format("\"video\"; filename={}", quoted_name(video.file)))));
    form.add_file(video);
    form.add_text(fmt::format("\r\n--{}--\r\n", boundary));
    return form;
}

bool is_preset_name(std::string_view argument) noexcept {
    const auto is_allowed = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; };
    return argument != "-" && std::all_of(argument.begin(), argument.end(), is_allowed);
}

result<json> schema_from(std::string_view text, std::string_view name) {
    const auto shown = one_line(name);
    const auto invalid = [&shown](std::string_view why) {
        return error{errc::invalid_argument, fmt::format("{} {}", shown, why)};
    };
    if (text.size() > schema_bytes_max) return invalid("exceeds the maximum size of a schema");
    if (json_depth_of(text) > foreign_json_depth_max) {
        return invalid("exceeds the maximum depth of a schema");
    }
    try {
        auto schema = json::parse(text);
        if (!schema.is_object()) return invalid("is not a JSON Schema: it must be an object");
        return result<json>{boost::system::in_place_value, std::move(schema)};
    } catch (const json::parse_error& why) {  // Contains the line and the column.
        std::string_view reason = why.what();
        reason.remove_prefix(std::min(reason.find(']') + 1, reason.size()));
        return invalid(fmt::format("is not JSON: {}", one_line(trimmed(reason))));
    }
}

result<json> schema_from_file(const std::filesystem::path& file) {
    const owned_file opened{std::fopen(file.c_str(), "re")};
    const auto text = opened ? read_text(opened.get(), schema_bytes_max + 1) : std::string{};
    if (!opened || std::ferror(opened.get()) != 0) {
        return error{
            errc::storage_failed,
            fmt::format("{} cannot be read: {}", one_line(file.string()), errno_text(errno))};
    }
    return schema_from(text, file.string());
}

}  // namespace reelsd::cli
