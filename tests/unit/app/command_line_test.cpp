// Goal: keys are read from where operators store them, and are not left where other users see them.
#include "app/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

/// A file with a secret.
class secret_file {
public:
    explicit secret_file(const std::string& text)
        : path_{::testing::TempDir() + "reelsd-secret-" + std::to_string(::getpid())} {
        std::ofstream{path_, std::ios::binary} << text;
    }
    ~secret_file() { std::filesystem::remove(path_); }
    secret_file(const secret_file&) = delete;
    secret_file& operator=(const secret_file&) = delete;
    [[nodiscard]] const char* path() const { return path_.c_str(); }

private:
    std::string path_;
};

/// A command line as the system passes it: writable, and visible in the process list.
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
    const auto* const request = std::get_if<invocation>(&read);
    EXPECT_NE(request, nullptr);
    return request == nullptr ? settings{} : request->config;
}

/// Standard error of a command line that is refused.
std::string refusal_of(std::vector<std::string> words) {
    ::testing::internal::CaptureStderr();
    argument_list arguments{std::move(words)};
    const auto read = arguments.read();
    auto output = ::testing::internal::GetCapturedStderr();
    const auto* const exit_code = std::get_if<int>(&read);
    EXPECT_TRUE(exit_code != nullptr && *exit_code == 2) << "it was not refused";
    return output;
}

TEST(CommandLine, SecretsAreOverwrittenInTheProcessList) {
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
    const auto* const request = std::get_if<invocation>(&read);
    ASSERT_NE(request, nullptr);
    EXPECT_EQ(request->config.gemini.key, "AIza-1");
    EXPECT_EQ(request->config.openai.key, "sk-2");
    EXPECT_EQ(request->config.database_url, "postgresql://u:word@h/n");
    EXPECT_EQ(arguments.word(2), "--gemini-api-key=******");
    EXPECT_EQ(arguments.word(3), "--openai-api-key");
    EXPECT_EQ(arguments.word(4), "****");
    EXPECT_EQ(arguments.word(6), "gemini-3.5-flash") << "not a secret";
    EXPECT_THAT(arguments.word(8), Not(HasSubstr("word")));
}

TEST(CommandLine, ASecretThatIsRefusedIsNotRepeated) {
    ::testing::internal::CaptureStderr();
    argument_list arguments{{"reelsd", "serve", "--gemini-api-key=AIza 1"}};
    const auto read = arguments.read();
    const auto output = ::testing::internal::GetCapturedStderr();
    ASSERT_TRUE(std::holds_alternative<int>(read));
    EXPECT_EQ(std::get<int>(read), 2);
    EXPECT_THAT(output, HasSubstr("gemini-api-key: this value is not allowed"));
    EXPECT_THAT(output, Not(HasSubstr("AIza")));
}

TEST(CommandLine, KeysFromTheEnvironmentUnderEitherName) {
    const environment_variable usual{"GEMINI_API_KEY", "usual"};
    const environment_variable openai{"OPENAI_API_KEY", "sk-1"};
    const auto config = settings_of({"reelsd", "serve"});
    EXPECT_EQ(config.gemini.key, "usual");
    EXPECT_EQ(config.openai.key, "sk-1");
}

TEST(CommandLine, FlagsOverrideOurVariableWhichOverridesTheUsualOne) {
    const environment_variable usual{"GEMINI_API_KEY", "usual"};
    const environment_variable ours{"REELSD_GEMINI_API_KEY", "ours"};
    EXPECT_EQ(settings_of({"reelsd", "serve"}).gemini.key, "ours");
    EXPECT_EQ(settings_of({"reelsd", "serve", "--gemini-api-key=flag"}).gemini.key, "flag");
    const environment_variable unset{"REELSD_GEMINI_API_KEY", ""};
    EXPECT_EQ(settings_of({"reelsd", "serve"}).gemini.key, "usual") << "empty is unset";
}

TEST(CommandLine, AnEmptyValueOfTheFileIsUnset) {
    const secret_file file{"workers = \"\"\npublic-url = \"\"\nlog-file =\n"};
    const auto config = settings_of({"reelsd", "serve", std::string{"--config="} + file.path()});
    EXPECT_EQ(config.workers, settings_of({"reelsd", "serve"}).workers);
    EXPECT_EQ(config.public_url, "");
}

TEST(CommandLine, SecretsFromFilesThatAVariableNames) {
    const environment_variable url{"REELSD_DATABASE_URL", "postgresql://reelsd@db/reelsd"};
    for (const char* text : {"word", "word\n", "word\r\n"}) {
        const secret_file file{text};
        const environment_variable password{"REELSD_DATABASE_PASSWORD_FILE", file.path()};
        const environment_variable key{"REELSD_GEMINI_API_KEY_FILE", file.path()};
        const environment_variable token{"REELSD_TELEGRAM_TOKEN_FILE", file.path()};
        const auto config = settings_of({"reelsd", "serve"});
        EXPECT_EQ(config.database_password, "word");
        EXPECT_EQ(config.gemini.key, "word");
        EXPECT_EQ(config.telegram_token, "word");
        EXPECT_EQ(settings_of({"reelsd", "serve", "--gemini-api-key=flag"}).gemini.key, "flag");
    }
}

TEST(CommandLine, AnEmptyFileOrVariableIsNoSecret) {
    for (const char* text : {"", "\n"}) {
        const secret_file file{text};
        const environment_variable key{"REELSD_GEMINI_API_KEY_FILE", file.path()};
        EXPECT_EQ(settings_of({"reelsd", "serve"}).gemini.key, "");
    }
    const environment_variable unset{"REELSD_GEMINI_API_KEY_FILE", ""};
    EXPECT_EQ(settings_of({"reelsd", "serve"}).gemini.key, "");
}

