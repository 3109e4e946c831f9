#include "data_blocks.hpp"
#include "json_access.hpp"
#include "media_reader.hpp"
#include <reelsd/platform/page_parser.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <deque>

namespace reelsd::platform {
namespace {

constexpr const char* polaris_key = "xig_polaris_media";
constexpr const char* web_info_key = "xdt_api__v1__media__shortcode__web_info";
constexpr const char* route_key = "canonicalRouteName";
constexpr const char* page_id_key = "pageID";

/// Objects looked at below one root. A post's own record is among the first few.
constexpr std::size_t objects_max = 10'000;

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

page_route route_of(std::string_view name) {
    if (contains(name, "ErrorRoute")) return page_route::not_found;
    if (contains(name, "Login")) return page_route::login;
    if (contains(name, "PostRoute")) return page_route::post;
    return page_route::unknown;
}

/// The route by the text outside data blocks, for pages whose blocks do not tell it. The
/// application's code may name other routes, so only a name without rival counts.
page_route route_in_text(std::string_view html) {
    constexpr std::string_view opening = R"("canonicalRouteName":"comet.igweb.)";
    std::string_view only;
    while (true) {
        const auto at = html.find(opening);
        if (at == std::string_view::npos) return route_of(only);
        html.remove_prefix(at + opening.size());
        const auto name = html.substr(0, html.find('"'));
        if (!only.empty() && name != only) return page_route::unknown;
        only = name;
    }
}

/// Reads one block after the other into one verdict.
class page_reader {
public:
    explicit page_reader(const link& wanted) : wanted_{wanted} {}

    void read(std::string_view block) {
        const bool has_media = contains(block, polaris_key) || contains(block, web_info_key);
        if (!has_media && !contains(block, route_key) && !contains(block, page_id_key)) return;
        const auto parsed = parse_block(block);
        if (parsed) return walk(*parsed);
        if (has_media && contains(block, public_code(wanted_.code))) note(page_media::unreadable);
    }

    [[nodiscard]] parsed_page result() && { return std::move(page_); }

private:
    /// Visits every member of every object, without recursion: nesting is the sender's choice.
    void walk(const document& root) {
        std::vector<const document*> open{&root};
        while (!open.empty()) {
            const document& at = *open.back();
            open.pop_back();
            if (at.is_object()) {
                for (const auto& [key, value] : at.items()) take_member(key, value);
            }
            for (const auto& child : at) {
                if (child.is_structured()) open.push_back(&child);
            }
        }
    }

    void take_member(const std::string& key, const document& value) {
        if (key == polaris_key) return take_polaris(value);
        if (key == web_info_key) return take_web_info(value);
        if (!value.is_string() || page_.route != page_route::unknown) return;
        if (key == route_key) page_.route = route_of(value.get_ref<const std::string&>());
        if (key == page_id_key && value == "httpErrorPage") page_.route = page_route::not_found;
    }

    void take_web_info(const document& value) {
        const auto& items = array_at(value, {"items"});
        if (items.empty()) note(page_media::null_root);
        for (const auto& item : items) take_root(item);
    }

    void take_polaris(const document& value) {
        if (!value.is_null()) return take_root(value);
        note(page_media::null_root);
    }

    void take_root(const document& root) {
        if (const auto* media = find_media(root)) {
            auto read = read_media_object(*media, wanted_);
            if (note(read.what)) page_.subject = std::move(read.subject);
            return;
        }
        if (!is_wanted(root) && member(root, {"code"}) != nullptr) {
            note(page_media::other_post);
            return;
        }
        if (const auto* ruling = member(root, {"gating_ruling"})) {
            if (note(page_media::gated)) page_.ruling = text_at(*ruling, {"title"}).value_or("");
            return;
        }
        const bool is_withheld = root.is_object() && root.contains("if_not_gated_logged_out") &&
                                 root["if_not_gated_logged_out"].is_null();
        note(is_withheld ? page_media::withheld : page_media::unreadable);
    }

    [[nodiscard]] bool is_wanted(const document& object) const {
        const auto code = text_at(object, {"code"});
        return code && (*code == wanted_.code || *code == public_code(wanted_.code));
    }

    /// The wrapper and lists of the author's posts share the code, but only the record has media.
    /// Breadth first: what stands higher is nearer to the question.
    [[nodiscard]] const document* find_media(const document& root) const {
        std::deque<const document*> open{&root};
        for (std::size_t seen = 0; !open.empty() && seen < objects_max; ++seen) {
            const document& at = *open.front();
            open.pop_front();
            if (at.is_object() && has_media_fields(at) && is_wanted(at)) return &at;
            for (const auto& child : at) {
                if (child.is_structured()) open.push_back(&child);
            }
        }
        return nullptr;
    }

    /// Keeps the weightiest finding; whether this one is it.
    bool note(page_media what) {
        if (what < page_.media || (what == page_.media && what == page_media::video)) return false;
        page_.media = what;
        return true;
    }

    const link& wanted_;
    parsed_page page_;
};

}  // namespace

parsed_page parse_page(std::string_view html, const link& wanted) {
    page_reader reader{wanted};
    for (const auto block : data_blocks_of(html)) reader.read(block);
    auto page = std::move(reader).result();
    if (page.route == page_route::unknown) page.route = route_in_text(html);
    return page;
}

bool asks_to_wait(std::string_view body) {
    const auto parsed = parse_block(body);
    if (!parsed) return false;
    constexpr std::array<std::string_view, 2> types{"rate_limit_error", "sentry_block"};
    const auto type = text_at(*parsed, {"error_type"}).value_or("");
    if (std::find(types.begin(), types.end(), type) != types.end()) return true;
    return contains(text_at(*parsed, {"message"}).value_or(""), "Please wait a few minutes");
}

}  // namespace reelsd::platform
