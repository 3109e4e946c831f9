#pragma once

#include <reelsd/base/log.hpp>

#include <string_view>

namespace reelsd::log {

/// Whether what is written to `descriptor` goes to systemd's journal, which then takes a line's
/// priority from its beginning (sd-daemon(3)). A child whose output was redirected since has the
/// same environment; hence the look at the descriptor itself.
[[nodiscard]] bool is_journal(int descriptor);

/// What such a line begins with: "<4>" for a warning.
[[nodiscard]] std::string_view journal_priority(level at);

}  // namespace reelsd::log
