// Goal: invented words are dropped where there is no voice, and no spoken word is lost.
#include "phantom_speech.hpp"

#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using media::voice_evidence;
using media::voice_span;

heard_segment segment(std::string text, double start = 1, double end = 3) {
    return {.spoken = {std::move(text), start, end}};
}

std::vector<voice_span> voice(voice_evidence evidence, double start = 0, double end = 10) {
    return {{start, end, evidence}};
}

/// The texts that remain.
std::vector<std::string> kept(
    std::vector<heard_segment> segments, const std::vector<voice_span>& voice) {
    std::vector<std::string> texts;
    for (const auto& segment : without_phantoms(std::move(segments), voice).segments)
        texts.push_back(segment.spoken.text);
    return texts;
}

using texts = std::vector<std::string>;

TEST(IsPhantomPhrase, InAnyFormAndSeveralTimes) {
    for (const auto* text :
         {"Thank you.",
          "THANK YOU!",
          "thank  you",
          "Thanks for watching!",
          "Thank you. Thank you. Thanks for watching!",
          "Abone olmayı unutmayın",
          "Terima kasih telah menonton!",
          "ご視聴ありがとうございました",
          "ご視聴ありがとうございました。ご視聴ありがとうございました。",
          "СПАСИБО ЗА ПРОСМОТР!",
          "You",
          "Bye-bye.",
          "Merci d’avoir regardé !",
          "♪ Thank you ♪"})
        EXPECT_TRUE(is_phantom_phrase(text)) << text;
    for (const auto* text :
         {"",
          "Thank you for the coffee.",
          "Thanks for watching my dog.",
          "You need two eggs.",
          "Vielen Dank an alle Helfer",
          "Buy fresh beans. Thank you."})
        EXPECT_FALSE(is_phantom_phrase(text)) << text;
}

TEST(IsSubtitleCredit, OnlyInShortTexts) {
    for (const auto* text :
         {"Subtitles by the Amara.org community",
          "Undertekster av Ai-Media",
          "字幕by索兰娅",
          "Sous-titres réalisés para la communauté d'Amara.org",
          "Untertitel im Auftrag des ZDF für funk, 2017",
          "Субтитры сделал DimaTorzok",
          "Altyazı M.K."})
        EXPECT_TRUE(is_subtitle_credit(text)) << text;
    for (const auto* text :
         {"", "I added subtitles to this video.", "Die Untertitel sind gut", "这个视频有字幕"})
        EXPECT_FALSE(is_subtitle_credit(text)) << text;
    EXPECT_FALSE(is_subtitle_credit(
        "Subtitles by Ann, who also wrote the script and made the coffee that we drink"));
}

TEST(WithoutPhantoms, PhrasesNeedAVoiceAndOtherWords) {
    const auto phrase = segment("Thank you.", 8, 9);
    const auto spoken = segment("Grind the beans at the last minute.");
    for (const auto evidence : {voice_evidence::possible, voice_evidence::alone})
        EXPECT_EQ(kept({phrase}, voice(evidence)), texts{}) << name_of(evidence);
    EXPECT_EQ(kept({phrase}, {}), texts{});
    EXPECT_EQ(kept({phrase}, voice(voice_evidence::recognized)), texts{"Thank you."});
    EXPECT_EQ(
        kept({spoken, phrase}, voice(voice_evidence::alone)),
        (texts{spoken.spoken.text, "Thank you."}));
    auto doubted = phrase;
    doubted.no_speech_probability = 0.07;
    EXPECT_EQ(kept({spoken, doubted}, voice(voice_evidence::alone)), texts{spoken.spoken.text});
    EXPECT_EQ(
        kept({segment("Subtitles by the Amara.org community")}, voice(voice_evidence::recognized)),
        texts{});
}

TEST(WithoutPhantoms, MusicIsNoVoice) {
    const auto music = voice(voice_evidence::possible);
    const auto lyrics = segment("Walking down the road again", 1, 4);
    const auto checked = without_phantoms({lyrics}, music);
    EXPECT_EQ(checked.segments.size(), 1U);
    EXPECT_EQ(checked.doubtful, 1U) << "a warning, not the axe";
    auto doubted = lyrics;
    doubted.no_speech_probability = 0.61;
    EXPECT_EQ(kept({doubted}, music), texts{});
    auto failed = lyrics;
    failed.compression_ratio = 2.5;
    EXPECT_EQ(kept({failed}, music), texts{});
    auto unlikely = lyrics;
    unlikely.mean_log_probability = -1.1;
    EXPECT_EQ(kept({unlikely}, music), texts{});
    EXPECT_EQ(kept({segment("Hello there", 0, 10)}, music), texts{}) << "too slow for speech";
    EXPECT_EQ(kept({lyrics, lyrics, lyrics}, music), texts{});
}

