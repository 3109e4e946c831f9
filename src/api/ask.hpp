#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/questions/question.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// `answer` outlives the router. Empty: questions are refused, because the server has no model.
void add_ask_routes(
    http::router& router, std::string_view prefix, const questions::answerer& answer);

enum class question_scope : std::uint8_t { reel, library };

/// Reads {"question": string, "limit"?: integer, "author"?: string}; the last two only of a
/// question to the library. Errors: invalid_argument with the text for the client. Pure.
[[nodiscard]] result<questions::question> requested_question(
    const json& body, question_scope scope);

/// An answer as JSON (schema `Answer` of docs/openapi.yaml). Pure.
[[nodiscard]] std::string answer_view(const questions::answer& answer);

}  // namespace reelsd::api
