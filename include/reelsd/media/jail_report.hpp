#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media {

/// What is done where the jail is incomplete.
enum class jail_policy : std::uint8_t {
    require,      ///< Nothing is decoded without the system-call filter and the resource limits.
    best_effort,  ///< Videos are decoded with the layers that the kernel has, but never as root.
};

/// The enumerator as the setting `jail` spells it: "require" or "best-effort".
[[nodiscard]] std::string_view name_of(jail_policy policy) noexcept;

/// The policy of that name, if there is one.
[[nodiscard]] std::optional<jail_policy> jail_policy_named(std::string_view name) noexcept;

struct jail_layer {
    std::string name;  ///< One of jail_layer_names().
    bool holds = false;
};

/// The state of the jail on this machine, as the media program found it from inside.
struct jail_report {
    std::vector<jail_layer> layers;    ///< All of jail_layer_names(), in that order.
    int landlock_version = 0;          ///< The kernel's; 0: none.
    std::vector<std::string> reasons;  ///< Why a layer does not hold, one each.
    std::string refusal;               ///< Why no video is decoded; empty: videos are decoded.
    /// What a decoder that was taken over could do: "make folders" and the like. Empty is good.
    std::vector<std::string> possible;

    [[nodiscard]] bool holds(std::string_view layer) const noexcept;
    /// Their names with commas between them.
    [[nodiscard]] std::string layers_that_hold() const;
    [[nodiscard]] std::string layers_missing() const;
    /// Whether videos are decoded with less than an operator should accept unasked: without the
    /// filter, as root, or with neither Landlock nor namespaces. One of the latter two is missing
    /// on many good machines: Docker refuses namespaces, older kernels have no Landlock.
    [[nodiscard]] bool is_weak() const noexcept;
};

/// In the order of reports, log lines and metrics.
[[nodiscard]] const std::vector<std::string_view>& jail_layer_names();

[[nodiscard]] json to_json(const jail_report& report);

/// `media_failed`, naming the fault.
[[nodiscard]] result<jail_report> jail_report_from_json(const json& document);

}  // namespace reelsd::media
