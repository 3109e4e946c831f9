#include "object_reader.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/media/jail_report.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace reelsd::media {
namespace {

/// A layer's name and a kernel message.
constexpr std::size_t text_bytes_max = 500;
/// Upper bound on the steps of entering the jail: see jail.cpp.
constexpr std::size_t texts_max = 16;
constexpr int landlock_version_max = 1000;

std::vector<std::string> read_texts(object_reader& reader, const char* name) {
    std::vector<std::string> texts;
    reader.each(name, texts_max, [&](const json& element) {
        texts.push_back(reader.checked_text(element, name, text_bytes_max));
    });
    return texts;
}

std::vector<jail_layer> read_layers(object_reader& reader) {
    std::vector<jail_layer> layers;
    for (const auto name : jail_layer_names()) {
        const std::string key{name};
        layers.push_back({.name = key, .holds = reader.truth(key.c_str())});
    }
    return layers;
}

template <class Predicate>
std::string names_of(const std::vector<jail_layer>& layers, Predicate belongs) {
    std::string names;
    for (const auto& layer : layers) {
        if (belongs(layer)) names.append(names.empty() ? "" : ", ").append(layer.name);
    }
    return names;
}

}  // namespace

std::string_view name_of(jail_policy policy) noexcept {
    return policy == jail_policy::require ? "require" : "best-effort";
}

std::optional<jail_policy> jail_policy_named(std::string_view name) noexcept {
    for (const auto policy : {jail_policy::require, jail_policy::best_effort}) {
        if (name == name_of(policy)) return policy;
    }
    return std::nullopt;
}

const std::vector<std::string_view>& jail_layer_names() {
    static const std::vector<std::string_view> names{
        "system_call_filter",
        "resource_limits",
        "landlock",
        "own_namespaces",
        "unprivileged_user",
        "no_new_privileges"};
    return names;
}

bool jail_report::holds(std::string_view layer) const noexcept {
    return std::ranges::any_of(
        layers, [&](const jail_layer& known) { return known.name == layer && known.holds; });
}

std::string jail_report::layers_that_hold() const {
    return names_of(layers, [](const jail_layer& layer) { return layer.holds; });
}

std::string jail_report::layers_missing() const {
    return names_of(layers, [](const jail_layer& layer) { return !layer.holds; });
}

bool jail_report::is_weak() const noexcept {
    return !holds("system_call_filter") || !holds("unprivileged_user") ||
           (!holds("landlock") && !holds("own_namespaces"));
}

json to_json(const jail_report& report) {
    json layers = json::object();
    for (const auto& layer : report.layers) layers[layer.name] = layer.holds;
    return {
        {"layers", std::move(layers)},
        {"landlock_version", report.landlock_version},
        {"reasons", report.reasons},
        {"refusal", report.refusal},
        {"possible", report.possible}};
}

result<jail_report> jail_report_from_json(const json& document) {
    return object_reader::read_document(document, "jail", [](object_reader& reader) {
        jail_report report;
        report.layers = reader.object("layers", read_layers);
        report.landlock_version = reader.whole_number("landlock_version", 0, landlock_version_max);
        report.reasons = read_texts(reader, "reasons");
        report.refusal = reader.text("refusal", text_bytes_max);
        report.possible = read_texts(reader, "possible");
        return report;
    });
}

}  // namespace reelsd::media
