#include "tracker.hpp"

#include "drawn_picture.hpp"

#include <gtest/gtest.h>

namespace reelsd::media::text {
namespace {

/// Feeds pictures to a detector and a tracker, a quarter of a second apart.
class following {
public:
    std::vector<observation> show(const drawn_picture& picture) {
        candidates_ = detector_.find(picture.frame());
        const double seconds = 0.25 * shown_++;
        return tracker_.update(candidates_, detector_, picture.frame(), seconds, ended);
    }

    std::vector<track> ended;

private:
    line_detector detector_;
    line_tracker tracker_;
    std::vector<candidate> candidates_;
    int shown_ = 0;
};

drawn_picture with_text(std::string_view text, int left, int top, rgb ground = dark_blue) {
    drawn_picture picture{500, 300, ground};
    picture.write(text, left, top, white);
    return picture;
}

TEST(Signature, DependsOnTheTextAndNotOnItsPosition) {
    line_detector detector;
    const auto of = [&](const drawn_picture& picture) {
        return signature_of(detector.find(picture.frame()).at(0).line);
    };
    const signature next = of(with_text("THE HILL", 40, 40));
    EXPECT_GT(correlation(next, of(with_text("THE HILL", 133, 201))), 0.98);
    EXPECT_LT(correlation(next, of(with_text("LITTLEFE", 40, 40))), same_signature_correlation);
    EXPECT_DOUBLE_EQ(correlation(next, signature{}), 0);
}

// Goal: a still line is followed over a moving background. Method: the background changes.
TEST(Tracker, FollowsAStillLineOverAnyBackground) {
    following video;
    for (int i = 0; i < 6; ++i) {
        const auto seen = video.show(with_text("THE HILL", 40, 40, {std::uint8_t(20 * i), 60, 90}));
        ASSERT_EQ(seen.size(), 1U) << "frame " << i;
        EXPECT_EQ(seen[0].line->sightings, i + 1);
    }
}

TEST(Tracker, FollowsAMovingLine) {
    following video;
    for (int i = 0; i < 6; ++i) {
        const auto seen = video.show(with_text("THE HILL", 40 + 9 * i, 200 - 25 * i));
        ASSERT_EQ(seen.size(), 1U) << "frame " << i;
        EXPECT_EQ(seen[0].line->sightings, i + 1);
        EXPECT_EQ(seen[0].line->moved, i > 0);
    }
}

TEST(Tracker, EndsALineThatIsGoneButNotAfterAFlicker) {
    following video;
    const drawn_picture empty{500, 300, dark_blue};
    video.show(with_text("THE HILL", 40, 40));
    video.show(empty);
    ASSERT_EQ(video.show(with_text("THE HILL", 40, 40)).size(), 1U);
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(video.show(empty).empty());
    ASSERT_EQ(video.ended.size(), 1U);
    EXPECT_EQ(video.ended[0].sightings, 2);
    EXPECT_DOUBLE_EQ(video.ended[0].first_seconds, 0);
    EXPECT_DOUBLE_EQ(video.ended[0].last_seconds, 0.5);
}

TEST(Tracker, TreatsAnotherTextAsANewLine) {
    following video;
    video.show(with_text("THE HILL", 40, 40));
    const auto seen = video.show(with_text("LITTLE FEE", 40, 40));
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].line->sightings, 1);
}

TEST(Tracker, TreatsAGrownLineAsANewLine) {
    following video;
    video.show(with_text("THE", 40, 40));
    const auto seen = video.show(with_text("THE HILL", 40, 40));
    const auto fresh = std::count_if(seen.begin(), seen.end(), [](const observation& each) {
        return each.line->line.bounds.width() > 150;
    });
    EXPECT_EQ(fresh, 1);
}

// Goal: nothing that leaves the screen is lost at the end of the video. Method: release.
TEST(Tracker, ReleasesTheRemainingLines) {
    line_detector detector;
    line_tracker tracker;
    const drawn_picture picture = with_text("THE HILL", 40, 40);
    const auto candidates = detector.find(picture.frame());
    std::vector<track> ended;
    static_cast<void>(tracker.update(candidates, detector, picture.frame(), 1.0, ended));
    EXPECT_EQ(tracker.release().size(), 1U);
    EXPECT_TRUE(tracker.release().empty());
    EXPECT_TRUE(ended.empty());
}

}  // namespace
}  // namespace reelsd::media::text
