#include "ascii.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/http/router.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::http {

namespace asio = boost::asio;

namespace {

/// A parameter never takes what another server, a proxy or a file system might read as a path.
bool fits_parameter(std::string_view text) {
    if (text.empty() || text == "." || text == "..") return false;
    const auto strange = [](char letter) { return letter == '/' || is_control(letter); };
    return std::none_of(text.begin(), text.end(), strange);
}

/// HEAD is answered by GET's handler.
verb handled_as(verb method) noexcept {
    return method == verb::head ? verb::get : method;
}

/// A browser that opens a page says that it reads HTML; programs do not.
bool is_from_a_reader(const request_context& ctx) {
    const auto accepted = ctx.header("Accept").value_or("");
    return handled_as(ctx.request().method) == verb::get &&
           accepted.find("text/html") != std::string_view::npos;
}

}  // namespace

std::vector<router::segment> router::segments_of(std::string_view pattern) {
    invariant(pattern.starts_with('/'));
    std::vector<segment> segments;
    auto rest = pattern.substr(1);
    for (;;) {
        const auto slash = rest.find('/');
        auto text = rest.substr(0, slash);
        const bool is_parameter = text.starts_with('{') && text.ends_with('}');
        if (is_parameter) text = text.substr(1, text.size() - 2);
        segments.push_back({text, is_parameter});
        if (slash == std::string_view::npos) return segments;
        rest.remove_prefix(slash + 1);
    }
}

void router::add(verb method, std::string pattern, handler handle) {
    invariant(handle != nullptr);
    invariant(method != verb::head && method != verb::other);
    const auto same = [&](const path_entry& known) { return known.pattern == pattern; };
    auto entry = std::find_if(paths_.begin(), paths_.end(), same);
    if (entry == paths_.end()) {
        const std::string_view kept = patterns_.emplace_back(std::move(pattern));
        paths_.push_back({kept, segments_of(kept), {}});
        entry = std::prev(paths_.end());
    }
    for (const auto& known : entry->methods) invariant(known.method != method);
    entry->methods.push_back({method, std::move(handle)});
}

void router::show_when_unknown(handler handle) {
    when_unknown_ = std::move(handle);
}

void router::guard(gate keeper) {
    auto segments = segments_of(keeper.prefix);
    gates_.push_back({std::move(segments), std::move(keeper)});
}

std::vector<router::known_route> router::routes() const {
    std::vector<known_route> all;
    for (const auto& entry : paths_) {
        for (const auto& known : entry.methods) all.push_back({known.method, entry.pattern});
    }
    return all;
}

const gate* router::gate_for(const std::vector<std::string>& path) const noexcept {
    const gate_entry* best = nullptr;
    for (const auto& entry : gates_) {
        if (entry.segments.size() > path.size()) continue;
        const auto same = [](const segment& mine, const std::string& theirs) {
            return mine.text == theirs;
        };
        if (!std::equal(entry.segments.begin(), entry.segments.end(), path.begin(), same)) continue;
        if (!best || best->segments.size() < entry.segments.size()) best = &entry;
    }
    return best ? &best->keeper : nullptr;
}

const router::path_entry* router::entry_for(const std::vector<std::string>& path) const noexcept {
    const auto fits = [](const segment& mine, const std::string& theirs) {
        return mine.is_parameter ? fits_parameter(theirs) : mine.text == theirs;
    };
    const auto more_specific = [](const segment& one, const segment& other) {
        return !one.is_parameter && other.is_parameter;
    };
    const path_entry* best = nullptr;
    for (const auto& entry : paths_) {
        const auto& mine = entry.segments;
        if (!std::equal(mine.begin(), mine.end(), path.begin(), path.end(), fits)) continue;
        // Both fit, so their literals agree: the first place where one is literal decides.
        const bool better = !best || std::lexicographical_compare(
                                         mine.begin(),
                                         mine.end(),
                                         best->segments.begin(),
                                         best->segments.end(),
                                         more_specific);
        if (better) best = &entry;
    }
    return best;
}

router::located router::locate(request_context& ctx, const gate* keeper) const {
    const auto& target = ctx.request().target;
    if (!target.path_is_well_formed()) {
        return {
            .handle = nullptr,
            .refused = ctx.problem(status::bad_request, "the path has a malformed percent escape")};
    }
    const auto* entry = entry_for(target.segments());
    if (!entry && !keeper && when_unknown_ && is_from_a_reader(ctx)) {
        return {.handle = &when_unknown_, .refused = std::nullopt};
    }
    if (!entry) {
        return {.handle = nullptr, .refused = ctx.problem(status::not_found, "not found")};
    }
    request_context::matched_route matched{.pattern = entry->pattern, .parameters = {}};
    for (std::size_t at = 0; at < entry->segments.size(); ++at) {
        const auto& known = entry->segments[at];
        if (known.is_parameter) matched.parameters.emplace_back(known.text, at);
    }
    ctx.set_route(std::move(matched));

    std::string allowed;
    for (const auto& known : entry->methods) {
        if (known.method == handled_as(ctx.request().method)) {
            return {.handle = &known.handle, .refused = std::nullopt};
        }
        allowed.append(allowed.empty() ? "" : ", ").append(name_of(known.method));
        if (known.method == verb::get) allowed.append(", HEAD");
    }
    auto refused = ctx.problem(status::method_not_allowed, "method not allowed");
    refused.set("Allow", std::move(allowed));
    return {.handle = nullptr, .refused = std::move(refused)};
}

asio::awaitable<response> router::answer(request_context& ctx) const {
    const gate* keeper = gate_for(ctx.request().target.segments());
    auto found = locate(ctx, keeper);
    if (keeper && keeper->authenticate) {
        auto refused = co_await keeper->authenticate(ctx);
        if (refused) co_return std::move(*refused);
        // Recognised too late: the database was changing hands, and the request was held.
        if (ctx.database_by().passed()) ctx.restart_database_time();
    }
    if (found.refused) co_return std::move(*found.refused);
    if (keeper && keeper->admit) {
        auto refused = co_await keeper->admit(ctx);
        if (refused) co_return std::move(*refused);
    }
    const auto decoded = ctx.decode_query();
    if (!decoded) co_return ctx.problem(decoded.error());
    co_return co_await (*found.handle)(ctx);
}

}  // namespace reelsd::http
