#include "recogniser.hpp"

#include <omp.h>
#include <tesseract/baseapi.h>
#include <tesseract/resultiterator.h>

#include <algorithm>
#include <cctype>

namespace reelsd::media::text {

std::string line_reading::text() const {
    std::string joined;
    for (const word_reading& word : words) {
        if (!joined.empty()) joined += ' ';
        joined += word.text;
    }
    return joined;
}

double line_reading::confidence() const {
    double sum = 0;
    double weight = 0;
    for (const word_reading& word : words) {
        const auto length = static_cast<double>(word.text.size());
        sum += word.confidence * length;
        weight += length;
    }
    return weight == 0 ? 0.0 : sum / weight;
}

recogniser::recogniser(std::unique_ptr<tesseract::TessBaseAPI> engine)
    : engine_{std::move(engine)} {}

recogniser::~recogniser() {
    engine_->End();
}

result<std::unique_ptr<recogniser>> recogniser::load(const std::string& tessdata_dir) {
    // Tesseract requests four threads, which OMP_NUM_THREADS does not override. Without active
    // levels every parallel region runs on the caller.
    omp_set_max_active_levels(0);
    auto engine = std::make_unique<tesseract::TessBaseAPI>();
    // Disables warnings about odd pictures on standard error.
    engine->SetVariable("debug_file", "/dev/null");
    if (engine->Init(tessdata_dir.c_str(), "eng", tesseract::OEM_LSTM_ONLY) != 0) {
        return error{errc::media_failed, "cannot load eng.traineddata from " + tessdata_dir};
    }
    engine->SetPageSegMode(tesseract::PSM_SINGLE_LINE);
    engine->SetVariable("user_defined_dpi", "300");
    engine->SetVariable("tessedit_do_invert", "0");
    std::unique_ptr<recogniser> loaded{new recogniser{std::move(engine)}};
    // Tesseract's lazy initialisation happens now, because the jail denies opening files.
    plane blank{240, 60, 255};
    for (int y = 15; y < 45; ++y) {
        for (int x = 20; x < 220; x += 12) std::fill_n(blank.row(y) + x, 4, std::uint8_t{0});
    }
    static_cast<void>(loaded->read(blank));
    return loaded;
}

line_reading recogniser::read(const plane& picture) {
    line_reading reading;
    engine_->SetImage(picture.pixels.data(), picture.width, picture.height, 1, picture.width);
    if (engine_->Recognize(nullptr) != 0) return reading;
    const std::unique_ptr<tesseract::ResultIterator> at{engine_->GetIterator()};
    if (at == nullptr) return reading;
    do {
        // NOLINTNEXTLINE(modernize-avoid-c-arrays): Tesseract hands over an array made by new[].
        const std::unique_ptr<char[]> text{at->GetUTF8Text(tesseract::RIL_WORD)};
        if (text == nullptr || text[0] == '\0') continue;
        reading.words.push_back(
            {.text = text.get(),
             .confidence = at->Confidence(tesseract::RIL_WORD),
             .known = at->WordIsFromDictionary()});
    } while (at->Next(tesseract::RIL_WORD));
    return reading;
}

bool recogniser::knows(std::string_view word) const {
    std::string exact{word};
    if (engine_->IsValidWord(exact.c_str()) != 0) return true;
    std::transform(exact.begin(), exact.end(), exact.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return engine_->IsValidWord(exact.c_str()) != 0;
}

}  // namespace reelsd::media::text
