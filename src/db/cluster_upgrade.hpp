#pragma once

#include "cluster_layout.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <filesystem>

namespace reelsd::db {

/// Upgrades the cluster to `layout.newer` with pg_upgrade, and keeps the old one as `postgres-N`
/// next to it, N being its version. The caller has the start lock, and no server runs.
///
/// A kill at any moment leaves one whole cluster in place: the new one is created under another
/// name, with copies of the files, and one exchange of two names puts it into place.
///
/// Errors leave the old cluster in place: storage_failed (no space for the copy, `postgres-N`
/// exists, the file system cannot exchange names), database_unavailable (a program failed),
/// timed_out.
[[nodiscard]] result<void> upgrade_cluster(const cluster_layout& layout, bool durable, deadline by);

/// Ends the server of a cluster that a killed pg_upgrade has left: no client can use it.
void end_upgrade_server(const std::filesystem::path& cluster);

}  // namespace reelsd::db
