#include "answer_parser.hpp"
#include "json_access.hpp"
#include "post_reader.hpp"
#include <reelsd/base/text.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace reelsd::platform {
namespace {

constexpr const char* route_key = "canonicalRouteName";
constexpr const char* page_id_key = "pageID";

page_route route_of(std::string_view name) {
    if (contains(name, "ErrorRoute")) return page_route::not_found;
    if (contains(name, "Login")) return page_route::login;
    if (contains(name, "PostRoute")) return page_route::post;
    return page_route::unknown;
}

/// The route by the text outside data blocks, for pages whose blocks do not contain it. The
/// application's code may name other routes, so several different names are unknown.
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

/// Collects the data of all blocks. Of each block it parses only members with known names.
class page_reader {
public:
    explicit page_reader(const link& reel) : reel_{reel}, posts_{reel} {}

    void read(std::string_view block) {
        for (const char* name : {polaris_key, web_info_key}) {
            for (const auto value : values_of(block, name)) take_media(name, value);
        }
        for (const char* name : {route_key, page_id_key}) {
            for (const auto value : values_of(block, name)) take_route(name, value);
        }
    }

    /// For blocks without known names: the names of members change sometimes.
    void read_unnamed(const std::vector<std::string_view>& blocks) {
        const auto code = '"' + std::string{public_code(reel_.code)} + '"';
        for (const auto block : blocks) {
            if (!posts_.has_found_nothing()) return;
            if (!contains(block, code)) continue;
            if (const auto parsed = parse_block(block)) posts_.take_unnamed(*parsed);
        }
    }

    [[nodiscard]] parsed_answer result() && {
        auto answer = std::move(posts_).result();
        answer.route = route_;
        return answer;
    }

private:
    void take_media(const char* name, std::string_view text) {
        const auto value = parse_block(text);
        if (value) {
            posts_.take(name, *value);
            posts_.take_all(*value);
        } else if (contains(text, public_code(reel_.code))) {
            posts_.take_unreadable();
        }
    }

    void take_route(std::string_view name, std::string_view text) {
        if (route_ != page_route::unknown) return;
        const auto value = parse_block(text);
        if (!value || !value->is_string()) return;
        if (name == route_key) route_ = route_of(value->get_ref<const std::string&>());
        if (name == page_id_key && *value == "httpErrorPage") route_ = page_route::not_found;
    }

    const link& reel_;
    post_reader posts_;
    page_route route_ = page_route::unknown;
};

}  // namespace

parsed_answer parse_page(std::string_view html, const link& reel) {
    page_reader reader{reel};
    const auto blocks = data_blocks_of(html);
    for (const auto block : blocks.all) reader.read(block);
    reader.read_unnamed(blocks.all);
    auto page = std::move(reader).result();
    if (page.route == page_route::unknown) page.route = route_in_text(html);
    // Throttled clients get complete pages; a cut one may have had the post.
    if (blocks.is_cut && page.media == answer_media::absent) page.route = page_route::unknown;
    return page;
}

}  // namespace reelsd::platform
