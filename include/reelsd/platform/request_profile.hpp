#pragma once

#include <string>

namespace reelsd::platform {

/// What requests carry that the platform changes every few months. All of it is configuration, so
/// that an operator can follow a change without a release. Source: platform.md 2, as of 2026-11.
struct request_profile {
    /// A current desktop Chrome's; for pages. Other agents get an empty shell.
    std::string browser_user_agent =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        "Chrome/156.0.0.0 Safari/537.36";
    /// For queries, where a Chrome without Chrome's TLS is turned away.
    std::string query_user_agent = "Mozilla/5.0";
    /// X-IG-App-ID: the platform's own web application.
    std::string app_id = "936619743392459";
    /// The query with the richest answer, by short code.
    std::string root_doc_id = "27128499623469141";
    std::string root_query_name = "PolarisPostRootQuery";
    /// The query of the page that people see who are not logged in, by media id.
    std::string logged_out_doc_id = "27130156389949648";
    std::string logged_out_query_name = "PolarisLoggedOutDesktopWWWPostRootContentQuery";

    friend bool operator==(const request_profile&, const request_profile&) = default;
};

}  // namespace reelsd::platform
