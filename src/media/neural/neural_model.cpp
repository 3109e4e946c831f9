#include "neural_model.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <system_error>

namespace reelsd::media {

namespace {

void check(const onnx::api& api, onnx::status* failure) {
    if (failure == nullptr) return;
    const onnx_owner<onnx::status> owner{failure, api.release_status};
    throw neural_failure{std::string{"neural network: "} + api.get_error_message(failure)};
}

/// Calls `create`, whose last parameter receives the object.
template <class Object, class Create>
onnx_owner<Object> created(const onnx::api& api, void (*release)(Object*), Create create) {
    Object* object = nullptr;
    check(api, create(&object));
    return {object, release};
}

/// Null with `why` when it is missing or too old.
const onnx::api* load_library(std::string& why) {
    std::error_code failure;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
    const auto shipped = program.parent_path() / REELSD_ONNX_LIBRARY;
    // By its name alone, the loader looks into the folders of the system.
    const bool is_shipped = std::filesystem::exists(shipped, failure);
    void* library =
        dlopen(is_shipped ? shipped.c_str() : REELSD_ONNX_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    using base_function = const onnx::api_base* (*)();
    const auto base = library == nullptr
                          ? nullptr
                          : reinterpret_cast<base_function>(dlsym(library, "OrtGetApiBase"));
    if (base == nullptr) {
        const char* const reason = dlerror();
        why = reason == nullptr ? "it has no API" : reason;
        return nullptr;
    }
    why = "it has another API";
    return base()->get_api(1);
}

}  // namespace

result<neural_model> neural_model::load(const std::string& path, memory_between_runs memory) {
    std::string why;
    const onnx::api* api = load_library(why);
    if (api == nullptr) {
        return error{
            errc::media_failed,
            "cannot load ONNX Runtime, which runs the models of text and speech; install reelsd "
            "again: " +
                why};
    }
    try {
        return neural_model{*api, path, memory};
    } catch (const neural_failure& failure) {
        return error{errc::media_failed, "cannot load " + path + ": " + failure.what()};
    }
}

neural_model::neural_model(
    const onnx::api& api, const std::string& path, memory_between_runs memory)
    : api_{&api},
      environment_{created(
          api, api.release_environment,
          [&](auto** out) { return api.create_environment(onnx::log_fatal, "reelsd", out); })},
      memory_{created(
          api, api.release_memory_info,
          [&](auto** out) {
              return api.create_memory_info(onnx::arena_allocator, onnx::default_memory, out);
          })},
      session_{nullptr, api.release_session} {
    const auto options = created(api, api.release_session_options, api.create_session_options);
    check(api, api.set_threads(options.get(), 1));  // The jail forbids more.
    // It plans memory for one size of input, but each picture and utterance has another size.
    check(api, api.disable_memory_pattern(options.get()));
    if (memory == memory_between_runs::returned) check(api, api.disable_arena(options.get()));
    session_ = created(api, api.release_session, [&](auto** out) {
        return api.create_session(environment_.get(), path.c_str(), options.get(), out);
    });
}

tensor neural_model::make_tensor(std::span<std::byte> bytes, shape sizes, int element) {
    return created(*api_, api_->release_value, [&](auto** out) {
        return api_->create_tensor(
            memory_.get(), bytes.data(), bytes.size(), sizes.data(), sizes.size(), element, out);
    });
}

tensor neural_model::tensor_of(std::span<float> values, shape sizes) {
    return make_tensor(std::as_writable_bytes(values), sizes, onnx::element_float);
}

tensor neural_model::tensor_of(std::span<std::int64_t> values, shape sizes) {
    return make_tensor(std::as_writable_bytes(values), sizes, onnx::element_int64);
}

std::vector<tensor> neural_model::run(
    std::span<const char* const> input_names, std::span<const onnx::value* const> inputs,
    std::span<const char* const> output_names) {
    std::vector<onnx::value*> computed(output_names.size());
    onnx::status* const failure = api_->run(
        session_.get(),
        nullptr,
        input_names.data(),
        inputs.data(),
        inputs.size(),
        output_names.data(),
        output_names.size(),
        computed.data());
    std::vector<tensor> outputs;
    outputs.reserve(computed.size());
    for (onnx::value* const value : computed) outputs.emplace_back(value, api_->release_value);
    check(*api_, failure);
    return outputs;
}

std::span<const float> neural_model::values_of(const tensor& computed) const {
    void* data = nullptr;
    std::size_t count = 0;
    check(*api_, api_->get_data(computed.get(), &data));
    const auto about = created(*api_, api_->release_shape, [&](auto** out) {
        return api_->get_shape(computed.get(), out);
    });
    check(*api_, api_->get_element_count(about.get(), &count));
    return {static_cast<const float*>(data), count};
}

result<picture_model> picture_model::load(const std::string& path, const char* output_name) {
    auto network = neural_model::load(path, memory_between_runs::kept);
    if (!network) return network.error();
    return picture_model{*std::move(network), output_name};
}

picture_model::output picture_model::run(std::span<float> input, int height, int width) {
    constexpr const char* input_name = "x";
    const std::array<std::int64_t, 4> sizes{1, 3, height, width};
    const tensor picture = network_.tensor_of(input, sizes);
    const onnx::value* const inputs = picture.get();
    auto computed = network_.run({&input_name, 1}, {&inputs, 1}, {&output_name_, 1});
    const auto values = network_.values_of(computed.front());
    return {.owner = std::move(computed.front()), .values = values};
}

}  // namespace reelsd::media
