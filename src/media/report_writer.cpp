#include <reelsd/base/base64.hpp>
#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <cmath>

namespace reelsd::media {

BOOST_DESCRIBE_STRUCT(
    probe_report, (),
    (duration_seconds, missing_seconds, width, height, frame_rate, video_codec, audio_codec,
     audio_is_decodable))
BOOST_DESCRIBE_STRUCT(timed_text, (), (text, start_seconds, end_seconds))
BOOST_DESCRIBE_STRUCT(voice_span, (), (start_seconds, end_seconds, evidence))
BOOST_DESCRIBE_STRUCT(time_range, (), (start_seconds, end_seconds))
BOOST_DESCRIBE_STRUCT(speech_report, (), (segments, doubtful, voice))
BOOST_DESCRIBE_STRUCT(
    music_report, (),
    (present, start_seconds, tempo_bpm, strong_beat, under_speech, level, brightness))
BOOST_DESCRIBE_STRUCT(audio_report, (), (silent, speech, music))
BOOST_DESCRIBE_STRUCT(picture_report, (), (cuts, motion, brightness, saturation, colours))
BOOST_DESCRIBE_STRUCT(thumbnail_report, (), (jpeg, small_jpeg))
BOOST_DESCRIBE_STRUCT(analysis_report, (), (probe, texts, audio, picture, thumbnail))
BOOST_DESCRIBE_STRUCT(stored_frame, (), (seconds, offset, bytes))
BOOST_DESCRIBE_STRUCT(frames_report, (), (frames))
BOOST_DESCRIBE_STRUCT(stills_report, (), (jpegs))
BOOST_DESCRIBE_STRUCT(sound_report, (), (seconds, bytes))
BOOST_DESCRIBE_STRUCT(output_report, (), (bytes))

namespace {

/// A described struct becomes an object with a member for each of its members.
struct json_writer {
    template <class Value>
    static json of(const Value& value) {
        if constexpr (boost::describe::has_describe_members<Value>::value) {
            using members = boost::describe::describe_members<Value, boost::describe::mod_public>;
            json object;
            boost::mp11::mp_for_each<members>(
                [&](auto member) { object[member.name] = of(value.*member.pointer); });
            return object;
        } else if constexpr (described_enum<Value>) {
            return reelsd::name_of(value);
        } else {
            return value;
        }
    }
    /// Three decimals, which for seconds is finer than a frame.
    static json of(double value) { return std::round(value * 1000.0) / 1000.0; }
    static json of(const std::vector<std::byte>& bytes) { return base64_encoded(bytes); }
    template <class Value>
    static json of(const std::optional<Value>& value) {
        return value ? of(*value) : json(nullptr);
    }
    template <class Value>
    static json of(const std::vector<Value>& values) {
        json list = json::array();
        for (const auto& value : values) list.push_back(of(value));
        return list;
    }
};

}  // namespace

template <class Report>
json to_json(const Report& report) {
    return json_writer::of(report);
}

template json to_json(const probe_report& report);
template json to_json(const audio_report& report);
template json to_json(const analysis_report& report);
template json to_json(const thumbnail_report& report);
template json to_json(const frames_report& report);
template json to_json(const stills_report& report);
template json to_json(const output_report& report);

json to_json(const std::optional<sound_report>& report) {
    return {{"sound", json_writer::of(report)}};
}

json to_json(const check_report& report) {
    json texts = json::array();
    for (const auto& text : report.texts) {
        texts.push_back({{"text", text.text}, {"at_seconds", json_writer::of(text.start_seconds)}});
    }
    return {
        {"silent", report.silent},
        {"speech", json_writer::of(report.speech)},
        {"silences", json_writer::of(report.silences)},
        {"texts", std::move(texts)}};
}

}  // namespace reelsd::media
