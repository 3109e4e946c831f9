#include <reelsd/http/parameters.hpp>

#include <fmt/format.h>

#include <charconv>

namespace reelsd::http {

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

result<std::int64_t> requested_number(std::string_view text) {
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped_at, failure] = std::from_chars(text.data(), end, number);
    const bool is_number = failure == std::errc{} && stopped_at == end;
    // "+7", "007" and "7.0" name nothing: one resource, one path.
    if (!is_number || number <= 0 || text.front() == '0') return error{errc::not_found};
    return number;
}

}  // namespace reelsd::http
