#include <reelsd/work/engine/claim_planning.hpp>

#include <gtest/gtest.h>

namespace reelsd::work {
namespace {

/// One claim, and where it started.
std::int64_t claim(claim_cursor& cursor, std::int64_t last_turn, bool may_have_left_some) {
    const auto from = cursor.start();
    cursor.note_claim(from, last_turn, may_have_left_some);
    return from;
}

TEST(ClaimCursor, StartsWithAFullClaim) {
    claim_cursor cursor;
    EXPECT_EQ(claim(cursor, 0, false), 0);
    EXPECT_EQ(claim(cursor, 0, false), 0) << "nothing is known of the turns yet";
}

TEST(ClaimCursor, StartsWhereTheIntervalBeforeHasClaimed) {
    claim_cursor cursor;
    EXPECT_EQ(claim(cursor, 5, false), 0);
    EXPECT_EQ(claim(cursor, 9, false), 0);
    cursor.read_from_start();
    EXPECT_EQ(claim(cursor, 12, false), 0);
    cursor.read_from_start();
    EXPECT_EQ(claim(cursor, 20, false), 0);
    EXPECT_EQ(claim(cursor, 21, false), 12) << "not at 20, which was claimed a moment ago";
    EXPECT_EQ(claim(cursor, 22, false), 12);
}

TEST(ClaimCursor, MissesNoReleasedJobAfterAFullClaim) {
    claim_cursor cursor;
    EXPECT_EQ(claim(cursor, 100, false), 0);
    cursor.read_from_start();
    EXPECT_EQ(claim(cursor, 101, false), 0);
    cursor.read_from_start();
    EXPECT_EQ(claim(cursor, 3, true), 0);
    EXPECT_EQ(claim(cursor, 6, true), 3) << "those of turns above 3 come before new ones";
}

TEST(ClaimCursor, KeepsARequestDuringAClaim) {
    claim_cursor cursor;
    const auto from = cursor.start();
    cursor.read_from_start();
    cursor.note_claim(from, 7, true);
    EXPECT_EQ(cursor.start(), 0);
    EXPECT_EQ(cursor.start(), 7);
}

TEST(ClaimCursor, ForgetsOldTurns) {
    claim_cursor cursor;
    EXPECT_EQ(claim(cursor, 50, false), 0);
    for (int i = 0; i < 3; ++i) {
        cursor.read_from_start();
        EXPECT_EQ(claim(cursor, 0, false), 0);
    }
    EXPECT_EQ(cursor.start(), 0);
}

}  // namespace
}  // namespace reelsd::work
