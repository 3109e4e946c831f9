#pragma once

#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/request_profile.hpp>
#include <reelsd/platform/resolver.hpp>

#include <string_view>

namespace reelsd::platform {

struct embed_resolver_settings {
    /// Origin that is asked.
    net::url platform;
    request_profile profile = {};
    answer_observer observe = {};  ///< May be empty.
};

/// Reads the page of a post for other sites to embed. Source: platform.md 2D.
class embed_resolver : public resolver {
public:
    /// `client` outlives this and trusts the platform's origin.
    embed_resolver(const net::http_client& client, embed_resolver_settings settings);

    [[nodiscard]] std::string_view name() const noexcept override { return "embed"; }

    /// One request. A video that may not be embedded is platform_failed: it says nothing of the
    /// post. A "no such post" is in doubt.
    [[nodiscard]] resolution resolve(
        const link& wanted, deadline by, std::stop_token stop) const override;

private:
    const net::http_client& client_;
    embed_resolver_settings settings_;
};

}  // namespace reelsd::platform