TEST(CommandLine, ASecretHasOneSource) {
    const secret_file file{"word"};
    const environment_variable named{"REELSD_OPENAI_API_KEY_FILE", file.path()};
    {
        const environment_variable ours{"REELSD_OPENAI_API_KEY", "sk-1"};
        EXPECT_EQ(
            refusal_of({"reelsd", "serve"}),
            "reelsd: REELSD_OPENAI_API_KEY and REELSD_OPENAI_API_KEY_FILE are both set; only one "
            "may be\n");
    }
    const environment_variable usual{"OPENAI_API_KEY", "sk-1"};
    EXPECT_EQ(
        refusal_of({"reelsd", "serve"}),
        "reelsd: OPENAI_API_KEY and REELSD_OPENAI_API_KEY_FILE are both set; only one may be\n");
}

TEST(CommandLine, AnInvalidSecretFileIsNamedButNotQuoted) {
    {
        const environment_variable gone{"REELSD_TELEGRAM_TOKEN_FILE", "/nonexistent/token"};
        EXPECT_EQ(
            refusal_of({"reelsd", "serve"}),
            "reelsd: REELSD_TELEGRAM_TOKEN_FILE: /nonexistent/token: No such file or directory\n");
        const environment_variable folder{"REELSD_TELEGRAM_TOKEN_FILE", "/"};
        EXPECT_EQ(
            refusal_of({"reelsd", "serve"}),
            "reelsd: REELSD_TELEGRAM_TOKEN_FILE: /: Is a directory\n");
        const environment_variable device{"REELSD_TELEGRAM_TOKEN_FILE", "/dev/null"};
        EXPECT_EQ(
            refusal_of({"reelsd", "serve"}),
            "reelsd: REELSD_TELEGRAM_TOKEN_FILE: /dev/null: Invalid argument\n");
    }
    const auto refusal_for = [](const std::string& text) {
        const secret_file file{text};
        const environment_variable named{"REELSD_TELEGRAM_TOKEN_FILE", file.path()};
        return refusal_of({"reelsd", "serve"});
    };
    EXPECT_THAT(refusal_for(std::string(4097, 'a')), HasSubstr(": is larger than 4096 bytes"));
    EXPECT_THAT(refusal_for("1:abc\n1:def\n"), HasSubstr(": is more than one line of text"));
    EXPECT_THAT(refusal_for("1:abc\n\n"), HasSubstr(": is more than one line of text"));
    EXPECT_THAT(refusal_for(std::string{"1:a\0c", 5}), HasSubstr("more than one line"));
    EXPECT_THAT(refusal_for("1:ab c"), Not(HasSubstr("1:ab")));
}

TEST(CommandLine, OnlySecretsHaveFiles) {
    const secret_file file{"json"};
    const environment_variable named{"REELSD_LOG_FORMAT_FILE", file.path()};
    EXPECT_EQ(settings_of({"reelsd", "serve"}).log_format, log::format::text);
}

TEST(CommandLine, AnInvitationIsForAnAccountOrForTheFirstAdministrator) {
    const auto account_of = [](std::vector<std::string> words) {
        argument_list arguments{std::move(words)};
        const auto read = arguments.read();
        return std::get<invite_account_command>(std::get<invocation>(read).chosen).account;
    };
    EXPECT_EQ(account_of({"reelsd", "account", "invite", "--account", "ann@a.test"}), "ann@a.test");
    EXPECT_EQ(account_of({"reelsd", "account", "invite"}), "");
}

TEST(CommandLine, ASettingIsNoLimitOfAnAccount) {
    const std::vector<std::string> limits{
        "reelsd", "account", "limits", "--email", "a@example.org", "--data-dir", "/x"};
    EXPECT_EQ(settings_of(limits).data_dir, "/x");
    auto words = limits;
    words.insert(words.end(), {"--video-seconds-max", "100"});
    EXPECT_THAT(refusal_of(words), HasSubstr("--video-seconds-max is a setting of the daemon"));
}

TEST(CommandLine, AnInvalidValueInTheEnvironmentIsNamed) {
    const environment_variable wrong{"REELSD_ANALYZER", "magic"};
    ::testing::internal::CaptureStderr();
    argument_list arguments{{"reelsd", "serve"}};
    const auto read = arguments.read();
    EXPECT_THAT(
        ::testing::internal::GetCapturedStderr(), HasSubstr("analyzer: \"magic\" is not allowed"));
    EXPECT_TRUE(std::holds_alternative<int>(read));
}

TEST(CommandLine, BackupsAndRestorationsNameAFile) {
    argument_list backup{{"reelsd", "backup", "--force", "reels.backup", "--data-dir", "d"}};
    const auto to_file = backup.read();
    ASSERT_TRUE(std::holds_alternative<invocation>(to_file));
    const auto& request = std::get<invocation>(to_file);
    const auto* const command = std::get_if<backup_command>(&request.chosen);
    ASSERT_NE(command, nullptr);
    EXPECT_EQ(command->file, "reels.backup");
    EXPECT_TRUE(command->force);
    EXPECT_EQ(request.config.data_dir, "d");

    argument_list output{{"reelsd", "backup", "-"}};
    const auto piped = output.read();
    ASSERT_TRUE(std::holds_alternative<invocation>(piped));
    EXPECT_EQ(std::get<backup_command>(std::get<invocation>(piped).chosen).file, "-");

    argument_list restoration{{"reelsd", "restore", "reels.backup", "--replace"}};
    const auto read = restoration.read();
    ASSERT_TRUE(std::holds_alternative<invocation>(read));
    EXPECT_TRUE(std::get<restore_command>(std::get<invocation>(read).chosen).replace);
}

}  // namespace
}  // namespace reelsd::app
