#include "session_records.hpp"

#include <reelsd/domain/loop_call.hpp>
#include <reelsd/platform/resolver.hpp>

namespace reelsd::app {
namespace {

/// One statement.
constexpr std::chrono::seconds statement_time_max{5};

}  // namespace

pacing::paced_resolver session_resolver_of(
    const std::string& host, const platform::source_settings& settings) {
    for (const auto& name : platform::routed_resolvers(settings)) {
        if (platform::resolver_in(name) == platform::session_resolver_name)
            return {.host = host, .resolver = name};
    }
    return {.host = host, .resolver = std::string{platform::session_resolver_name}};
}

result<std::optional<std::string>> shared_session_record::refusal_of(
    const std::string& fingerprint, deadline by) {
    const auto until = by.at_most(statement_time_max);
    return wait_for(loop_, store_.find(who_, fingerprint, until), until);
}

result<platform::refusal_news> shared_session_record::refuse(
    const std::string& fingerprint, std::string_view reason, deadline by) {
    const auto until = by.at_most(statement_time_max);
    const auto is_first =
        wait_for(loop_, store_.add(who_, fingerprint, std::string{reason}, until), until);
    if (!is_first) return is_first.error();
    return *is_first ? platform::refusal_news::first : platform::refusal_news::known;
}

}  // namespace reelsd::app
