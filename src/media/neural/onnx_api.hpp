#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The entries of ONNX Runtime's C API that neural_model calls. Its package contains no header. The
/// API is one table of functions to which releases only append, so a slot keeps its function.
/// Source: struct OrtApi in onnxruntime_c_api.h, versions 1 to 27.
namespace reelsd::media::onnx {

struct environment;
struct status;  ///< Null for success.
struct memory_info;
struct session;
struct session_options;
struct value;
struct shape_info;

inline constexpr int log_fatal = 4;
inline constexpr int element_float = 1;
inline constexpr int element_int64 = 7;
inline constexpr int arena_allocator = 1;
inline constexpr int default_memory = 0;

template <std::size_t Count>
using unused = std::array<const void*, Count>;

struct api {
    unused<2> slots_0;
    const char* (*get_error_message)(const status*);
    status* (*create_environment)(int severity, const char* name, environment**);
    unused<3> slots_4;
    status* (*create_session)(
        const environment*, const char* path, const session_options*, session**);
    unused<1> slots_8;
    status* (*run)(
        session*, const void* options, const char* const* input_names, const value* const* inputs,
        std::size_t input_count, const char* const* output_names, std::size_t output_count,
        value** outputs);
    status* (*create_session_options)(session_options**);
    unused<6> slots_11;
    status* (*disable_memory_pattern)(session_options*);
    unused<1> slots_18;
    status* (*disable_arena)(session_options*);
    unused<4> slots_20;
    status* (*set_threads)(session_options*, int count);
    unused<24> slots_25;
    status* (*create_tensor)(
        const memory_info*, void* data, std::size_t bytes, const std::int64_t* shape,
        std::size_t dimensions, int element_type, value**);
    unused<1> slots_50;
    status* (*get_data)(value*, void**);
    unused<12> slots_52;
    status* (*get_element_count)(const shape_info*, std::size_t*);
    status* (*get_shape)(const value*, shape_info**);
    unused<3> slots_66;
    status* (*create_memory_info)(int allocator, int memory, memory_info**);
    unused<22> slots_70;
    void (*release_environment)(environment*);
    void (*release_status)(status*);
    void (*release_memory_info)(memory_info*);
    void (*release_session)(session*);
    void (*release_value)(value*);
    unused<2> slots_97;
    void (*release_shape)(shape_info*);
    void (*release_session_options)(session_options*);
};
static_assert(offsetof(api, create_tensor) == 49 * sizeof(void*));
static_assert(sizeof(api) == 101 * sizeof(void*));

/// What the exported function `OrtGetApiBase` returns.
struct api_base {
    const api* (*get_api)(std::uint32_t version);  ///< Null for a version that it does not have.
};

}  // namespace reelsd::media::onnx
