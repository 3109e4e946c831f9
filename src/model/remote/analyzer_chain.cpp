#include <reelsd/base/invariant.hpp>
#include <reelsd/model/analyzer_chain.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace reelsd::model {
namespace {

/// Also when the job has no paid calls left: earlier ones were lost, and no model has refused.
bool is_down(errc why) {
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
    invariant(std::none_of(links_.begin(), links_.end(), [](const auto& one) { return !one; }));
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
    std::optional<analysis_failure> first;
    std::vector<std::string> warnings;
    for (const auto& link : links_) {
        auto said = link->analyze(video, calls, by, stop);
        if (said) {
            said->warnings.insert(said->warnings.begin(), warnings.begin(), warnings.end());
            return said;
        }
        if (!is_down(said.error().why.code())) return said;
        log_.warning(
            "analyzer is down",
            {{"analyzer", link->name()}, {"reason", said.error().why.to_string()}});
        warnings.push_back(fmt::format(
            "{} could not be asked: another analyzer has stood in", provider_of(link->name())));
        if (!first) first = said.error();
    }
    return *std::move(first);
}

}  // namespace reelsd::model
