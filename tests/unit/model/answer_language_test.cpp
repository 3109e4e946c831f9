#include "answer/language_code.hpp"

#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

TEST(LanguageCodeFrom, KnowsWhatModelsWrite) {
    constexpr const char* known[][2] = {
        {"en", "en"},
        {"pt-BR", "pt"},
        {"EN_us", "en"},
        {"zh-Hans-CN", "zh"},
        {"deu", "de"},
        {"Spanish", "es"},
        {"iw", "he"},
        {"cmn-Hans", "zh"},
        {" hi ", "hi"},
        {"English (US)", "en"},
        {"hi, en", "hi"},
    };
    for (const auto& [said, code] : known) EXPECT_EQ(language_code_from(said), code) << said;
    for (const auto* said : {"", "und", "mul", "xx", "zxx", "e", "??", "-", "\xff"}) {
        EXPECT_FALSE(language_code_from(said)) << said;
    }
}

}  // namespace
}  // namespace reelsd::model
