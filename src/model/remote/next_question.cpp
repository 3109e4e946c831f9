#include "next_question.hpp"

#include <utility>

namespace reelsd::model {
namespace {

constexpr int paid_again_max = 2;

/// True the first time.
bool once(bool& flag) {
    return !std::exchange(flag, true);
}

std::optional<question> changed(
    const question& asked, reply_end ended, std::span<const std::string> violations,
    tried_ways& ways) {
    auto next = asked;
    switch (ended) {
        case reply_end::complete:
            if (violations.empty() || !once(ways.repaired)) return std::nullopt;
            next.note = repair_note(violations);
            return next;
        case reply_end::truncated:
            if (!once(ways.enlarged)) return std::nullopt;
            next.larger_cap = true;
            next.least_thinking = true;
            return next;
        case reply_end::recited:
            if (!once(ways.paraphrased)) return std::nullopt;
            next.note =
                "Quote no words of songs, films or other works: describe them in your own words, "
                "and give titles at most.";
            return next;
        case reply_end::unspecified:
            if (!once(ways.repeated)) return std::nullopt;
            return next;
        case reply_end::refused: break;
    }
    return std::nullopt;
}

}  // namespace

std::optional<question> question_after(
    const question& asked, reply_end ended, std::span<const std::string> violations,
    tried_ways& ways) {
    if (ways.paid_again == paid_again_max) return std::nullopt;
    auto next = changed(asked, ended, violations, ways);
    if (next) ++ways.paid_again;
    return next;
}

std::optional<question> question_after(const question& asked, failure_kind why, tried_ways& ways) {
    auto next = asked;
    switch (why) {
        case failure_kind::payload_too_large:
            if (asked.as_file) return std::nullopt;
            next.as_file = true;
            return next;
        case failure_kind::schema_refused:
            if (asked.format == answer_format::text) return std::nullopt;
            next.format =
                asked.format == answer_format::schema ? answer_format::json : answer_format::text;
            return next;
        case failure_kind::thinking_refused:
            if (asked.without_thinking) return std::nullopt;
            next.without_thinking = true;
            return next;
        case failure_kind::store_refused:
            if (asked.without_store) return std::nullopt;
            next.without_store = true;
            return next;
        case failure_kind::limit_refused:
            if (asked.other_limit_name) return std::nullopt;
            next.other_limit_name = true;
            return next;
        case failure_kind::file_gone:
            if (!once(ways.found_again)) return std::nullopt;
            return next;
        default: return std::nullopt;
    }
}

}  // namespace reelsd::model
