#include "ascii.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/http/router.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::http {

namespace {

/// A parameter never matches text that a proxy or a file system might read as a path, nor text that
/// the database rejects.
bool fits_parameter(std::string_view text) {
    if (text.empty() || text == "." || text == ".." || !is_utf8(text)) return false;
    const auto is_unsafe = [](char letter) { return letter == '/' || is_control(letter); };
    return std::none_of(text.begin(), text.end(), is_unsafe);
}

/// Whether the segment at `at` is `text` as spelled.
bool is_literal(const request_target& target, std::size_t at, std::string_view text) noexcept {
    return !target.is_escaped(at) && target.segments()[at] == text;
}

/// HEAD uses GET's handler.
verb handled_as(verb method) noexcept {
    return method == verb::head ? verb::get : method;
}

/// Browsers that open a page accept HTML; programs do not, or with the weight 0.
bool is_from_browser(const request_context& ctx) {
    auto html = ctx.header("Accept").value_or("");
    html.remove_prefix(std::min(html.find("text/html"), html.size()));
    if (html.empty() || handled_as(ctx.request().method) != verb::get) return false;
    html = html.substr(0, html.find(','));
    const auto weight = html.find("q=");
    return weight == std::string_view::npos ||
           html.find_first_not_of("0. \t", weight + 2) != std::string_view::npos;
}

/// Refuses a body in a content coding: no handler decodes it.
std::optional<response> refuse_encoded_body(const request_context& ctx) {
    if (!ctx.body_stream() && ctx.request().body.empty()) return std::nullopt;
    for (const auto coding : ctx.request().headers.find_all("Content-Encoding")) {
        if (coding.empty() || equals_ignoring_case(coding, "identity")) continue;
        return ctx.problem(
            status::unsupported_media_type,
            fmt::format("Content-Encoding \"{}\" is not supported", coding));
    }
    return std::nullopt;
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

void router::add(
    verb method, std::string pattern, handler handle, route_options options,
    std::string_view prefix) {
    invariant(handle != nullptr);
    invariant(method != verb::head && method != verb::other);
    const auto same = [&](const path_entry& known) { return known.pattern == pattern; };
    auto entry = std::find_if(paths_.begin(), paths_.end(), same);
    if (entry == paths_.end()) {
        const std::string_view kept = patterns_.emplace_back(std::move(pattern));
        const auto segments = segments_of(kept);
        auto& end = branch_of(segments);
        if (!end.entry) end.entry = paths_.size();
        paths_.push_back({kept, kept.substr(0, prefix.size()), {}, {}});
        entry = std::prev(paths_.end());
        for (std::size_t at = 0; at < segments.size(); ++at) {
            if (segments[at].is_parameter) entry->parameters.emplace_back(segments[at].text, at);
        }
    }
    invariant(entry->handler_of(method) == nullptr);
    entry->methods.push_back({method, std::move(handle), options});
}

const router::method_handler* router::path_entry::handler_of(verb method) const noexcept {
    for (const auto& known : methods) {
        if (known.method == method) return &known;
    }
    return nullptr;
}

router::branch& router::branch_of(const std::vector<segment>& pattern) {
    auto* at = &root_;
    for (const auto& step : pattern) {
        const auto same = [&](const branch& known) {
            // Parameters of any name share a node.
            return known.edge.is_parameter == step.is_parameter &&
                   (step.is_parameter || known.edge.text == step.text);
        };
        auto node = std::find_if(at->next.begin(), at->next.end(), same);
        if (node == at->next.end()) {
            const auto position = step.is_parameter ? at->next.end() : at->next.begin();
            node = at->next.insert(position, {step, {}, {}});
        }
        at = &*node;
    }
    return *at;
}

void router::use(middleware added) {
    auto segments = segments_of(added.prefix);
    middlewares_.push_back({std::move(segments), std::move(added)});
}

std::vector<router::known_route> router::routes() const {
    std::vector<known_route> all;
    for (const auto& entry : paths_) {
        for (const auto& known : entry.methods) all.push_back({known.method, entry.pattern});
    }
    return all;
}

const middleware* router::middleware_for(const request_target& target) const noexcept {
    const middleware_entry* best = nullptr;
    const auto holds = [&target](const middleware_entry& entry) {
        if (entry.segments.size() > target.segments().size()) return false;
        for (std::size_t at = 0; at < entry.segments.size(); ++at) {
            if (!is_literal(target, at, entry.segments[at].text)) return false;
        }
        return true;
    };
    for (const auto& entry : middlewares_) {
        if (!holds(entry)) continue;
        if (!best || best->segments.size() < entry.segments.size()) best = &entry;
    }
    return best ? &best->rules : nullptr;
}

const router::path_entry* router::entry_for(
    const branch& from, const request_target& target, std::size_t at) const noexcept {
    if (at == target.segments().size()) return from.entry ? &paths_[*from.entry] : nullptr;
    for (const auto& next : from.next) {
        const auto& known = next.edge;
        const bool fits = known.is_parameter ? fits_parameter(target.segments()[at])
                                             : is_literal(target, at, known.text);
        if (!fits) continue;
        if (const auto* const entry = entry_for(next, target, at + 1)) return entry;
    }
    return nullptr;
}

router::located router::locate(request_context& ctx, const middleware* rules) const {
    const auto& target = ctx.request().target;
    if (!target.path_is_well_formed()) return {};
    const auto* const entry = entry_for(root_, target, 0);
    if (!entry) {
        const bool is_shown = !rules && when_unknown_ && is_from_browser(ctx);
        return {.entry = nullptr, .handle = is_shown ? &when_unknown_ : nullptr};
    }
    const auto* const fitting = entry->handler_of(handled_as(ctx.request().method));
    ctx.set_route(
        {.pattern = entry->pattern,
         .parameters = entry->parameters,
         .prefix = entry->prefix,
         .options = fitting ? fitting->options : route_options{}});
    return {.entry = entry, .handle = fitting ? &fitting->handle : nullptr};
}

bool router::streams_body(const request& head) const {
    if (head.method != verb::post || !head.target.path_is_well_formed()) return false;
    const auto* const entry = entry_for(root_, head.target, 0);
    const auto* const fitting = entry ? entry->handler_of(head.method) : nullptr;
    return fitting && fitting->options.streams_body && fitting->options.streams_body(head);
}

response router::refuse(const request_context& ctx, const path_entry* entry) {
    if (!ctx.request().target.path_is_well_formed()) {
        return ctx.problem(status::bad_request, "the path has a malformed percent escape");
    }
    if (!entry) return ctx.problem(status::not_found, "not found");
    std::string allowed;
    for (const auto& known : entry->methods) {
        allowed.append(allowed.empty() ? "" : ", ").append(name_of(known.method));
        if (known.method == verb::get) allowed.append(", HEAD");
    }
    auto refused = ctx.problem(status::method_not_allowed, "method not allowed");
    refused.set("Allow", std::move(allowed));
    return refused;
}

response router::server_options(const request_context& ctx) const {
    std::string allowed = "GET, HEAD, OPTIONS";
    for (const auto& entry : paths_) {
        for (const auto& known : entry.methods) {
            const auto name = name_of(known.method);
            if (allowed.find(name) == std::string::npos) allowed.append(", ").append(name);
        }
    }
    auto answer = ctx.no_content();
    answer.set("Allow", std::move(allowed));
    return answer;
}

awaitable<response> router::answer(request_context& ctx) const {
    if (check_) {
        if (auto refused = check_(ctx)) co_return std::move(*refused);
    }
    // The parser accepts it only with OPTIONS.
    if (ctx.request().target.path() == "*") co_return server_options(ctx);
    const middleware* const rules = middleware_for(ctx.request().target);
    ctx.set_middleware(rules);
    const auto [entry, handle] = locate(ctx, rules);
    const auto decoded = ctx.decode_query();
    const bool is_left_to_handler =
        handle && decoded &&
        ctx.options().authenticated_by == route_options::authenticator::handler;
    if (is_left_to_handler) co_return co_await (*handle)(ctx);
    if (auto refused = co_await ctx.authenticate()) co_return std::move(*refused);
    if (!handle) co_return refuse(ctx, entry);
    if (auto refused = co_await ctx.accept()) co_return std::move(*refused);
    if (!decoded) co_return ctx.problem(decoded.error());
    if (auto refused = refuse_encoded_body(ctx)) co_return std::move(*refused);
    co_return co_await (*handle)(ctx);
}

}  // namespace reelsd::http
