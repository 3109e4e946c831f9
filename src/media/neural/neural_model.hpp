#pragma once

#include "onnx_api.hpp"
#include <reelsd/base/result.hpp>

#include <memory>
#include <span>
#include <string>

namespace reelsd::media {

template <class Object>
using onnx_owner = std::unique_ptr<Object, void (*)(Object*)>;

/// A neural network for pictures, run by ONNX Runtime. One thread. After `load` it opens no file.
class neural_model {
public:
    struct output {
        onnx_owner<onnx::value> owner;
        std::span<const float> values{};
    };

    /// Loads ONNX Runtime, from the folder of this program or from the system, and the file.
    /// `media_failed` names what is missing.
    static result<neural_model> load(const std::string& path, const char* output_name);

    /// `input`: three channels. Throws std::runtime_error when the network fails, for instance
    /// without memory.
    output run(std::span<float> input, int height, int width);

private:
    neural_model(const onnx::api& api, const std::string& path, const char* output_name);

    const onnx::api* api_;  // The library is never unloaded.
    const char* output_name_;
    onnx_owner<onnx::environment> environment_;
    onnx_owner<onnx::memory_info> memory_;
    onnx_owner<onnx::session> session_;
};

}  // namespace reelsd::media
