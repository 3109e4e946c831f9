#pragma once

#include "onnx_api.hpp"
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::media {

template <class Object>
using onnx_owner = std::unique_ptr<Object, void (*)(Object*)>;

/// An array of numbers with a shape, which a network takes or computes.
using tensor = onnx_owner<onnx::value>;

/// The fault of the machine or installation, and not of a video: no memory, or a wrong file.
class neural_failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Whether a network keeps the memory of a run for the next one, which saves time, or returns it.
enum class memory_between_runs : std::uint8_t { kept, returned };

/// A neural network, run by ONNX Runtime. One thread. After `load` it opens no file.
class neural_model {
public:
    using shape = std::span<const std::int64_t>;

    /// Loads ONNX Runtime, from the folder of this program or from the system, and the file.
    /// `media_failed` names what is missing.
    static result<neural_model> load(const std::string& path, memory_between_runs memory);

    /// A tensor of the caller's numbers, which have to outlive it. Throws like run().
    tensor tensor_of(std::span<float> values, shape sizes);
    tensor tensor_of(std::span<std::int64_t> values, shape sizes);

    /// Computes the outputs. Throws neural_failure.
    std::vector<tensor> run(
        std::span<const char* const> input_names, std::span<const onnx::value* const> inputs,
        std::span<const char* const> output_names);

    /// The numbers of an output of run(), which owns them.
    [[nodiscard]] std::span<const float> values_of(const tensor& computed) const;

private:
    neural_model(const onnx::api& api, const std::string& path, memory_between_runs memory);
    tensor make_tensor(std::span<std::byte> bytes, shape sizes, int element);

    const onnx::api* api_;  // The library is never unloaded.
    onnx_owner<onnx::environment> environment_;
    onnx_owner<onnx::memory_info> memory_;
    onnx_owner<onnx::session> session_;
};

/// A neural network with one picture as its input and one output.
class picture_model {
public:
    struct output {
        tensor owner;
        std::span<const float> values{};
    };

    /// Like neural_model.
    static result<picture_model> load(const std::string& path, const char* output_name);

    /// `input`: three channels. Throws like neural_model::run().
    output run(std::span<float> input, int height, int width);

private:
    picture_model(neural_model network, const char* output_name)
        : network_{std::move(network)}, output_name_{output_name} {}

    neural_model network_;
    const char* output_name_;
};

}  // namespace reelsd::media
