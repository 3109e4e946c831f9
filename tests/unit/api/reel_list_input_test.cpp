#include "api/resources.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace reelsd::api {
namespace {

TEST(RequestedStatus, AcceptsTheFourStatuses) {
    EXPECT_EQ(requested_status(std::nullopt).value(), std::nullopt);
    EXPECT_EQ(requested_status("done").value(), jobs::job_status::done);
    EXPECT_EQ(requested_status("error").value(), jobs::job_status::error);
    for (const char* text : {"", "Done", "finished", "done "}) {
        const auto status = requested_status(text);
        ASSERT_FALSE(status) << text;
        EXPECT_EQ(
            status.error().detail(), "status must be one of pending, processing, done, error");
    }
}

TEST(RequestedAuthor, LimitsTheLength) {
    EXPECT_EQ(requested_author(std::nullopt).value(), std::nullopt);
    EXPECT_EQ(requested_author("slow.brew_1").value(), "slow.brew_1");
    std::string accents;
    for (int count = 0; count < 100; ++count) accents += "é";
    EXPECT_EQ(requested_author(accents).value(), accents);
    for (const auto& text : {std::string{}, accents + "e"}) {
        const auto author = requested_author(text);
        ASSERT_FALSE(author) << text;
        EXPECT_EQ(author.error().code(), errc::invalid_argument);
        EXPECT_EQ(author.error().detail(), "author must be 1 to 100 characters");
    }
}

TEST(RequestedBoolean, AcceptsTrueAndFalse) {
    EXPECT_EQ(requested_boolean(std::nullopt, "latest").value(), flag::off);
    EXPECT_EQ(requested_boolean("false", "latest").value(), flag::off);
    EXPECT_EQ(requested_boolean("true", "latest").value(), flag::on);
    for (const char* text : {"", "1", "True", "yes"}) {
        const auto latest = requested_boolean(text, "latest");
        ASSERT_FALSE(latest) << text;
        EXPECT_EQ(latest.error().detail(), "latest must be true or false");
    }
}

TEST(Cursor, SurvivesTheRoundTripAndRejectsOtherText) {
    EXPECT_EQ(requested_cursor(std::nullopt).value(), std::nullopt);
    for (const std::int64_t id :
         {std::int64_t{1},
          std::int64_t{27},
          std::int64_t{28},
          std::int64_t{123'456'789},
          std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_EQ(requested_cursor(cursor_of({id})).value(), job_id{id});
    }
    const auto most = cursor_of({std::numeric_limits<std::int64_t>::max()});
    for (const std::string& text :
         {std::string{""},
          std::string{"n"},
          std::string{"nb"},
          std::string{"42"},
          std::string{"ncb"},
          std::string{"x"} + most.substr(1),
          most + "9",
          std::string{"n"} + std::string(14, '9'),
          std::string{"n a"}}) {
        const auto cursor = requested_cursor(text);
        ASSERT_FALSE(cursor) << text;
        EXPECT_EQ(cursor.error().code(), errc::invalid_argument);
    }
}

}  // namespace
}  // namespace reelsd::api
