#pragma once

#include "commands.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// What a command prints: text for people, or the API's JSON.
enum class output_form : std::uint8_t { page, json };

[[nodiscard]] inline output_form form_of(bool as_json) {
    return as_json ? output_form::json : output_form::page;
}

/// Takes the live line away and prints `text`, with a line break at its end.
void print(const command_context& context, std::string text);

/// Prints a JSON document in such a way that a terminal obeys nothing in it.
void print_json(const command_context& context, std::string_view document);

/// Says what went wrong and what can be done about it; returns the exit code for it.
[[nodiscard]] exit_code report(const command_context& context, const error& why);

}  // namespace reelsd::cli
