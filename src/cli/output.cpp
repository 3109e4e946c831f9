#include "output.hpp"

#include "api_answer.hpp"

#include <fmt/format.h>

namespace reelsd::cli {

void print(const command_context& context, std::string text) {
    context.shown.finish();
    if (!text.ends_with('\n')) text.push_back('\n');
    std::fwrite(text.data(), 1, text.size(), context.out);
}

void print_json(const command_context& context, std::string_view document) {
    print(context, safe_json(document));
}

exit_code report(const command_context& context, const error& why) {
    context.shown.finish();
    const auto code = exit_code_of(why.code());
    if (code == exit_code::interrupted) {
        context.shown.note("reels: interrupted");
        return code;
    }
    context.shown.note(fmt::format("reels: {}", why.detail()));
    if (const auto advice = advice_for(why.code()); !advice.empty()) context.shown.note(advice);
    return code;
}

}  // namespace reelsd::cli
