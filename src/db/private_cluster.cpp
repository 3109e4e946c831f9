#include "cluster_supervisor.hpp"
#include <reelsd/db/private_cluster.hpp>

#include <utility>

namespace reelsd::db {

private_cluster::private_cluster(cluster_options options, log::logger logger)
    : supervisor_{std::make_unique<cluster_supervisor>(std::move(options), std::move(logger))} {}

private_cluster::~private_cluster() = default;

result<std::string> private_cluster::ensure_running(deadline by) {
    return supervisor_->ensure_running(by);
}

result<std::string> private_cluster::restart(deadline by) {
    return supervisor_->restart(by);
}

void private_cluster::interrupt() noexcept {
    supervisor_->interrupt();
}

void private_cluster::stop() noexcept {
    supervisor_->stop();
}

bool private_cluster::is_owner() const noexcept {
    return supervisor_->is_owner();
}

bool private_cluster::is_outdated() const {
    return supervisor_->is_outdated();
}

}  // namespace reelsd::db
