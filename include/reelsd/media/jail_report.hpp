#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media {

/// What the child does when its jail is incomplete.
enum class jail_policy : std::uint8_t {
    require,      ///< Decodes only with the system-call filter and the resource limits.
    best_effort,  ///< Decodes with the layers of the kernel, but not as root without a filter.
};

/// The value of the `jail` setting: "require" or "best-effort".
[[nodiscard]] std::string_view name_of(jail_policy policy) noexcept;

[[nodiscard]] std::optional<jail_policy> jail_policy_named(std::string_view name) noexcept;

struct jail_layer {
    std::string name;  ///< One of jail_layer_names().
    bool holds = false;
};

/// The state of the jail on this machine, as the child reports it.
struct jail_report {
    std::vector<jail_layer> layers;    ///< All of jail_layer_names(), in that order.
    int landlock_version = 0;          ///< Version in the kernel; 0 without Landlock.
    std::vector<std::string> reasons;  ///< One for each layer that is not active.
    std::string refusal;               ///< Why no video is decoded; empty if videos are decoded.
    /// What a compromised decoder could do, for example "make folders".
    std::vector<std::string> possible;

    [[nodiscard]] bool holds(std::string_view layer) const noexcept;
    /// Names, separated by commas.
    [[nodiscard]] std::string layers_that_hold() const;
    [[nodiscard]] std::string layers_missing() const;
    /// Whether operators need a warning: no filter, root, or neither Landlock nor namespaces. One
    /// of the latter two is missing on many machines: Docker denies namespaces, older kernels have
    /// no Landlock.
    [[nodiscard]] bool is_weak() const noexcept;
};

/// In the order of reports, log lines and metrics.
[[nodiscard]] const std::vector<std::string_view>& jail_layer_names();

[[nodiscard]] json to_json(const jail_report& report);

/// `media_failed`, naming the fault.
[[nodiscard]] result<jail_report> jail_report_from_json(const json& document);

}  // namespace reelsd::media
