// Goal: keys reach the daemon from where operators keep them, and are not left where others see
// them.
#include <reelsd/app/command_line.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::app {
namespace {

using testing::HasSubstr;
using testing::Not;

/// An environment variable for one test. The test program has one thread.
class environment_variable {
public:
    environment_variable(const char* name, const char* text) : name_{name} {
        ::setenv(name, text, 1);  // NOLINT(concurrency-mt-unsafe)
    }
    ~environment_variable() { ::unsetenv(name_); }  // NOLINT(concurrency-mt-unsafe)
    environment_variable(const environment_variable&) = delete;
    environment_variable& operator=(const environment_variable&) = delete;

private:
    const char* name_;
};

/// A command line as the system hands it over: writable, and seen in lists of processes.
class argument_list {
public:
    explicit argument_list(std::vector<std::string> words) : words_{std::move(words)} {
        for (auto& word : words_) pointers_.push_back(word.data());
        pointers_.push_back(nullptr);
    }

    std::variant<invocation, int> read() {
        return read_command_line(static_cast<int>(words_.size()), pointers_.data());
    }
    [[nodiscard]] const std::string& word(std::size_t at) const { return words_.at(at); }

private:
    std::vector<std::string> words_;
    std::vector<char*> pointers_;
};

settings settings_of(std::vector<std::string> words) {
    argument_list arguments{std::move(words)};
    const auto read = arguments.read();
    const auto* const asked = std::get_if<invocation>(&read);
    EXPECT_NE(asked, nullptr);
    return asked == nullptr ? settings{} : asked->with;
}

TEST(CommandLine, SecretsAreBlottedOutWhereTheProcessListShowsThem) {
    argument_list arguments{
        {"reelsd",
         "serve",
         "--gemini-api-key=AIza-1",
         "--openai-api-key",
         "sk-2",
         "--gemini-model",
         "gemini-3.5-flash",
         "--database-url",
         "postgresql://u:word@h/n"}};
    const auto read = arguments.read();
    const auto* const asked = std::get_if<invocation>(&read);
    ASSERT_NE(asked, nullptr);
    EXPECT_EQ(asked->with.gemini.key, "AIza-1");
    EXPECT_EQ(asked->with.openai.key, "sk-2");
    EXPECT_EQ(asked->with.database_url, "postgresql://u:word@h/n");
    EXPECT_EQ(arguments.word(2), "--gemini-api-key=******");
    EXPECT_EQ(arguments.word(3), "--openai-api-key");
    EXPECT_EQ(arguments.word(4), "****");
    EXPECT_EQ(arguments.word(6), "gemini-3.5-flash") << "what is no secret stays";
    EXPECT_THAT(arguments.word(8), Not(HasSubstr("word")));
}

TEST(CommandLine, ASecretThatIsRefusedIsNotRepeated) {
    testing::internal::CaptureStderr();
    argument_list arguments{{"reelsd", "serve", "--gemini-api-key=AIza 1"}};
    const auto read = arguments.read();
    const auto said = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(std::holds_alternative<int>(read));
    EXPECT_EQ(std::get<int>(read), 2);
    EXPECT_THAT(said, HasSubstr("gemini-api-key: this value is not allowed"));
    EXPECT_THAT(said, Not(HasSubstr("AIza")));
}

TEST(CommandLine, KeysFromTheEnvironmentUnderEitherName) {
    const environment_variable usual{"GEMINI_API_KEY", "usual"};
    const environment_variable openai{"OPENAI_API_KEY", "sk-1"};
    const auto with = settings_of({"reelsd", "serve"});
    EXPECT_EQ(with.gemini.key, "usual");
    EXPECT_EQ(with.openai.key, "sk-1");
}

TEST(CommandLine, FlagsGoBeforeOurVariableBeforeTheUsualOne) {
    const environment_variable usual{"GEMINI_API_KEY", "usual"};
    const environment_variable ours{"REELSD_GEMINI_API_KEY", "ours"};
    EXPECT_EQ(settings_of({"reelsd", "serve"}).gemini.key, "ours");
    EXPECT_EQ(settings_of({"reelsd", "serve", "--gemini-api-key=flag"}).gemini.key, "flag");
    const environment_variable unset{"REELSD_GEMINI_API_KEY", ""};
    EXPECT_EQ(settings_of({"reelsd", "serve"}).gemini.key, "usual") << "empty is unset";
}

TEST(CommandLine, AWrongValueInTheEnvironmentIsNamed) {
    const environment_variable wrong{"REELSD_ANALYZER", "magic"};
    testing::internal::CaptureStderr();
    argument_list arguments{{"reelsd", "serve"}};
    const auto read = arguments.read();
    EXPECT_THAT(
        testing::internal::GetCapturedStderr(), HasSubstr("analyzer: \"magic\" is not allowed"));
    EXPECT_TRUE(std::holds_alternative<int>(read));
}

TEST(CommandLine, BackupsAndRestorationsNameAFile) {
    argument_list backup{{"reelsd", "backup", "--force", "reels.backup", "--data-dir", "d"}};
    const auto made = backup.read();
    ASSERT_TRUE(std::holds_alternative<invocation>(made));
    const auto& wanted = std::get<invocation>(made);
    const auto* const to = std::get_if<backup_command>(&wanted.wanted);
    ASSERT_NE(to, nullptr);
    EXPECT_EQ(to->file, "reels.backup");
    EXPECT_TRUE(to->force);
    EXPECT_EQ(wanted.with.data_dir, "d");

    argument_list output{{"reelsd", "backup", "-"}};
    const auto piped = output.read();
    ASSERT_TRUE(std::holds_alternative<invocation>(piped));
    EXPECT_EQ(std::get<backup_command>(std::get<invocation>(piped).wanted).file, "-");

    argument_list restoration{{"reelsd", "restore", "reels.backup", "--replace"}};
    const auto read = restoration.read();
    ASSERT_TRUE(std::holds_alternative<invocation>(read));
    EXPECT_TRUE(std::get<restore_command>(std::get<invocation>(read).wanted).replace);
}

}  // namespace
}  // namespace reelsd::app
