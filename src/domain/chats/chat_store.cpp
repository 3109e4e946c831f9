#include <reelsd/base/text.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

namespace reelsd::chats {

BOOST_DESCRIBE_STRUCT(linked_chat, (), (id, name, linked_at))
BOOST_DESCRIBE_STRUCT(chat_caller, (), (account, requests_per_minute))

namespace {

// Without characters that look like others: i, l, o, 0 and 1.
constexpr std::string_view code_alphabet = "abcdefghjkmnpqrstuvwxyz23456789";
constexpr std::size_t code_characters = 12;
constexpr std::size_t code_group = 4;

constexpr db::query make_code_query{"chats.make_code", R"sql(
    INSERT INTO chat_code (account_id, hash, expires_at)
    VALUES ($1, $2, now() + make_interval(mins => $3))
    ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
    RETURNING expires_at)sql"};

constexpr db::query list_query{"chats.list", R"sql(
    SELECT id, kind, name, linked_at FROM linked_chat
     WHERE account_id = $1 ORDER BY linked_at DESC, id DESC)sql"};

constexpr db::query unlink_query{"chats.unlink", R"sql(
    WITH unlinked AS (
        DELETE FROM linked_chat WHERE id = $2 AND account_id = $1 RETURNING chat_id),
    silenced AS (
        DELETE FROM chat_message USING unlinked WHERE chat_message.chat_id = unlinked.chat_id)
    SELECT chat_id FROM unlinked)sql"};

constexpr db::query find_caller_query{"chats.find_caller", R"sql(
    SELECT linked.account_id AS account, account.requests_per_minute
      FROM linked_chat AS linked JOIN account ON account.id = linked.account_id
     WHERE linked.chat_id = $1 AND account.disabled_at IS NULL)sql"};

constexpr db::query move_query{"chats.move", R"sql(
    SELECT move_chat($1, $2) IS NULL AS moved)sql"};

linked_chat chat_link_from(const db::row& row) {
    auto chat = row.to<linked_chat>();
    const bool is_group = row.as<std::string_view>("kind") == name_of(chat_kind::group);
    chat.kind = is_group ? chat_kind::group : chat_kind::private_chat;
    return chat;
}

}  // namespace

std::string_view name_of(chat_kind kind) noexcept {
    return kind == chat_kind::group ? "group" : "private";
}

std::string generate_chat_code() {
    std::string code;
    std::size_t characters = 0;
    while (characters < code_characters) {
        // All characters are equally likely, so those that are kept are too.
        const auto drawn = accounts::random_characters(1);
        if (code_alphabet.find(drawn) == std::string_view::npos) continue;
        if (characters > 0 && characters % code_group == 0) code.push_back('-');
        code.append(drawn);
        ++characters;
    }
    return code;
}

std::optional<accounts::secret_hash> hash_of_chat_code(std::string_view code) {
    constexpr std::size_t dashes_max = code_characters / code_group - 1;
    if (code.size() > code_characters + dashes_max) return std::nullopt;
    std::string plain;
    for (const char c : code) {
        if (c != '-') plain.push_back(ascii_lower(c));
    }
    if (plain.size() != code_characters) return std::nullopt;
    if (plain.find_first_not_of(code_alphabet) != std::string::npos) return std::nullopt;
    return accounts::sha256_of(plain);
}

awaitable<chat_code> chat_store::make_code(account_id account, deadline by) {
    const auto code = generate_chat_code();
    const auto hash = hash_of_chat_code(code).value();
    const auto expires_at = co_await read_one<time_point>(
        by, make_code_query, account, hash, static_cast<int>(chat_code_life_max.count()));
    co_return chat_code{.code = code, .expires_at = expires_at};
}

awaitable<std::vector<linked_chat>> chat_store::list(account_id account, deadline by) {
    const auto found = co_await run(by, list_query, account);
    co_return found.map(&chat_link_from);
}

awaitable<bool> chat_store::unlink(account_id account, chat_link_id link, deadline by) {
    return changed(by, unlink_query, account, link);
}

awaitable<std::optional<chat_caller>> chat_store::find_caller(chat_id chat, deadline by) {
    return read_optional<chat_caller>(by, find_caller_query, chat);
}

awaitable<void> chat_store::move(chat_id former, chat_id present, deadline by) {
    return execute(by, move_query, former, present);
}

}  // namespace reelsd::chats
