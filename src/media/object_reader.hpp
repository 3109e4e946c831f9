#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::media {

/// `media_failed`, naming the fault.
[[nodiscard]] error malformed_document(std::string_view fault);

/// Reads the members of one object strictly: a missing or unknown member is a fault, and so is an
/// invalid value. It records the first fault of the document; afterwards all values are empty.
class object_reader {
public:
    /// Reads a whole document with `read(object_reader&)`. Faults name the document `name`.
    template <class Read>
    [[nodiscard]] static auto read_document(const json& document, const char* name, Read read)
        -> result<decltype(read(std::declval<object_reader&>()))> {
        std::string fault;
        auto value = read_object(document, name, fault, read);
        if (!fault.empty()) return malformed_document(fault);
        return value;
    }

    /// From `least` to `most`; never a NaN.
    [[nodiscard]] double number(const char* name, double least, double most);
    [[nodiscard]] std::optional<double> number_or_null(const char* name, double least, double most);
    [[nodiscard]] int whole_number(const char* name, int least, int most);
    /// A number of bytes: without sign and fraction, from `least` to `most`.
    [[nodiscard]] std::uint64_t bytes(const char* name, std::uint64_t least, std::uint64_t most);

    [[nodiscard]] bool truth(const char* name);
    [[nodiscard]] std::optional<bool> truth_or_null(const char* name);

    [[nodiscard]] std::string text(const char* name, std::size_t bytes_max);
    [[nodiscard]] std::optional<std::string> text_or_null(const char* name, std::size_t bytes_max);
    [[nodiscard]] std::string checked_text(
        const json& value, const char* name, std::size_t bytes_max);
    /// One of `known`.
    [[nodiscard]] std::string word(const char* name, std::span<const std::string_view> known);

    /// A member that `read(object_reader&)` reads.
    template <class Read>
    [[nodiscard]] auto object(const char* name, Read read) {
        static const json nothing = json::object();
        const json* value = member(name);
        return read_object(value == nullptr ? nothing : *value, path_of(name), fault_, read);
    }
    template <class Read>
    [[nodiscard]] auto object_or_null(const char* name, Read read) {
        std::optional<decltype(read(*this))> object;
        const json* value = member_or_null(name);
        if (value != nullptr) object = read_object(*value, path_of(name), fault_, read);
        return object;
    }

    /// Calls `read(element)` for each element.
    template <class Read>
    void each(const char* name, std::size_t count_max, Read read) {
        const json* value = list(name, count_max);
        if (value == nullptr) return;
        for (const auto& element : *value) read(element);
    }
    /// Calls `read(object_reader&)` for each element.
    template <class Read>
    void each_object(const char* name, std::size_t count_max, Read read) {
        each(name, count_max, [&](const json& element) {
            object_reader reader{element, path_of(name), fault_};
            read(reader);
            reader.done();
        });
    }

    void record_fault(const char* name, std::string_view what);

private:
    object_reader(const json& object, std::string place, std::string& fault);

    template <class Read>
    static auto read_object(const json& object, std::string place, std::string& fault, Read& read) {
        object_reader reader{object, std::move(place), fault};
        auto value = read(reader);
        reader.done();
        return value;
    }

    /// A member that was not read is a fault.
    void done();
    void record_fault(std::string_view what);
    [[nodiscard]] double checked_number(
        const json& value, const char* name, double least, double most);
    [[nodiscard]] bool checked_truth(const json& value, const char* name);
    [[nodiscard]] const json* member(const char* name);
    [[nodiscard]] const json* member_or_null(const char* name);
    [[nodiscard]] const json* list(const char* name, std::size_t count_max);
    [[nodiscard]] std::string path_of(const char* name) const { return place_ + "." + name; }

    const json& object_;
    std::string place_;
    std::string& fault_;
    std::size_t read_ = 0;
};

}  // namespace reelsd::media
