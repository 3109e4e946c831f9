#include "tracker.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace reelsd::media::text {
namespace {

using picture::correlation;

constexpr int drawn_width = 320;
constexpr int drawn_height = 200;
constexpr picture::rotated_box place{.centre_x = 160, .centre_y = 100, .width = 200, .height = 40};

/// A grey picture with "letters", which are random strips determined by a number.
class drawn_frame {
public:
    drawn_frame() : pixels_(std::size_t{3} * drawn_width * drawn_height, 40) {}

    drawn_frame& write(const picture::rotated_box& area, unsigned text) {
        std::mt19937 random{text};
        const picture::box bounds = area.bounds();
        for (int x = bounds.left; x < bounds.right; x += 8) {
            const int top = bounds.top + static_cast<int>(random() % 30);
            for (int y = top; y < bounds.bottom; ++y) {
                for (int dx = 0; dx < 4; ++dx) set(x + dx, y, random() % 2 == 0 ? 250 : 200);
            }
        }
        return *this;
    }
    drawn_frame& erase(const picture::rotated_box& area) {
        const picture::box bounds = area.bounds();
        for (int x = bounds.left; x < bounds.right; ++x)
            for (int y = bounds.top; y < bounds.bottom; ++y) set(x, y, 40);
        return *this;
    }
    [[nodiscard]] picture::view frame() const {
        return {pixels_.data(), drawn_width, drawn_height, std::ptrdiff_t{3} * drawn_width};
    }

private:
    void set(int x, int y, std::uint8_t value) {
        for (std::size_t c = 0; c < 3; ++c)
            pixels_[static_cast<std::size_t>(y * drawn_width + x) * 3 + c] = value;
    }
    std::vector<std::uint8_t> pixels_;
};

picture::rotated_box moved(const picture::rotated_box& from, double dx, double dy) {
    picture::rotated_box to = from;
    to.centre_x += dx;
    to.centre_y += dy;
    return to;
}

/// A tracker and the time of its frames.
class Tracker : public ::testing::Test {
protected:
    void show(
        const drawn_frame& picture, const std::vector<picture::rotated_box>& found,
        const picture::view& before = {}) {
        tracker_.compare(picture.frame());
        tracker_.update(found, picture.frame(), before, seconds_);
        seconds_ += 0.25;
    }
    /// Reads all due lines as `text`. Returns their number.
    std::size_t read(const drawn_frame& picture, const char* text, double confidence = 0.99) {
        const auto due = tracker_.due();
        for (track* line : due)
            tracker_.take(*line, {text, confidence}, picture.frame(), seconds_ - 0.25);
        return due.size();
    }

    [[nodiscard]] std::vector<rows> changed_rows() const {
        return tracker_.changed_rows(std::vector<bool>(drawn_height));
    }

    line_tracker tracker_;
    double seconds_ = 0;
};

TEST(Signature, ComparesPicturesWithoutTheirBrightness) {
    const auto hello = drawn_frame{}.write(place, 1);
    const auto other = drawn_frame{}.write(place, 2);
    const auto mark = signature_of(hello.frame(), place);
    EXPECT_NEAR(correlation(mark, mark), 1, 1e-3);
    EXPECT_LT(correlation(mark, signature_of(other.frame(), place)), 0.8);
    EXPECT_NEAR(correlation(mark, signature_of(drawn_frame{}.frame(), place)), 0, 1e-3);
}

TEST_F(Tracker, ReadsAStillLineOnce) {
    const auto picture = drawn_frame{}.write(place, 1);
    for (int frame = 0; frame < 6; ++frame) {
        show(picture, frame % 2 == 0 ? std::vector{place} : std::vector<picture::rotated_box>{});
        EXPECT_EQ(read(picture, "Wait for it"), frame == 0 ? 1U : 0U);
        EXPECT_TRUE(changed_rows().empty());
    }
    const auto ended = tracker_.release();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended[0].sightings, 6);
    EXPECT_DOUBLE_EQ(ended[0].first_seconds, 0);
    EXPECT_DOUBLE_EQ(ended[0].last_seconds, 1.25);
}

TEST_F(Tracker, ReadsAnUncertainLineAgain) {
    const auto picture = drawn_frame{}.write(place, 1);
    std::size_t readings = 0;
    for (int frame = 0; frame < 10; ++frame) {
        show(picture, {place});
        readings += read(picture, "Wait for it", 0.85);
    }
    EXPECT_EQ(readings, 3U);
}

TEST_F(Tracker, SplitsALineWhoseTextChanged) {
    const auto before = drawn_frame{}.write(place, 1);
    const auto after = drawn_frame{}.write(place, 2);
    show(before, {place});
    read(before, "Part 1");
    show(before, {place});
    show(after, {place});
    EXPECT_EQ(read(after, "Swipe left"), 1U);
    const auto ended = tracker_.release();
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_EQ(ended[0].reading.text, "Part 1");
    EXPECT_DOUBLE_EQ(ended[0].last_seconds, 0.25);
    EXPECT_EQ(ended[0].sightings, 2);
    EXPECT_EQ(ended[1].reading.text, "Swipe left");
    EXPECT_DOUBLE_EQ(ended[1].first_seconds, 0.5);
}

