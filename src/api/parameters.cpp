#include "parameters.hpp"

#include <fmt/format.h>

#include <charconv>

namespace reelsd::api {

result<int> requested_limit(std::optional<std::string_view> text, int usual, int most) {
    if (!text) return usual;
    int number = 0;
    const auto* const end = text->data() + text->size();
    const auto [stopped_at, failure] = std::from_chars(text->data(), end, number);
    if (failure != std::errc{} || stopped_at != end || number < 1 || number > most) {
        return error{
            errc::invalid_argument, fmt::format("limit must be a whole number from 1 to {}", most)};
    }
    return number;
}

}  // namespace reelsd::api
