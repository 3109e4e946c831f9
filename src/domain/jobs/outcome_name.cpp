#include <reelsd/domain/jobs/outcome_name.hpp>

#include <variant>

namespace reelsd::jobs {

std::string_view outcome_name(const transition& ended) noexcept {
    if (std::holds_alternative<completed>(ended)) return "done";
    if (const auto* failure = std::get_if<failed>(&ended)) return name_of(failure->code);
    if (std::holds_alternative<retried>(ended)) return "retry";
    const bool is_put_off =
        std::holds_alternative<postponed>(ended) || std::holds_alternative<awaiting_permit>(ended);
    if (is_put_off) return "postponed";
    return "handed back";
}

}  // namespace reelsd::jobs
