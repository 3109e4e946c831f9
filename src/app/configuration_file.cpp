#include "configuration_file.hpp"

#include "installation.hpp"
#include "setting_table.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace reelsd::app {

std::string chosen_configuration_file(const std::string& named) {
    if (!named.empty()) return named;
    const auto usual = find_installation(settings{}).configuration;
    std::error_code unknown;
    return std::filesystem::exists(usual, unknown) ? usual.string() : std::string{};
}

result<given_values> read_configuration_file(const std::string& file) {
    given_values values;
    if (file.empty()) return values;
    std::error_code unknown;
    // The library reads a folder as an empty file.
    if (std::filesystem::is_directory(file, unknown)) {
        return error{errc::invalid_argument, fmt::format("config: {} is a directory", file)};
    }
    // To the library, a file that is kept from us is the same as one that is not there.
    if (::access(file.c_str(), R_OK) != 0) {
        const int why = errno;
        return error{
            errc::invalid_argument,
            fmt::format(
                "config: {}: {}{}",
                file,
                std::generic_category().message(why),
                why == EACCES ? "; run this as root, or as the service's user, whose group must be "
                                "allowed to read it"
                              : "")};
    }
    std::vector<CLI::ConfigItem> items;
    try {
        items = CLI::ConfigTOML{}.from_file(file);
    } catch (const CLI::Error& failure) {
        return error{errc::invalid_argument, fmt::format("config: {}", failure.what())};
    }
    for (const auto& item : items) {
        // CLI11 marks where a section begins and ends by items of these names.
        if (item.name == "++" || item.name == "--") continue;
        std::string text;
        for (const auto& input : item.inputs) text += (text.empty() ? "" : ",") + input;
        values[item.fullname()] = text;
    }
    for (const auto& [key, text] : values) {
        if (find_setting(key) == nullptr) {
            return error{
                errc::invalid_argument, fmt::format("{}: \"{}\" is no setting", file, key)};
        }
    }
    return values;
}

}  // namespace reelsd::app
