#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace reelsd::process {

/// The program that `name` means, as an absolute path: with a slash in it, that very file; without
/// one, the first of that name in the folders of `search_path` (as the variable PATH has them;
/// folders that are not absolute do not count). Empty when there is none that may be executed.
[[nodiscard]] std::optional<std::filesystem::path> find_program(
    std::string_view name, std::string_view search_path);

/// The variable PATH of this process, or where Debian puts programs when it has none.
[[nodiscard]] std::string_view search_path();

}  // namespace reelsd::process
