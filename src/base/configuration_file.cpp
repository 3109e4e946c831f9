#include <reelsd/base/configuration_file.hpp>
#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>

namespace reelsd {
namespace {

/// A file with every setting has 20 KiB. A larger one is the wrong file.
constexpr std::size_t file_bytes_max = std::size_t{1} << 20U;

/// Reads one value after the other. CLI11 gives quoted values with '#' or a backslash another
/// meaning in each of its releases.
class configuration_parser {
public:
    explicit configuration_parser(std::string_view text) : all_{text}, rest_{text} {}

    result<std::map<std::string, std::string>> parse() {
        std::map<std::string, std::string> values;
        for (skip_to_key(); !rest_.empty(); skip_to_key()) {
            if (rest_.front() == '[') return refuse("tables are not allowed");
            std::string key{take_until("=\n")};
            if (!take('=')) return refuse("KEY = VALUE is expected");
            skip(blanks);
            auto value = take('[') ? list() : scalar("#\n");
            if (!value) return value.error();
            skip(blanks);
            if (!rest_.empty() && rest_.front() != '\n' && rest_.front() != '#')
                return refuse("put the whole value in quotes");
            if (!values.emplace(key, *std::move(value)).second)
                return refuse(fmt::format("{} is set twice", key));
        }
        return values;
    }

private:
    static constexpr std::string_view blanks = " \t\r";

    error refuse(std::string_view why) const {
        const auto before = all_.substr(0, all_.size() - rest_.size());
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        return error{errc::invalid_argument, fmt::format("line {}: {}", line, why)};
    }

    bool take(char expected) {
        if (rest_.empty() || rest_.front() != expected) return false;
        rest_.remove_prefix(1);
        return true;
    }

    std::string_view take_until(std::string_view ends) {
        const auto text = rest_.substr(0, rest_.find_first_of(ends));
        rest_.remove_prefix(text.size());
        return trimmed(text);
    }

    void skip(std::string_view bytes) {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(bytes), rest_.size()));
    }

    void skip_to_key() {
        for (skip(ascii_whitespace); rest_.starts_with('#') || rest_.starts_with(';');) {
            take_until("\n");
            skip(ascii_whitespace);
        }
    }

    result<std::string> scalar(std::string_view ends) {
        for (const char quote : {'"', '\''}) {
            if (take(quote)) return quoted(quote);
        }
        return std::string{take_until(ends)};
    }

    result<std::string> quoted(char quote) {
        std::string text;
        while (!rest_.empty() && rest_.front() != '\n') {
            if (take(quote)) return text;
            if (quote == '"' && take('\\') && !rest_.starts_with('"') && !rest_.starts_with('\\'))
                return refuse("in double quotes, a backslash is written \\\\");
            text.push_back(rest_.front());
            rest_.remove_prefix(1);
        }
        return refuse("the quotation mark at the end is missing");
    }

    /// The elements of a list whose bracket is taken.
    result<std::string> list() {
        std::string elements;
        for (skip_to_key(); !take(']'); skip_to_key()) {
            auto element = scalar(",]#\n");
            if (!element) return element;
            if (!elements.empty()) elements.push_back(',');
            elements += *element;
            skip_to_key();
            if (!take(',') && !rest_.starts_with(']'))
                return refuse("a comma or the bracket at the end is missing");
        }
        return elements;
    }

    std::string_view all_;
    std::string_view rest_;
};

}  // namespace

result<std::map<std::string, std::string>> parse_configuration(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return configuration_parser{text}.parse();
}

result<std::map<std::string, std::string>> read_configuration(const std::string& file) {
    const auto refuse = [&file](std::string_view why) {
        return error{errc::invalid_argument, fmt::format("{}: {}", file, why)};
    };
    const unique_fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    std::optional<std::string> text;
    if (opened) text = read_at_most(opened.get(), file_bytes_max + 1);
    if (!text) return refuse(errno_text(errno));
    if (text->size() > file_bytes_max)
        return refuse(fmt::format("is larger than {} bytes", file_bytes_max));
    auto values = parse_configuration(*text);
    if (!values) return refuse(values.error().detail());
    return values;
}

}  // namespace reelsd
