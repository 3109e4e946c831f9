#pragma once

#include "../picture/image.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

#include <memory>
#include <string>
#include <vector>

namespace reelsd::media::text {

/// Frame rate of the reader, and the width to which frames are scaled by area averaging.
inline constexpr double frames_per_second = 4.0;
inline constexpr int frame_width = 720;
/// A text appeared and disappeared about that long before its first and after its last frame.
inline constexpr double half_frame_seconds = 0.5 / frames_per_second;

/// Reads on-screen text from the frames of one video with two neural networks. One thread. After
/// `load` it opens no file, starts no thread and makes no system call beyond memory: it works
/// inside the jail.
class text_reader {
public:
    /// Loads ONNX Runtime and the networks in `models_dir`. `media_failed` names what is missing.
    static result<std::unique_ptr<text_reader>> load(const std::string& models_dir);

    virtual ~text_reader() = default;

    /// Adds the next frame, in order of time and all of one size. Does not keep the picture. Throws
    /// neural_failure.
    virtual void add_frame(const picture::view& frame, double seconds) = 0;

    /// Every line on screen, by first appearance. Call after the last frame; the next frame starts
    /// another video.
    virtual std::vector<timed_text> finish(double duration_seconds) = 0;
};

}  // namespace reelsd::media::text
