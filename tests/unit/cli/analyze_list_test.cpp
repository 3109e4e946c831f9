#include "cli/analyze_list.hpp"

#include "cli/job_wait.hpp"
#include "cli/links.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Goal: lists are split as the server requires, and progress is shown. Method: pure functions.
namespace reelsd::cli {
namespace {

using sizes = std::vector<std::size_t>;

TEST(PartsOf, FitInOneRequestEach) {
    const auto links = [](std::size_t count, std::size_t length) {
        return std::vector<std::string>(count, std::string(length, 'x'));
    };
    EXPECT_EQ(parts_of(links(1, 100)), (sizes{1}));
    EXPECT_EQ(parts_of(links(50, 100)), (sizes{50}));
    EXPECT_EQ(parts_of(links(51, 100)), (sizes{50, 1}));
    EXPECT_EQ(parts_of(links(120, 100)), (sizes{50, 50, 20}));
    // With quotation marks and comma, 61,440 bytes hold 29 of 2,048 characters.
    EXPECT_EQ(parts_of(links(40, 2048)), (sizes{29, 11}));
    EXPECT_EQ(parts_of(links(2, 100'000)), (sizes{1, 1})) << "the server rejects such links";
    EXPECT_EQ(parts_of(std::vector<std::string>(20, std::string(1000, '\x01'))), (sizes{10, 10}))
        << "the escaped size counts";
}

TEST(ProgressBar, ShowsTheShareOfEndedLinks) {
    EXPECT_EQ(progress_bar(0, 3), "[--------------------] 0 of 3 ended");
    EXPECT_EQ(progress_bar(250, 500), "[##########----------] 250 of 500 ended");
    EXPECT_EQ(progress_bar(3, 3), "[####################] 3 of 3 ended");
    EXPECT_EQ(progress_bar(0, 0), "[####################] 0 of 0 ended");
}

TEST(CompleteLink, AddsAMissingScheme) {
    EXPECT_EQ(complete_link("www.instagram.com/reel/X"), "https://www.instagram.com/reel/X");
    EXPECT_EQ(complete_link("Instagram.com/p/X"), "https://Instagram.com/p/X");
    EXPECT_EQ(complete_link("m.instagram.com/p/X"), "https://m.instagram.com/p/X");
    for (const char* link :
         {"https://www.instagram.com/reel/X",
          "http://instagram.com/p/X",
          "instagram.com.evil.test/p/X",
          "instagram.com",
          "x",
          ""})
        EXPECT_EQ(complete_link(link), link);
}

TEST(LinksIn, SplitsAtBlanksAndRemovesDuplicates) {
    using links = std::vector<std::string>;
    EXPECT_EQ(links_in(""), links{});
    EXPECT_EQ(links_in(" \n\r\n"), links{});
    EXPECT_EQ(links_in("# a comment\na b\r\n\tc # d\nb"), (links{"a", "b", "c"}));
    EXPECT_EQ(links_in("a#b\nc"), (links{"a#b", "c"}));
    EXPECT_EQ(
        links_in("instagram.com/p/a/ https://instagram.com/p/a/"),
        (links{"https://instagram.com/p/a/"}));
}

TEST(KeyOfLinks, DependsOnTheLinksAndTheirOrder) {
    const auto key = key_of_links({"a", "b"});
    EXPECT_EQ(key.size(), 32U);
    EXPECT_EQ(key, key_of_links({"a", "b"}));
    EXPECT_NE(key, key_of_links({"b", "a"}));
    EXPECT_NE(key, key_of_links({"ab"}));
    EXPECT_NE(key, key_of_links({"a", "b", ""}));
}

TEST(ProgressText, ShowsStepAndAttempt) {
    EXPECT_EQ(progress_text({.id = 42, .status = "pending"}), "reel 42: pending");
    EXPECT_EQ(
        progress_text({.id = 42, .status = "processing", .attempt = 1}), "reel 42: processing");
    EXPECT_EQ(
        progress_text({.id = 42, .status = "processing", .attempt = 1, .step = "download"}),
        "reel 42: processing (download)");
    EXPECT_EQ(
        progress_text({.id = 42, .status = "processing", .attempt = 2, .step = "download"}),
        "reel 42: processing (download, attempt 2)");
    EXPECT_EQ(
        progress_text({.id = 42, .status = "pending", .attempt = 2}),
        "reel 42: pending (attempt 2)");
    EXPECT_EQ(
        progress_text({.id = 1, .status = "a\x1b[2J\n", .step = "b\r"}).find_first_of("\x1b\n\r"),
        std::string::npos);
}

}  // namespace
}  // namespace reelsd::cli
