#pragma once

#include <reelsd/domain/chats/bot_store.hpp>

#include <cstdint>
#include <string>

/// What is to be done next for something that is to be said. All pure.
namespace reelsd::bot {

/// How a job's message looks, as it is noted in the row: "pending", "processing:download", "done",
/// "error", "gone".
[[nodiscard]] std::string render_state(const chats::waiting_message& said);

/// Nothing comes after this face.
[[nodiscard]] bool is_final(std::string_view rendered_state) noexcept;

struct next_step {
    enum class kind : std::uint8_t {
        nothing,   ///< It shows what there is to show.
        send,      ///< A new message: part `part`.
        edit,      ///< The message that is there: part `part`.
        document,  ///< A file.
        drop,      ///< It must not be said any more.
    };
    kind what = kind::nothing;
    std::string rendered_state = {};  ///< Of a job's message: what it will show.
    int part = 0;
};

/// A reply's parts and those of a summary follow one another; a job's message is sent once and then
/// edited; what a chat is to hear for an account that it is no longer tied to is dropped.
[[nodiscard]] next_step next_step_of(const chats::waiting_message& said);

}  // namespace reelsd::bot
