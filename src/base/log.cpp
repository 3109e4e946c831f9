#include "log_file.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/log.hpp>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>

namespace reelsd::log {
namespace {

spdlog::level::level_enum to_spdlog(level at) {
    switch (at) {
        case level::debug: return spdlog::level::debug;
        case level::info: return spdlog::level::info;
        case level::warning: return spdlog::level::warn;
        case level::error: return spdlog::level::err;
        case level::off: return spdlog::level::off;
    }
    return spdlog::level::off;
}

bool needs_quotes(std::string_view text) {
    return text.empty() || std::any_of(text.begin(), text.end(), [](unsigned char c) {
               return c <= ' ' || c == '"' || c == '\\' || c == '=' || c >= 0x7f;
           });
}

/// JSON's own escaping serves text lines as well: it is unambiguous and keeps UTF-8 readable.
std::string quote(std::string_view text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string text_of(const field::value_type& value) {
    struct visitor {
        std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
        std::string operator()(double number) const { return fmt::format("{:.3f}", number); }
        std::string operator()(bool truth) const { return truth ? "true" : "false"; }
        std::string operator()(const std::string& text) const {
            return needs_quotes(text) ? quote(text) : text;
        }
    };
    return std::visit(visitor{}, value);
}

std::shared_ptr<file_sink> sink_into(const std::filesystem::path& file, format shape) {
    if (file.empty()) return nullptr;
    return std::make_shared<file_sink>(
        file, [shape](std::string_view message, std::string_view reason) {
            const fields why{{"reason", reason}};
            return shape == format::json ? render_json(message, why) : render_text(message, why);
        });
}

spdlog::sink_ptr sink_or_standard_error(const std::shared_ptr<file_sink>& file) {
    if (file) return file;
    return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

}  // namespace

std::string render_text(std::string_view message, fields values) {
    std::string line{message};
    for (const auto& one : values) {
        line.append(1, ' ').append(one.key).append(1, '=').append(text_of(one.value));
    }
    return line;
}

std::string render_json(std::string_view message, fields values) {
    json line{{"message", message}};
    for (const auto& one : values) {
        const std::string key{one.key};
        std::visit([&line, &key](const auto& value) { line[key] = value; }, one.value);
    }
    const auto text = line.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.substr(1, text.size() - 2);  // The pattern supplies the braces, time and level.
}

logger::logger(level at_least, format shape) : logger{at_least, shape, {}} {}

logger::logger(level at_least, format shape, const std::filesystem::path& file)
    : file_{sink_into(file, shape)},
      sink_{std::make_shared<spdlog::logger>("reelsd", sink_or_standard_error(file_))},
      format_{shape} {
    sink_->set_level(to_spdlog(at_least));
    sink_->flush_on(spdlog::level::debug);
    sink_->set_pattern(
        shape == format::json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                              : "%Y-%m-%dT%H:%M:%S.%eZ %l %v",
        spdlog::pattern_time_type::utc);
}

void logger::reopen() const {
    if (file_) file_->reopen();
}

logger logger::silent() {
    return logger{level::off, format::text};
}

void logger::write(level at, std::string_view message, fields values) const {
    const auto spdlog_level = to_spdlog(at);
    if (!sink_->should_log(spdlog_level)) return;
    const auto line =
        format_ == format::json ? render_json(message, values) : render_text(message, values);
    sink_->log(spdlog_level, "{}", line);
}

void logger::debug(std::string_view message, fields values) const {
    write(level::debug, message, values);
}
void logger::info(std::string_view message, fields values) const {
    write(level::info, message, values);
}
void logger::warning(std::string_view message, fields values) const {
    write(level::warning, message, values);
}
void logger::error(std::string_view message, fields values) const {
    write(level::error, message, values);
}

}  // namespace reelsd::log
