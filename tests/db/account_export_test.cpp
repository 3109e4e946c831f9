// Goal: an export contains all data that the account has when it begins, once, and no other data.
#include "retention_store_fixture.hpp"
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/exports/account_export.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <set>
#include <sstream>

namespace reelsd::retention {
namespace {

class AccountExport : public retention_test {
protected:
    struct line_counts {
        std::map<std::string, int> of_type;
        std::vector<nlohmann::json> lines;
    };
    line_counts exported(account_id owner, const std::function<void()>& between_pages = {}) {
        line_counts all;
        exports::account_export pages{pool(), owner};
        while (const auto page = run(pages.next(soon()))) {
            std::istringstream text{*page};
            for (std::string line; std::getline(text, line);) {
                all.lines.push_back(nlohmann::json::parse(line));
                ++all.of_type[all.lines.back().at("type")];
            }
            if (between_pages) between_pages();
        }
        return all;
    }
};

TEST_F(AccountExport, ContainsAllDataOfTheAccountAndNoOther) {
    accounts::account_store accounts{pool()};
    ASSERT_TRUE(run(accounts.create_token(ann_, "laptop", soon())));
    const auto jobs = ended(ann_, 60, 21);  // Three pages.
    ended(bob_, 60, 3);
    run(pool().run(soon(), hang_on_query, ann_, jobs[0]));
    run(pool().run(soon(), add_calls_query, ann_, jobs[0], 1, 250));  // Two pages.

    const auto all = exported(ann_);
    const std::map<std::string, int> expected{
        {"account", 1},
        {"token", 1},
        {"reel", 21},
        {"delivery", 1},
        {"model_call", 250},
        {"end", 1}};
    EXPECT_EQ(all.of_type, expected);
    EXPECT_EQ(all.lines.front().at("email"), "ann@example.com");
    for (const auto& line : all.lines) {
        if (line.at("type") != "delivery") continue;
        EXPECT_TRUE(line.contains("seconds") && line.contains("body")) << line;
    }
    EXPECT_EQ(all.lines.back().at("lines"), all.lines.size() - 1);
    const auto& reel = all.lines.at(2);
    EXPECT_EQ(reel.at("id"), jobs[0].value);
    EXPECT_EQ(reel.at("result").at("visual").at("description"), "x");
    EXPECT_EQ(reel.at("thumbnail_jpeg"), "/9j/2Q==");
    EXPECT_TRUE(all.lines.at(3).at("thumbnail_jpeg").is_null());
    for (const auto& line : all.lines) EXPECT_FALSE(line.contains("hash")) << line;
}

TEST_F(AccountExport, OmitsDataDeletedOrCreatedDuringTheExport) {
    const auto jobs = ended(ann_, 60, 21);
    bool is_first = true;
    const auto all = exported(ann_, [&] {
        if (!is_first) return;
        is_first = false;
        run(store_.remove(ann_, jobs.back(), soon()));
        static_cast<void>(submitted(ann_));
    });
    EXPECT_EQ(all.of_type.at("reel"), 20);
    EXPECT_EQ(all.of_type.at("end"), 1);
}

TEST_F(AccountExport, ContainsDataFromBeforeTheClockWasSetBack) {
    accounts::account_store accounts{pool()};
    ASSERT_TRUE(run(accounts.create_token(ann_, "laptop", soon())));
    const auto jobs = ended(ann_, -3 * day, 20);
    run(pool().run(soon(), hang_on_query, ann_, jobs[0]));
    run(pool().run(soon(), add_calls_query, ann_, jobs[0], -3, 210));
    run(pool().run(soon(), add_calls_query, ann_, jobs[1], 1, 210));
    execute(db::query{"test.move", R"sql(
        UPDATE api_token SET created_at = now() + interval '3 days')sql"});
    execute(db::query{"test.move_deliveries", R"sql(
        UPDATE webhook_delivery SET created_at = now() + interval '3 days')sql"});
    bool is_first = true;
    const auto all = exported(ann_, [&] {
        if (!is_first) return;
        is_first = false;
        // Older than all others by the clock, but inserted later.
        ended(ann_, 5 * day, 3);
        run(pool().run(soon(), add_calls_query, ann_, jobs[2], 5, 10));
    });
    const std::map<std::string, int> expected{
        {"account", 1},
        {"token", 1},
        {"reel", 20},
        {"delivery", 1},
        {"model_call", 420},
        {"end", 1}};
    EXPECT_EQ(all.of_type, expected);
    std::set<std::int64_t> calls;
    for (const auto& line : all.lines) {
        if (line.at("type") == "model_call") calls.insert(line.at("id").get<std::int64_t>());
    }
    EXPECT_EQ(calls.size(), 420U) << "each once";
}

TEST_F(AccountExport, OfAnUnknownAccountContainsOnlyTheEnd) {
    const auto all = exported(account_id{77});
    EXPECT_EQ(all.lines.size(), 1U);
    EXPECT_EQ(all.lines.front().at("lines"), 0);
}

}  // namespace
}  // namespace reelsd::retention
