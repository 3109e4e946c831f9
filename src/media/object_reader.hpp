#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace reelsd::media {

/// Reads the members of one object and remembers the first fault of the whole document, so that the
/// code that uses it reads as the document does. After a fault every value is empty and means
/// nothing.
class object_reader {
public:
    /// `place` is the object's name in faults; `object` and `fault` outlive the reader.
    object_reader(const json& object, std::string place, std::string& fault);

    /// From `least` to `most`; never a NaN.
    [[nodiscard]] double number(const char* name, double least, double most);
    [[nodiscard]] std::optional<double> number_or_null(const char* name, double least, double most);
    [[nodiscard]] int whole_number(const char* name, int least, int most);
    /// A number of bytes: written without sign and fraction, from `least` to `most`.
    [[nodiscard]] std::uint64_t bytes(const char* name, std::uint64_t least, std::uint64_t most);

    [[nodiscard]] bool truth(const char* name);
    [[nodiscard]] std::optional<bool> truth_or_null(const char* name);

    [[nodiscard]] std::string text(const char* name, std::size_t bytes_max);
    [[nodiscard]] std::optional<std::string> text_or_null(const char* name, std::size_t bytes_max);
    [[nodiscard]] std::string checked_text(
        const json& value, const char* name, std::size_t bytes_max);
    /// One of `known`.
    [[nodiscard]] std::string word(const char* name, std::span<const std::string_view> known);

    [[nodiscard]] object_reader object(const char* name);
    /// Whether the member is there and null. If it is not null, it is still to be read.
    [[nodiscard]] bool is_null(const char* name);

    /// Calls `read(element, place)` for each element.
    template <class Read>
    void each(const char* name, std::size_t count_max, Read read) {
        const json* value = list(name, count_max);
        if (value == nullptr) return;
        for (const auto& element : *value) read(element, place_ + "." + name);
    }

    /// To be called last: a member that nobody read is a fault as well.
    void done();

    void complain(const char* name, std::string_view what);

private:
    [[nodiscard]] double checked_number(
        const json& value, const char* name, double least, double most);
    void complain(std::string_view what);
    [[nodiscard]] const json* member(const char* name);
    [[nodiscard]] const json* list(const char* name, std::size_t count_max);

    const json& object_;
    std::string place_;
    std::string& fault_;
    std::size_t read_ = 0;
};

/// `media_failed`, naming the fault.
[[nodiscard]] error malformed_document(std::string_view fault);

}  // namespace reelsd::media
