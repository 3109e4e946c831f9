#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/request_body.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Submissions: their links and files, and their encodings. The server checks all values. Pure,
/// except for reading files.
namespace reelsd::cli {

/// `link` with "https://" if it begins with the platform's host: the server requires whole links,
/// and users leave the scheme out.
[[nodiscard]] std::string complete_link(std::string_view link);

/// The links in a text, separated by whitespace and line breaks, completed, each once, in order.
/// Lines that begin with # are comments. A byte order mark is skipped.
[[nodiscard]] std::vector<std::string> links_in(std::string_view text);

struct file_closer {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

/// An open file, closed at the end. Null: none.
using owned_file = std::unique_ptr<std::FILE, file_closer>;

/// Reads `in` to its end, at most `bytes_max`.
[[nodiscard]] std::string read_text(std::FILE* in, std::size_t bytes_max);

/// An Idempotency-Key for a list: 32 hexadecimal digits of a hash of the links, their order and the
/// options of the submission.
[[nodiscard]] std::string key_of_links(
    const std::vector<std::string>& links, std::string_view options);

/// Whether an argument names a video file rather than a link: it has no scheme, and either the file
/// exists or the extension is that of a video.
[[nodiscard]] bool is_video_file(const std::string& argument);

/// The size of a file that can be read. Errors: storage_failed, with a detail for the user.
[[nodiscard]] result<std::uint64_t> readable_bytes_of(const std::filesystem::path& file);

/// Whether the server rejects a link for its length.
[[nodiscard]] bool is_too_long(std::string_view link);

/// Most links that the server accepts in one request.
inline constexpr std::size_t list_links_max = 50;
/// Bytes of all links and options in the encoded request. The server accepts bodies up to 64 KiB.
inline constexpr std::size_t list_bytes_max = std::size_t{60} * 1024;

/// Splits a list into requests that the server accepts: the number of links in each, in order. Each
/// request also has options of `options_bytes`.
[[nodiscard]] std::vector<std::size_t> parts_of(
    const std::vector<std::string>& links, std::size_t options_bytes);

/// What an analysis should contain beyond the server's default.
struct analysis_options {
    std::optional<std::string> language;      ///< Of the texts, in BCP 47: "de", "pt-BR".
    std::optional<std::string> instructions;  ///< For the model.
    json extract;                             ///< Name of a preset or JSON Schema; null: none.
    std::optional<std::string> analyzer;

    /// The options as members of a submission's body; empty without options.
    [[nodiscard]] json members() const;
};

/// Arguments of POST /api/v1/reels/analyze.
struct submission {
    std::string link;
    bool fresh = false;  ///< Analyse again, even if a recent result could be reused.
    /// 1-255 visible ASCII characters. None: the client generates one for this submission.
    std::optional<std::string> idempotency_key;
    analysis_options analysis = {};
};

/// Several links, submitted together.
struct submission_list {
    std::vector<std::string> links;  ///< 1 to list_links_max
    bool fresh = false;
    std::optional<std::string> idempotency_key;  ///< Key of the list; empty: generated.
    analysis_options analysis = {};
};

/// Invalid UTF-8 is replaced, so that the server rejects it.
[[nodiscard]] std::string text_of_json(const json& document);

/// The body for one link: `url`, or for several: `urls`.
[[nodiscard]] json body_of(const submission& one);
[[nodiscard]] json body_of(const submission_list& list);

/// The form of an upload: the options as text parts, and the file as the part `video`. `boundary`
/// must not occur in the file.
[[nodiscard]] net::request_body form_of(
    const submission& options, const net::file_range& video, std::string_view boundary);

/// Maximum size of a schema that is read. The server accepts 16 KiB.
inline constexpr std::size_t schema_bytes_max = std::size_t{1024} * 1024;

/// Whether the argument of `--extract` names a preset rather than a file: it has only letters,
/// digits, "-" and "_".
[[nodiscard]] bool is_preset_name(std::string_view argument) noexcept;

/// Parses a JSON Schema; `name` names its file in errors. Errors: invalid_argument unless it is a
/// JSON object of bounded size and depth.
[[nodiscard]] result<json> schema_from(std::string_view text, std::string_view name);

/// schema_from() the content of a file. Errors also: storage_failed.
[[nodiscard]] result<json> schema_from_file(const std::filesystem::path& file);

}  // namespace reelsd::cli
