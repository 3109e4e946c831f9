#pragma once

#include <string_view>

namespace reelsd::app {

/// Says on standard error why a command has failed: "reelsd: " and a line. What goes to systemd's
/// journal is an error there.
void complain(std::string_view why);

}  // namespace reelsd::app
