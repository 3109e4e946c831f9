#pragma once

#include "plane.hpp"
#include <reelsd/base/result.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tesseract {
class TessBaseAPI;
}

namespace reelsd::media::text {

struct word_reading {
    std::string text{};
    double confidence = 0;  ///< 0 to 100.
    bool known = false;     ///< In the recogniser's dictionary.
};

struct line_reading {
    std::vector<word_reading> words{};

    [[nodiscard]] std::string text() const;
    /// Mean of the words', by their lengths; 0 without words.
    [[nodiscard]] double confidence() const;
};

/// Tesseract for one line at a time. One thread; opens no file and starts no thread after `load`.
class recogniser {
public:
    /// Reads `eng.traineddata` from `tessdata_dir`; `media_failed` when it is missing or damaged.
    static result<std::unique_ptr<recogniser>> load(const std::string& tessdata_dir);

    recogniser(const recogniser&) = delete;
    recogniser& operator=(const recogniser&) = delete;
    ~recogniser();

    /// Dark letters on white, one line.
    [[nodiscard]] line_reading read(const plane& picture);

    /// Whether the dictionary contains `word`, as written or in lower case.
    [[nodiscard]] bool knows(std::string_view word) const;

private:
    explicit recogniser(std::unique_ptr<tesseract::TessBaseAPI> engine);

    std::unique_ptr<tesseract::TessBaseAPI> engine_;
};

}  // namespace reelsd::media::text