// Goal: another digit is read. Method: a line of which only a letter's width changes.
TEST_F(Tracker, ReadsALineInWhichALetterChanged) {
    const auto digit = [](double x) {
        return picture::rotated_box{.centre_x = x, .centre_y = 100, .width = 24, .height = 40};
    };
    const auto before = drawn_frame{}.write(place, 1);
    const auto after = drawn_frame{}.write(place, 1).erase(digit(240)).write(digit(240), 7);
    EXPECT_GT(
        correlation(signature_of(before.frame(), place), signature_of(after.frame(), place)), 0.9);
    show(before, {place});
    read(before, "Number 5");
    show(after, {place});
    EXPECT_EQ(read(after, "Number 4"), 1U);
    EXPECT_EQ(tracker_.release().size(), 2U);
}

// Goal: a similar text is another one when both are certain. Method: a clear line that changes.
TEST_F(Tracker, SplitsCertainTextsThatDiffer) {
    const auto before = drawn_frame{}.write(place, 1);
    const auto after = drawn_frame{}.write(place, 2);
    for (int frame = 0; frame < 3; ++frame) {
        show(before, {place});
        read(before, "I can do it");
    }
    show(after, {place});
    read(after, "I can't do it");
    EXPECT_EQ(tracker_.release().size(), 2U);
}

// Goal: a text that faded in is read. Method: the first reading is in the midst of the fade.
TEST_F(Tracker, ReadsALineAgainAfterAFade) {
    const auto before = drawn_frame{}.write(place, 1);
    const auto after = drawn_frame{}.write(place, 2);
    show(before, {place});
    read(before, "Open at 5");
    show(after, {place});
    EXPECT_EQ(read(after, "Open at 5"), 1U);
    show(after, {place});
    show(after, {place});
    EXPECT_TRUE(tracker_.due().empty());
    show(after, {place});
    EXPECT_EQ(read(after, "Open at 8"), 1U);
    const auto ended = tracker_.release();
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_EQ(ended[1].reading.text, "Open at 8");
    EXPECT_DOUBLE_EQ(ended[1].first_seconds, 0.5);
}

TEST_F(Tracker, ToleratesMoreAfterTheSameText) {
    const auto before = drawn_frame{}.write(place, 1);
    const auto after = drawn_frame{}.write(place, 2);
    show(before, {place});
    read(before, "Wait for it");
    show(after, {place});
    EXPECT_EQ(read(after, "Wait for it"), 1U);
    const auto ended = tracker_.release();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_LT(ended[0].tolerance, 0.9);
    EXPECT_GE(ended[0].tolerance, 0.5);
}

TEST_F(Tracker, FollowsAMovingLineWithoutReading) {
    const auto first = drawn_frame{}.write(place, 1);
    show(first, {place});
    read(first, "Wait for it");
    const auto aside = moved(place, 0, -30);
    const auto second = drawn_frame{}.write(aside, 1);
    show(second, {aside});
    EXPECT_EQ(read(second, "unread"), 0U);
    const auto ended = tracker_.release();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended[0].sightings, 2);
}

TEST_F(Tracker, EndsALineThatIsGoneAndWatchesItsRows) {
    const auto picture = drawn_frame{}.write(place, 1);
    const drawn_frame empty;
    show(picture, {place});
    read(picture, "Wait for it");
    show(empty, {});
    const auto rows = changed_rows();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_LT(rows[0].top, 80);
    EXPECT_GT(rows[0].bottom, 120);
    for (int frame = 0; frame < 5; ++frame) show(empty, {});
    EXPECT_EQ(changed_rows().size(), 1U);
    show(empty, {});
    EXPECT_TRUE(changed_rows().empty());
    const auto ended = tracker_.release();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_DOUBLE_EQ(ended[0].last_seconds, 0);
    EXPECT_EQ(ended[0].sightings, 1);
}

TEST_F(Tracker, ReplacesALineThatGrew) {
    const picture::rotated_box part{.centre_x = 110, .centre_y = 100, .width = 100, .height = 40};
    const auto picture = drawn_frame{}.write(place, 1);
    show(picture, {part});
    read(picture, "Stop");
    show(picture, {place});
    EXPECT_EQ(read(picture, "Stop scrolling"), 1U);
    const auto ended = tracker_.release();
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_EQ(ended[0].reading.text, "Stop");
    EXPECT_EQ(ended[0].sightings, 1);
}

TEST_F(Tracker, FindsTheStartInTheFrameBefore) {
    const auto picture = drawn_frame{}.write(place, 1);
    seconds_ = 0.5;
    show(picture, {place}, picture.frame());
    read(picture, "Wait for it");
    EXPECT_DOUBLE_EQ(tracker_.release()[0].first_seconds, 0.25);
}

TEST_F(Tracker, BoundsReadingsOfAFrame) {
    std::vector<picture::rotated_box> texture;
    for (int x = 0; x < 12; ++x) {
        for (int y = 0; y < 8; ++y)
            texture.push_back(
                {.centre_x = 12.0 + 25 * x, .centre_y = 10.0 + 24 * y, .width = 20, .height = 20});
    }
    const drawn_frame picture;
    show(picture, texture);
    EXPECT_EQ(tracker_.due().size(), 8U);
}

}  // namespace
}  // namespace reelsd::media::text
