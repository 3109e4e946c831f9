#include "post_reader.hpp"

#include "media_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <deque>

namespace reelsd::platform {
namespace {

/// The names that objects have for a post's code.
constexpr auto code_names = std::to_array<const char*>({"code", "shortcode"});

}  // namespace

void post_reader::take(const std::string& key, const document& value) {
    if (answer_.media == answer_media::video) return;  // Nothing is more informative.
    if (key == web_info_key) return take_web_info(value);
    if (key == polaris_key || key == embedded_key || key == retired_key) {
        if (!value.is_null()) return take_root(value);
        note(answer_media::null_root);
    }
}

void post_reader::take_all(const document& root) {
    visit_members(root, [this](const auto& name, const auto& value) { take(name, value); });
}

void post_reader::take_web_info(const document& value) {
    const auto& items = array_at(value, {"items"});
    if (items.empty()) note(answer_media::null_root);
    for (const auto& item : items) take_root(item);
}

void post_reader::take_root(const document& root) {
    if (const auto* media = find_media(root)) {
        if (records_left_ == 0) return;
        --records_left_;
        auto read = is_embedded_media(*media) ? read_embedded_media(*media, reel_)
                                              : read_media_object(*media, reel_);
        if (note(read.media)) answer_.subject = std::move(read.subject);
        return;
    }
    const bool names_a_post =
        std::any_of(code_names.begin(), code_names.end(), [&](const char* name) {
            return member(root, {name}) != nullptr;
        });
    if (!is_requested(root) && names_a_post) {
        note(answer_media::other_post);
        return;
    }
    if (const auto* page_error = member(root, {"gating_ruling"})) {
        if (note(answer_media::gated))
            answer_.page_error = text_at(*page_error, {"title"}).value_or("");
        return;
    }
    const bool is_withheld = root.is_object() && root.contains("if_not_gated_logged_out") &&
                             root["if_not_gated_logged_out"].is_null();
    note(is_withheld ? answer_media::withheld : answer_media::unreadable);
}

/// An object with two codes matches only if both do.
bool post_reader::is_requested(const document& object) const {
    bool is_named = false;
    for (const char* name : code_names) {
        const auto* value = member(object, {name});
        if (value == nullptr || !value->is_string()) continue;
        const auto& code = value->get_ref<const std::string&>();
        if (code != reel_.code && code != public_code(reel_.code)) return false;
        is_named = true;
    }
    return is_named;
}

void post_reader::take_unnamed(const document& root) {
    if (find_media(root) != nullptr) return take_root(root);
    // Pages for throttled clients mention the post in the author's list of posts.
    const auto* record = find_first(
        root, [this](const document& at) { return is_own_record(at); }, "edges");
    if (record != nullptr) take_root(*record);
}

/// Whether an object names the requested post and has one more fact. The route's parameters have
/// none.
bool post_reader::is_own_record(const document& object) const {
    constexpr auto facts = std::to_array<const char*>({"pk", "media_type", "user", "__typename"});
    return is_requested(object) && std::any_of(facts.begin(), facts.end(), [&](const char* name) {
               return member(object, {name}) != nullptr;
           });
}

/// Wrappers and lists of the author's posts also have the code, but only the record has media.
const document* post_reader::find_media(const document& root) {
    return find_first(
        root,
        [this](const document& at) {
            return (has_media_fields(at) || is_embedded_media(at)) && is_requested(at);
        },
        {});
}

/// Breadth first, because higher objects are more relevant. Omits members called `skipped`.
const document* post_reader::find_first(
    const document& root, const std::function<bool(const document&)>& is_match,
    std::string_view skipped) {
    std::deque<const document*> open{&root};
    while (!open.empty()) {
        const document& at = *open.front();
        open.pop_front();
        // Roots can contain roots: without a bound for all, the cost would be quadratic.
        if (at.size() >= values_left_) return nullptr;
        values_left_ -= at.size();
        if (at.is_object() && is_match(at)) return &at;
        for (auto child = at.begin(); child != at.end(); ++child) {
            const bool is_skipped = at.is_object() && child.key() == skipped;
            if (child->is_structured() && !is_skipped) open.push_back(&*child);
        }
    }
    return nullptr;
}

/// Keeps the most informative media. Returns whether `media` is it.
bool post_reader::note(answer_media media) {
    if (media < answer_.media || (media == answer_.media && media == answer_media::video))
        return false;
    answer_.media = media;
    answer_.page_error.clear();
    return true;
}

}  // namespace reelsd::platform