TEST(WithoutPhantoms, NothingIsSaidWhereNoVoiceIs) {
    const auto here = segment("Buy fresh beans.", 1, 3);
    const auto elsewhere = segment("And then something else.", 6, 8);
    EXPECT_EQ(kept({elsewhere}, voice(voice_evidence::possible, 0, 4)), texts{});
    const auto checked =
        without_phantoms({here, elsewhere}, voice(voice_evidence::recognized, 0.5, 3.5));
    EXPECT_EQ(checked.segments.size(), 2U) << "a whisper, or a wrong time of the server";
    EXPECT_EQ(checked.doubtful, 1U);
    auto doubted = elsewhere;
    doubted.no_speech_probability = 0.9;
    EXPECT_EQ(
        kept({here, doubted}, voice(voice_evidence::recognized, 0.5, 3.5)),
        texts{here.spoken.text});
    // Half a second of voice in half a minute.
    EXPECT_EQ(
        kept({segment("Thanks for watching!", 0, 30)}, voice(voice_evidence::alone, 29.5, 30)),
        texts{});
}

// A voice until 2.7 s, whose span has the margin of the detector, and silence to 4 s.
TEST(WithoutPhantoms, PassagesInTheSilenceAfterAVoiceAreInvented) {
    const auto cups = segment("Two cups.", 0, 2.5);
    for (const auto evidence : {voice_evidence::alone, voice_evidence::recognized}) {
        const auto clear = voice(evidence, 0, 3);
        for (const double start : {2.8, 2.9, 3.0, 3.1})
            EXPECT_EQ(
                kept({cups, segment("Thank you for watching!", start, 4)}, clear),
                texts{"Two cups."})
                << start;
        const auto checked = without_phantoms({cups, segment("Then stir it.", 2.9, 4)}, clear);
        EXPECT_EQ(checked.segments.size(), 2U);
        EXPECT_EQ(checked.doubtful, 1U);
    }
}

// Speech from 2.0 s to 3.1 s, or to 2.3 s, which the server reports 0.3 s late or early.
TEST(WithoutPhantoms, InexactTimesOfSpeechAreNoDoubt) {
    const auto check = [](double end, double shift) {
        const auto checked = without_phantoms(
            {segment("Then stir it well.", 2 + shift, end + shift)},
            voice(voice_evidence::alone, 1.8, end + 0.2));
        EXPECT_EQ(checked.segments.size(), 1U) << end << " " << shift;
        EXPECT_EQ(checked.doubtful, 0U) << end << " " << shift;
    };
    for (const double end : {2.3, 2.6, 2.9, 3.1, 5.0}) {
        for (const double shift : {-0.3, -0.2, 0.0, 0.2, 0.3}) check(end, shift);
    }
}

TEST(WithoutPhantoms, SpeechIsNeverDoubtedForItsLanguage) {
    const auto clear = voice(voice_evidence::alone);
    const std::vector<heard_segment> spoken{
        segment("Hier sind drei Wege.", 0.5, 2),
        segment("三つの方法があります。", 3, 5),
        segment("Untertitel sind an.", 6, 8)};
    const auto checked = without_phantoms(spoken, clear);
    EXPECT_EQ(checked.segments.size(), 3U);
    EXPECT_EQ(checked.dropped + checked.doubtful, 0U);
}

TEST(WithoutPhantoms, MarksOfSoundsAndLoopsAreCut) {
    const auto clear = voice(voice_evidence::recognized);
    EXPECT_EQ(
        kept(
            {segment("[Music]"),
             segment("(applause) [laughs]"),
             segment("♪♪"),
             segment("*sighs*"),
             segment("Go on. [door]")},
            clear),
        texts{"Go on. [door]"});
    EXPECT_EQ(without_phantoms({segment("[Music]")}, clear).dropped, 0U) << "no contradiction";
    EXPECT_EQ(
        kept(std::vector<heard_segment>(20, segment("Again.")), clear),
        (texts{"Again.", "Again.", "Again."}));
}

TEST(IsSoundMark, NotASentenceInBracketsOverTwoPassages) {
    EXPECT_TRUE(is_sound_mark("*"));
    EXPECT_FALSE(is_sound_mark("(First, I cancelled"));
    EXPECT_FALSE(is_sound_mark("every subscription)"));
    EXPECT_FALSE(is_sound_mark("*First, I cancelled"));
}

}  // namespace
}  // namespace reelsd::model
