#include "neural_model.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace reelsd::media {

namespace {

void check(const onnx::api& api, onnx::status* failure) {
    if (failure == nullptr) return;
    const onnx_owner<onnx::status> owner{failure, api.release_status};
    throw std::runtime_error{std::string{"neural network: "} + api.get_error_message(failure)};
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
        why = dlerror();
        return nullptr;
    }
    why = "it has another API";
    return base()->get_api(1);
}

}  // namespace

result<neural_model> neural_model::load(const std::string& path, const char* output_name) {
    std::string why;
    const onnx::api* api = load_library(why);
    if (api == nullptr) {
        return error{
            errc::media_failed,
            "cannot load ONNX Runtime, which reads on-screen text; install reelsd again: " + why};
    }
    try {
        return neural_model{*api, path, output_name};
    } catch (const std::runtime_error& failure) {
        return error{errc::media_failed, "cannot load " + path + ": " + failure.what()};
    }
}

neural_model::neural_model(const onnx::api& api, const std::string& path, const char* output_name)
    : api_{&api},
      output_name_{output_name},
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
    // It plans memory for one size of input, but each picture has another size.
    check(api, api.disable_memory_pattern(options.get()));
    session_ = created(api, api.release_session, [&](auto** out) {
        return api.create_session(environment_.get(), path.c_str(), options.get(), out);
    });
}

neural_model::output neural_model::run(std::span<float> input, int height, int width) {
    const std::array<std::int64_t, 4> shape{1, 3, height, width};
    const auto given = created(*api_, api_->release_value, [&](auto** out) {
        return api_->create_tensor(
            memory_.get(),
            input.data(),
            input.size_bytes(),
            shape.data(),
            shape.size(),
            onnx::element_float,
            out);
    });
    output computed{
        .owner = created(*api_, api_->release_value, [&](auto** out) {
            constexpr const char* input_name = "x";
            const onnx::value* inputs = given.get();
            return api_->run(
                session_.get(), nullptr, &input_name, &inputs, 1, &output_name_, 1, out);
        })};
    void* data = nullptr;
    std::size_t count = 0;
    check(*api_, api_->get_data(computed.owner.get(), &data));
    const auto about = created(*api_, api_->release_shape, [&](auto** out) {
        return api_->get_shape(computed.owner.get(), out);
    });
    check(*api_, api_->get_element_count(about.get(), &count));
    computed.values = {static_cast<const float*>(data), count};
    return computed;
}

}  // namespace reelsd::media
