#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/jobs/tag_store.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(tag_count, (), (tag, reels))

namespace {

constexpr db::query find_tags_query{"tags.find", R"sql(
    SELECT ARRAY(SELECT tag FROM reel_tag WHERE job_id = job.id ORDER BY tag) AS tags
      FROM job WHERE id = $1 AND account_id = $2)sql"};

constexpr db::query list_tags_query{"tags.list", R"sql(
    SELECT tag, count(*) AS reels FROM reel_tag WHERE account_id = $1
     GROUP BY tag ORDER BY reels DESC, tag LIMIT 1000)sql"};

constexpr db::query change_tags_query{"tags.change", R"sql(
    SELECT change_tags($1, $2, $3, $4, $5) AS reels)sql"};

error too_many_tags() {
    return error{errc::invalid_argument, fmt::format("a reel has at most {} tags", tags_max)};
}

}  // namespace

result<std::string> tag_from(std::string_view text) {
    std::string tag{trimmed(text, " ")};
    const auto characters = code_point_count(tag);
    const bool is_clean = std::ranges::none_of(
        tag, [](unsigned char byte) { return byte < ' ' || byte == 0x7f || byte == ','; });
    if (characters < 1 || characters > tag_characters_max || !is_clean || !is_utf8(tag)) {
        return error{
            errc::invalid_argument,
            fmt::format("a tag must be 1 to {} characters without a comma", tag_characters_max)};
    }
    return ascii_lower(tag);
}

awaitable<std::optional<std::vector<std::string>>> tag_store::find(
    account_id caller, job_id reel, deadline by) {
    return read_optional<std::vector<std::string>>(by, find_tags_query, reel, caller);
}

awaitable<std::vector<tag_count>> tag_store::list(account_id caller, deadline by) {
    return read_all<tag_count>(by, list_tags_query, caller);
}

awaitable<result<void>> tag_store::replace(
    account_id caller, job_id reel, std::vector<std::string> tags, deadline by) {
    std::vector<job_id> reels{reel};
    const auto changed =
        co_await change(caller, std::move(reels), std::move(tags), std::nullopt, by);
    if (!changed) co_return changed.error();
    if (*changed == 0) co_return error{errc::not_found};
    co_return result<void>{};
}

awaitable<result<std::int32_t>> tag_store::change(
    account_id caller, std::vector<job_id> reels, std::vector<std::string> added,
    std::optional<std::vector<std::string>> removed, deadline by) {
    const auto found = co_await read_one<std::int32_t>(
        by, change_tags_query, caller, reels, added, removed, tags_max);
    if (found < 0) co_return too_many_tags();
    co_return found;
}

}  // namespace reelsd::jobs
