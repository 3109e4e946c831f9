#pragma once

#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/request_profile.hpp>
#include <reelsd/platform/resolver.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::platform {

struct graphql_resolver_settings {
    /// Origin that is asked.
    net::url platform;
    request_profile profile = {};
    answer_observer observe = {};  ///< May be empty.
    bool takes_tracks = false;     ///< See answer_signals.
};

/// Asks the queries that the platform's own pages ask. Source: platform.md 2B, 2C.
class graphql_resolver : public resolver {
public:
    /// `client` outlives this and trusts the platform's origin.
    graphql_resolver(const net::http_client& client, graphql_resolver_settings settings);

    [[nodiscard]] std::string_view name() const noexcept override { return "graphql"; }

    /// Asks the root query, once more when it fails in passing, and the logged-out query when that
    /// had neither the post nor a definite no, or no answer at all: at most 3 requests, none after
    /// being told to slow down. A "no such post" of either stays in doubt, since a retired document
    /// id says the same; of both it is twice said.
    [[nodiscard]] resolution resolve(
        const link& wanted, deadline by, std::stop_token stop) const override;

private:
    struct query;
    struct page_response;

    [[nodiscard]] query root_query(const link& wanted) const;
    [[nodiscard]] std::optional<query> logged_out_query(const link& wanted) const;
    [[nodiscard]] result<page_response> ask(
        const query& what, const link& wanted, deadline by, const std::stop_token& stop) const;
    [[nodiscard]] static resolution both_failed(
        const page_response& first, const page_response& second);
    [[nodiscard]] result<page_response> ask_root(
        const link& wanted, deadline by, const std::stop_token& stop) const;

    const net::http_client& client_;
    graphql_resolver_settings settings_;
};

}  // namespace reelsd::platform
