#include <reelsd/domain/jobs/admission_text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::jobs {

std::string refusal_text(const admission& decision) {
    if (decision.decided == admission::outcome::rate_limited) {
        return fmt::format("limit of {} submissions per minute reached", decision.rate_limit);
    }
    if (decision.decided == admission::outcome::budget_spent) {
        return fmt::format(
            "monthly budget of {} is spent", dollars_text(decision.monthly_budget_usd.value()));
    }
    return fmt::format(
        "limit of {} jobs pending or processing at the same time reached", decision.job_limit);
}

std::string dollars_text(std::string_view decimal) {
    std::string text = "$";
    text.append(decimal);
    const auto point = decimal.find('.');
    if (point == std::string_view::npos) return text.append(".00");
    constexpr std::size_t cents_digits = 2;
    const auto digits = decimal.size() - point - 1;
    return text.append(cents_digits - std::min(digits, cents_digits), '0');
}

}  // namespace reelsd::jobs
