#pragma once

#include <string>
#include <vector>

namespace reelsd::media {

/// Where the system keeps programs, libraries, certificates and how names are looked up. Of /etc
/// single names: the rest of it may hold keys.
[[nodiscard]] std::vector<std::string> system_paths();

/// What `program` is made of outside of them: its own file, the folder of libraries beside it, and
/// when it is a script, its interpreter with that one's virtual environment and libraries.
[[nodiscard]] std::vector<std::string> paths_of_program(const std::string& program);

}  // namespace reelsd::media
