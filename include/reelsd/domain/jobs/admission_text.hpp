#pragma once

#include <reelsd/domain/jobs/job_store.hpp>

#include <string>
#include <string_view>

namespace reelsd::jobs {

/// Why a submission was refused, with the limit and its value, as people read it at every door.
/// Pure.
[[nodiscard]] std::string refusal_text(const admission& decision);

/// An exact decimal as people write money: "$5.00" of "5", "$0.125" of "0.125". Pure.
[[nodiscard]] std::string dollars_text(std::string_view decimal);

}  // namespace reelsd::jobs
