#include <reelsd/base/invariant.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/local_analyzer.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace reelsd::model {
namespace {

/// True even without paid calls left: earlier answers were lost, and no model has refused.
bool is_unavailable(errc why) {
    return why == errc::model_unavailable || why == errc::model_misconfigured ||
           why == errc::limit_reached;
}

/// "gemini" of "gemini/gemini-3.8-flash/prompt-1".
std::string_view provider_of(std::string_view name) {
    return name.substr(0, name.find('/'));
}

}  // namespace

analyzer_chain::analyzer_chain(std::vector<std::unique_ptr<analyzer>> links, log::logger log)
    : links_{std::move(links)}, log_{std::move(log)} {
    invariant(!links_.empty());
    invariant(std::ranges::none_of(links_, [](const auto& link) { return !link; }));
}

std::vector<std::string_view> analyzer_chain::reusable() const {
    std::vector<std::string_view> names;
    bool all_refuse = true;
    for (const auto& link : links_) {
        const bool is_local = provider_of(link->name()) == local_provider;
        if (!is_local || all_refuse) names.push_back(link->name());
        all_refuse = all_refuse && link->refusal().has_value();
    }
    return names;
}

std::optional<analysis_failure> analyzer_chain::refusal() const {
    for (const auto& link : links_) {
        if (!link->refusal()) return std::nullopt;
    }
    return links_.front()->refusal();
}

analysis analyzer_chain::analyze(
    const video_input& video, call_ledger& calls, const deadline& by,
    const std::stop_token& stop) const {
    const auto answered = calls.answered_model();
    if (!answered) return analysis_failure{answered.error()};
    std::vector<const analyzer*> order;
    for (const auto& link : links_) order.push_back(link.get());
    std::ranges::stable_partition(order, [&](const analyzer* link) {
        return !answered->empty() && link->name().starts_with(*answered + "/");
    });
    std::optional<analysis_failure> first;
    std::vector<std::string> warnings;
    for (const auto* link : order) {
        auto outcome = link->analyze(video, calls, by, stop);
        if (outcome) {
            outcome->warnings.insert(outcome->warnings.begin(), warnings.begin(), warnings.end());
            return outcome;
        }
        if (!is_unavailable(outcome.error().why.code())) return outcome;
        log_.warning(
            "analyzer unavailable",
            {{"analyzer", link->name()}, {"reason", outcome.error().why.to_string()}});
        warnings.push_back(
            std::string{provider_of(link->name())} +
            " was unavailable: another analyzer replaced it");
        if (!first) first = outcome.error();
    }
    return *std::move(first);
}

}  // namespace reelsd::model
